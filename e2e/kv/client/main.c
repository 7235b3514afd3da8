#include "client.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct config config = { .clients = 16, .threads = 1, .nodes = 1, .n = 1000, .value = 64, .keys = 10000 };

const char *const stage_names[STAGES] = { "late", "arrive", "queue", "map", "append", "wait", "sync", "replicate", "wake", "reply" };

void complain(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("kv-client: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

void die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("kv-client: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	nodes_clean();
	exit(1);
}

void *reserve(size_t size)
{
	void *p = calloc(1, size ? size : 1);
	if (!p) die("reserve %zu bytes: out of memory", size);
	return p;
}

static const char usage[] =
	"usage: kv-client -server PATH -dir DIR [flags]\n"
	"  -server PATH       the server to start\n"
	"  -dir DIR           where the nodes' directories go\n"
	"  -keep              leave them there, and go on with those that are\n"
	"  -n N               requests (1000)\n"
	"  -clients N         connections, each with one request at a time (16)\n"
	"  -rate N            open loop: N requests a second, latency from the intended start\n"
	"  -reads N           per cent of gets (0)\n"
	"  -order ORDER       keys: increasing, uniform or hot (increasing)\n"
	"  -keys N            that there are, for all but increasing upserts (10000)\n"
	"  -filled            all of them are there before the start\n"
	"  -value N           bytes (64)\n"
	"  -nodes N           1 or 3 (1)\n"
	"  -threads N         of this client (1)\n"
	"  -pin-server CPUS   as in 0-3,5\n"
	"  -pin-client CPUS\n"
	"  -pin-split         the client on the last CPU, the server on the others, if there are two\n"
	"  -json FILE         stages, histograms, the slowest requests with their syncs\n"
	"  -acked FILE        what was acknowledged: op, version, key\n"
	"  -kill WHO          follower, leader or all, with SIGKILL\n"
	"  -kill-after N      acknowledged requests (n / 2)\n"
	"  -kill-delay N      microseconds later (0)\n"
	"of the server (kv-server -h):\n"
	"  -commit MODE -wait-us N -workers N -thread-a-client -snapshot N -sync MODE -port N -echo\n";

enum { SERVER = 1, DIR, KEEP, N, CLIENTS, RATE, READS, ORDER, KEYS, FILLED, VALUE, NODES, THREADS, PIN_SERVER,
	PIN_CLIENT, PIN_SPLIT, JSON, ACKED, KILL, KILL_AFTER, KILL_DELAY, COMMIT, WAIT, WORKERS, THREAD_A_CLIENT, SNAPSHOT, SYNC,
	PORT, ECHO, HELP };

static const struct option flags[] = {
	{ "server", 1, 0, SERVER }, { "dir", 1, 0, DIR }, { "keep", 0, 0, KEEP }, { "n", 1, 0, N },
	{ "clients", 1, 0, CLIENTS }, { "rate", 1, 0, RATE }, { "reads", 1, 0, READS }, { "order", 1, 0, ORDER },
	{ "keys", 1, 0, KEYS }, { "filled", 0, 0, FILLED }, { "value", 1, 0, VALUE }, { "nodes", 1, 0, NODES },
	{ "threads", 1, 0, THREADS }, { "pin-server", 1, 0, PIN_SERVER }, { "pin-client", 1, 0, PIN_CLIENT },
	{ "pin-split", 0, 0, PIN_SPLIT }, { "json", 1, 0, JSON }, { "acked", 1, 0, ACKED }, { "kill", 1, 0, KILL },
	{ "kill-after", 1, 0, KILL_AFTER }, { "kill-delay", 1, 0, KILL_DELAY },
	{ "commit", 1, 0, COMMIT }, { "wait-us", 1, 0, WAIT },
	{ "workers", 1, 0, WORKERS }, { "thread-a-client", 0, 0, THREAD_A_CLIENT }, { "snapshot", 1, 0, SNAPSHOT },
	{ "sync", 1, 0, SYNC }, { "port", 1, 0, PORT }, { "echo", 0, 0, ECHO },
	{ "h", 0, 0, HELP }, { "help", 0, 0, HELP }, { 0 }
};

static _Noreturn void misuse(const char *what, const char *arg)
{
	complain("%s%s (-h lists the flags)", what, arg);
	exit(2);
}

static int64_t number(const char *s, const char *flag, int64_t min, int64_t max)
{
	char *end;
	errno = 0;
	long long v = strtoll(s, &end, 10);
	if (errno || end == s || *end || v < min || v > max) {
		complain("-%s %s: not a number from %lld to %lld", flag, s, (long long)min, (long long)max);
		exit(2);
	}
	return v;
}

static int choice(const char *s, const char *flag, const char *const *of)
{
	for (int i = 0; of[i]; i++)
		if (!strcmp(s, of[i])) return i;
	complain("-%s %s: no such choice (-h lists them)", flag, s);
	exit(2);
}

static int cpus(const char *s, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (char *end; *s; s = end + (*end == ',')) {
		long from = strtol(s, &end, 10), to = from;
		if (end == s) misuse("not a list of CPUs: ", s);
		if (*end == '-') to = strtol(s = end + 1, &end, 10);
		if (end == s || (*end && *end != ',') || from < 0 || to < from || to >= CPU_SETSIZE) misuse("not a list of CPUs: ", s);
		for (; from <= to; from++) CPU_SET(from, set);
	}
	return 1;
}

static int split(struct config *c)
{
	cpu_set_t all;
	if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2) return 0;
	int last = CPU_SETSIZE - 1;
	while (!CPU_ISSET(last, &all)) last--;
	CPU_CLR(last, &all);
	c->server_cpus = all;
	CPU_ZERO(&c->client_cpus);
	CPU_SET(last, &c->client_cpus);
	return 1;
}

static void pass(const char *flag, const char *value)
{
	if (config.nargs > ARGS_MAX - 3) misuse("too many flags of the server", "");
	config.args[config.nargs++] = flag;
	if (value) config.args[config.nargs++] = value;
}

static void parse(int argc, char **argv)
{
	static const char *const orders[] = { "increasing", "uniform", "hot", 0 };
	static const char *const victims[] = { "none", "follower", "leader", "all", 0 };
	struct config *k = &config;
	int c;
	while ((c = getopt_long_only(argc, argv, "", flags, 0)) >= 0) switch (c) {
	case SERVER: k->server = optarg; break;
	case DIR: k->dir = optarg; break;
	case KEEP: k->keep = 1; break;
	case N: k->n = number(optarg, "n", 1, 1 << 30); break;
	case CLIENTS: k->clients = number(optarg, "clients", 1, 1000000); break;
	case RATE: k->rate = number(optarg, "rate", 1, 10000000); break;
	case READS: k->reads = number(optarg, "reads", 0, 100); break;
	case ORDER: k->order = choice(optarg, "order", orders); break;
	case KEYS: k->keys = number(optarg, "keys", 1, 1 << 30); break;
	case FILLED: k->filled = 1; break;
	case VALUE: k->value = number(optarg, "value", 8, WIRE_VALUE_MAX); break;
	case NODES: k->nodes = number(optarg, "nodes", 1, WIRE_NODES); break;
	case THREADS: k->threads = number(optarg, "threads", 1, 64); break;
	case PIN_SERVER: k->pin_server = cpus(optarg, &k->server_cpus); break;
	case PIN_CLIENT: k->pin_client = cpus(optarg, &k->client_cpus); break;
	case PIN_SPLIT: k->pin_server = k->pin_client = split(k); break;
	case JSON: k->json = optarg; break;
	case ACKED: k->acked = optarg; break;
	case KILL: k->kill = choice(optarg, "kill", victims); break;
	case KILL_AFTER: k->kill_after = number(optarg, "kill-after", 1, 1 << 30); break;
	case KILL_DELAY: k->kill_delay = number(optarg, "kill-delay", 0, 10000000); break;
	case COMMIT: pass("-commit", optarg); k->serial = !strcmp(optarg, "serial"); break;
	case WAIT: pass("-wait-us", optarg); break;
	case WORKERS: pass("-workers", optarg); break;
	case THREAD_A_CLIENT: pass("-threads", 0); break;
	case SNAPSHOT: pass("-snapshot", optarg); break;
	case SYNC: pass("-sync", optarg); break;
	case PORT: pass("-port", optarg); break;
	case ECHO: pass("-echo", 0); k->echo = 1; break;
	case HELP: fputs(usage, stdout); exit(0);
	default: fputs(usage, stderr); exit(2);
	}
	if (optind < argc) misuse("unexpected argument ", argv[optind]);
	if (!k->server || !k->dir) misuse("-server and -dir are needed", "");
	if (k->nodes == 2) misuse("-nodes 2: with two, one that dies takes the majority along", "");
	if (k->reads && !k->filled) misuse("-reads without -filled: nothing would be found", "");
	if (k->kill == KILL_FOLLOWER && k->nodes == 1) misuse("-kill follower without -nodes 3", "");
	if (!k->kill_after) k->kill_after = k->n / 2;
	if (k->threads > k->clients) k->threads = k->clients;
}

/* Told before anything starts: half of the clients would be another measurement. */
static void descriptors(void)
{
	struct rlimit l;
	rlim_t need = config.clients + 32 + 2 * config.threads;
	if (getrlimit(RLIMIT_NOFILE, &l)) return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
	if (l.rlim_max >= need) return;
	complain("%d clients need %llu open files, the limit is %llu (ulimit -n %llu)", config.clients,
		(unsigned long long)need, (unsigned long long)l.rlim_max, (unsigned long long)need);
	exit(1);
}

static int64_t cpu_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	int64_t begin = wire_now();
	struct outcome *o = reserve(sizeof *o);
	parse(argc, argv);
	descriptors();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (config.pin_client && sched_setaffinity(0, sizeof config.client_cpus, &config.client_cpus))
		die("-pin-client: %s", strerror(errno));
	nodes_start(o);
	struct load *load = load_new(o);
	nodes_mark(o);

	int64_t cpu = cpu_ns(), start = wire_now();
	load_run(load);
	o->ns = wire_now() - start;
	o->cpu_ns = cpu_ns() - cpu;
	o->setup_ns = start - begin;

	nodes_stats(o);
	if (config.acked) load_acked(load, config.acked);
	slow_sort(o->all);
	int bad = nodes_stop(o);
	if (config.json && !o->killed) report_json(o, config.json);
	int64_t failed = o->all->failed;
	if (!failed && !bad) report(o);
	if (failed) complain("%lld requests were answered with an error", (long long)failed);
	load_free(load);
	for (int i = 0; i < config.nodes; i++) free(o->node[i].syncs);
	free(o);
	nodes_clean();
	return failed || bad ? 1 : 0;
}
