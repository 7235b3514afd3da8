/* The nodes, as children of this process. */
#include "client.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[4000];
static int pids[WIRE_NODES];

int dial(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, room = WIRE_VALUE_MAX * 4;
	if (fd < 0 || connect(fd, (void *)&a, sizeof a)) die("connect to port %d: %s", port, strerror(errno));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	/* A whole request fits, so that sending never waits for the server. */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	return fd;
}

static void child(int node, int out, char *const argv[], int parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) _exit(1);
	if (config.pin_server && sched_setaffinity(0, sizeof config.server_cpus, &config.server_cpus)) {
		complain("-pin-server: %s", strerror(errno));
		_exit(1);
	}
	dup2(out, 1);
	execv(config.server, argv);
	complain("start node %d: %s: %s", node, config.server, strerror(errno));
	_exit(1);
}

/* The line "port: N" says that it is ready. */
static int read_port(int fd)
{
	char line[64];
	size_t n = 0;
	ssize_t got;
	int port = 0;
	while (n < sizeof line - 1 && (got = read(fd, line + n, sizeof line - 1 - n)) > 0) {
		n += got;
		line[n] = 0;
		if (strchr(line, '\n')) break;
	}
	line[n] = 0;
	return sscanf(line, "port: %d", &port) == 1 ? port : 0;
}

static void start(struct outcome *o, int i)
{
	char dir[sizeof root + 16], peers[32], clients[16];
	const char *argv[ARGS_MAX + 16] = { config.server, "-dir", dir };
	int n = 3, out[2];
	snprintf(dir, sizeof dir, "%s/node%d", root, i + 1);
	if (mkdir(dir, 0777) && errno != EEXIST) die("make %s: %s", dir, strerror(errno));
	if (i > 0) {
		argv[n++] = "-follow";
	} else {
		snprintf(clients, sizeof clients, "%d", config.clients);
		argv[n++] = "-clients";
		argv[n++] = clients;
	}
	if (i == 0 && config.nodes == 3) {
		snprintf(peers, sizeof peers, "%d,%d", o->node[1].port, o->node[2].port);
		argv[n++] = "-peers";
		argv[n++] = peers;
	}
	for (int a = 0; a < config.nargs; a++) {
		int of_leader = !strcmp(config.args[a], "-port");
		if (of_leader && i) a++;
		else argv[n++] = config.args[a];
	}
	if (pipe(out)) die("pipe: %s", strerror(errno));
	fflush(0);
	int parent = getpid(), pid = fork();
	if (pid < 0) die("start node %d: %s", i + 1, strerror(errno));
	if (!pid) {
		close(out[0]);
		child(i + 1, out[1], (char *const *)argv, parent);
	}
	close(out[1]);
	pids[i] = o->node[i].pid = pid;
	o->node[i].port = read_port(out[0]);
	close(out[0]);
	if (!o->node[i].port) die("node %d did not start", i + 1);
}

static int transfer(int fd, char *p, size_t n, int out)
{
	while (n) {
		ssize_t r = out ? send(fd, p, n, MSG_NOSIGNAL) : recv(fd, p, n, 0);
		if (r < 0 && errno == EINTR) continue;
		if (r <= 0) return -1;
		p += r;
		n -= r;
	}
	return 0;
}

/* Asks on the control connection: the answer's value, or 0 if the node is gone. */
static char *ask(struct node *node, int op, void *p, size_t n)
{
	struct wire_request h = { .magic = WIRE_REQUEST, .op = op, .value = n };
	struct wire_answer a;
	if (transfer(node->control, (void *)&h, sizeof h, 1) || transfer(node->control, p, n, 1)
		|| transfer(node->control, (void *)&a, sizeof a, 0)) return 0;
	char *value = reserve(a.value + 1);
	if (transfer(node->control, value, a.value, 0)) {
		free(value);
		return 0;
	}
	if (a.status == STATUS_ERROR) die("node at port %d: %s", node->port, value);
	return value;
}

static void must(struct node *node, int op, void *p, size_t n)
{
	char *value = ask(node, op, p, n);
	if (!value) die("node at port %d is gone", node->port);
	free(value);
}

void nodes_start(struct outcome *o)
{
	struct wire_fill f = { config.keys, config.value };
	snprintf(root, sizeof root, config.keep ? "%.3900s" : "%.3900s/kv-XXXXXX", config.dir);
	if (!config.keep && !mkdtemp(root)) {
		int err = errno;
		*root = 0;
		die("make a directory in %s: %s", config.dir, strerror(err));
	}
	for (int i = config.nodes - 1; i >= 0; i--) start(o, i);
	for (int i = 0; i < config.nodes; i++) o->node[i].control = dial(o->node[i].port);
	if (config.filled) must(&o->node[0], OP_FILL, &f, sizeof f);
}

void nodes_mark(struct outcome *o)
{
	for (int i = 0; i < config.nodes; i++) must(&o->node[i], OP_MARK, 0, 0);
}

void nodes_stats(struct outcome *o)
{
	for (int i = 0; i < config.nodes && !o->killed; i++) {
		struct node *n = &o->node[i];
		char *value = ask(n, OP_STATS, 0, 0);
		if (!value) die("node %d is gone", i + 1);
		memcpy(&n->stats, value, sizeof n->stats);
		n->syncs = reserve(n->stats.kept * sizeof *n->syncs);
		memcpy(n->syncs, value + sizeof n->stats, n->stats.kept * sizeof *n->syncs);
		free(value);
	}
}

void nodes_kill(struct outcome *o, int who)
{
	for (int i = 0; i < config.nodes; i++)
		if (who == KILL_ALL || (who == KILL_LEADER && !i) || (who == KILL_FOLLOWER && i == 1))
			kill(o->node[i].pid, SIGKILL);
}

static int ended_well(int i, int status, int killed)
{
	int was_killed = killed == KILL_ALL || (killed == KILL_LEADER && !i) || (killed == KILL_FOLLOWER && i == 1);
	if (was_killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return 1;
	if (WIFEXITED(status) && !WEXITSTATUS(status)) return 1;
	if (WIFSIGNALED(status)) complain("node %d died of signal %d", i + 1, WTERMSIG(status));
	else complain("node %d ended with code %d", i + 1, WEXITSTATUS(status));
	return 0;
}

/* The leader first, which otherwise would miss its followers. */
int nodes_stop(struct outcome *o)
{
	int bad = 0;
	for (int i = 0; i < config.nodes; i++) {
		struct node *n = &o->node[i];
		free(ask(n, OP_STOP, 0, 0));
		close(n->control);
		while (waitpid(n->pid, &n->status, 0) < 0 && errno == EINTR);
		pids[i] = 0;
		bad += !ended_well(i, n->status, o->killed);
	}
	return bad;
}

static void empty(const char *dir)
{
	char path[sizeof root + 300];
	struct dirent *e;
	DIR *d = opendir(dir);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%.4050s/%.255s", dir, e->d_name);
		unlink(path);
	}
	if (d) closedir(d);
	rmdir(dir);
}

void nodes_clean(void)
{
	char dir[sizeof root + 16];
	for (int i = 0; i < WIRE_NODES; i++) {
		if (!pids[i]) continue;
		kill(pids[i], SIGKILL);
		waitpid(pids[i], 0, 0);
	}
	for (int i = 0; i < WIRE_NODES && *root && !config.keep; i++) {
		snprintf(dir, sizeof dir, "%s/node%d", root, i + 1);
		empty(dir);
	}
	if (*root && !config.keep) rmdir(root);
}
