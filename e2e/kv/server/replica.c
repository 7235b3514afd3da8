/* The leader's side: followers write and sync a record before it is acknowledged. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "server.h"

static struct peer {
	int fd, node;
} peers[WIRE_NODES - 1];
static uint64_t nodes = 1;

uint64_t replica_nodes(void)
{
	return __atomic_load_n(&nodes, __ATOMIC_ACQUIRE);
}

static int receive(int fd, void *p, size_t n)
{
	for (char *to = p; n; ) {
		ssize_t r = recv(fd, to, n, 0);
		if (r < 0 && errno == EINTR) continue;
		if (r < 0) return errno == EAGAIN ? ETIMEDOUT : errno;
		if (!r) return ECONNRESET;
		to += r;
		n -= r;
	}
	return 0;
}

static int transmit(int fd, const void *p, size_t n, int flags)
{
	for (const char *from = p; n; ) {
		ssize_t s = send(fd, from, n, MSG_NOSIGNAL | flags);
		if (s < 0 && errno == EINTR) continue;
		if (s < 0) return errno == EAGAIN ? ETIMEDOUT : errno;
		from += s;
		n -= s;
	}
	return 0;
}

static int ask(int fd, int op, const void *p, size_t n, uint32_t id)
{
	struct wire_request h = { .magic = WIRE_REQUEST, .op = op, .value = n, .id = id };
	int err = transmit(fd, &h, sizeof h, MSG_MORE);
	return err ? err : transmit(fd, p, n, 0);
}

/* What a follower answered, as an errno; its own words go to why. */
static int answered(int fd, uint32_t id, char *why, size_t size)
{
	struct wire_answer a;
	int err = receive(fd, &a, sizeof a);
	if (err) return err;
	if (a.magic != WIRE_ANSWER || a.id != id || a.value >= size) return EPROTO;
	if ((err = receive(fd, why, a.value))) return err;
	why[a.value] = 0;
	return a.status == STATUS_OK ? 0 : EPROTO;
}

static int reach(struct peer *p, int port, char *why, size_t size)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct wire_follow f = { p->node, store_log.record };
	struct timeval limit = { 5, 0 };
	int on = 1;
	if (p->fd < 0 || connect(p->fd, (void *)&a, sizeof a)) return errno;
	setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	/* One that hangs is gone as well. */
	setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	setsockopt(p->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	int err = ask(p->fd, OP_FOLLOW, &f, sizeof f, 0);
	return err ? err : answered(p->fd, 0, why, size);
}

int replica_connect(void)
{
	for (int i = 0; i < options.npeers; i++) {
		char why[256] = "";
		struct peer *p = &peers[i];
		p->node = i + 2;
		p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int err = reach(p, options.peers[i], why, sizeof why);
		if (err) {
			say("reach node %d at port %d: %s", p->node, options.peers[i], *why ? why : reason(err));
			return -1;
		}
		nodes++;
	}
	return 0;
}

static void lose(struct peer *p, const char *why)
{
	close(p->fd);
	p->fd = -1;
	uint64_t left = __atomic_sub_fetch(&nodes, 1, __ATOMIC_ACQ_REL);
	say("node %d is gone (%s): %llu of %d nodes left%s", p->node, why, (unsigned long long)left,
		options.npeers + 1, 2 * left > (uint64_t)options.npeers + 1 ? ", going on" : "");
}

/* All get it before the first is waited for: their syncs run at the same time. */
const char *replica_send(const struct buffer *b, uint64_t record)
{
	for (int i = 0; i < options.npeers; i++) {
		struct peer *p = &peers[i];
		int err = p->fd < 0 ? 0 : ask(p->fd, OP_RECORD, b->p, b->len, record);
		if (err) lose(p, reason(err));
	}
	for (int i = 0; i < options.npeers; i++) {
		char why[256] = "";
		struct peer *p = &peers[i];
		int err = p->fd < 0 ? 0 : answered(p->fd, record, why, sizeof why);
		if (err) lose(p, *why ? why : reason(err));
	}
	return 2 * replica_nodes() > (uint64_t)options.npeers + 1 ? 0 : "no majority of the nodes is left";
}

void replica_close(void)
{
	for (int i = 0; i < options.npeers; i++)
		if (peers[i].node && peers[i].fd >= 0) close(peers[i].fd);
}
