#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server.h"

struct options options = { .workers = 4 };

/* One write(2) a line, so that nodes that share a terminal do not mix. */
void say(const char *fmt, ...)
{
	char line[1024];
	int n = snprintf(line, sizeof line, "kv-server: ");
	va_list ap;
	va_start(ap, fmt);
	n += vsnprintf(line + n, sizeof line - n, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof line - 2) n = sizeof line - 2;
	line[n++] = '\n';
	if (write(2, line, n) < 0) return;
}

const char *reason(int err)
{
	switch (err) {
	case ENOSPC: return "no space left on device";
	case EDQUOT: return "disk quota exceeded";
	case EFBIG: return "file too large (the limit of its size is reached: ulimit -f)";
	case EROFS: return "read-only file system";
	case EACCES: return "permission denied";
	case ENOENT: return "no such directory (make it first)";
	case EADDRINUSE: return "port in use (another -port, or 0 for any)";
	case EMFILE: return "too many open files (ulimit -n)";
	case ENOMEM: return "out of memory";
	}
	return strerror(err);
}

void *grow(void *p, size_t *cap, size_t need, size_t elem)
{
	size_t n = *cap ? *cap : 64;
	while (n < need) n *= 2;
	if (n == *cap) return p;
	void *q = realloc(p, n * elem);
	if (q) *cap = n;
	return q;
}

/* musl gives a thread 128 KiB and glibc 8 MiB; neither is to be measured. */
int start_thread(pthread_t *t, void *(*f)(void *), void *arg)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);
	if (err) return err;
	err = pthread_attr_setstacksize(&attr, 256 << 10);
	if (!err) err = pthread_create(t, &attr, f, arg);
	pthread_attr_destroy(&attr);
	return err;
}

static const char usage[] =
	"usage: kv-server -dir DIR [flags]\n"
	"  -dir DIR           where the log is\n"
	"  -port N            0 is any: it says which (0)\n"
	"  -commit MODE       serial: one request at a time; group: one sync for many (group)\n"
	"  -wait-us N         group: collect for so long before a sync (0)\n"
	"  -workers N         threads that serve; 0: the one that reads does (4)\n"
	"  -threads           a thread a client instead\n"
	"  -clients N         make sure that so many fit the limit of open files\n"
	"  -peers P,Q         ports of the followers\n"
	"  -follow            take records from a leader\n"
	"  -snapshot N        write a snapshot after every N upserts; 0 never (0)\n"
	"  -sync MODE         fdatasync or none (fdatasync)\n"
	"  -echo              answer at once: no map, no log\n"
	"  -replay            read the log, say what is in it, and end\n"
	"  -acked FILE        with -replay: is each upsert there that FILE holds?\n";

enum { DIR = 1, PORT, COMMIT, WAIT, WORKERS, THREADS, CLIENTS, PEERS, FOLLOW, SNAPSHOT, SYNC, ECHO, REPLAY, ACKED, HELP };

static const struct option flags[] = {
	{ "dir", 1, 0, DIR }, { "port", 1, 0, PORT }, { "commit", 1, 0, COMMIT }, { "wait-us", 1, 0, WAIT },
	{ "workers", 1, 0, WORKERS }, { "threads", 0, 0, THREADS }, { "clients", 1, 0, CLIENTS },
	{ "peers", 1, 0, PEERS }, { "follow", 0, 0, FOLLOW }, { "snapshot", 1, 0, SNAPSHOT },
	{ "sync", 1, 0, SYNC }, { "echo", 0, 0, ECHO }, { "replay", 0, 0, REPLAY }, { "acked", 1, 0, ACKED },
	{ "h", 0, 0, HELP }, { "help", 0, 0, HELP }, { 0 }
};

static _Noreturn void misuse(const char *what, const char *arg)
{
	say("%s%s (-h lists the flags)", what, arg);
	exit(2);
}

static long number(const char *s, const char *flag, long max)
{
	char *end;
	errno = 0;
	long n = strtol(s, &end, 10);
	if (errno || end == s || *end || n < 0 || n > max) {
		say("-%s %s: not a number from 0 to %ld", flag, s, max);
		exit(2);
	}
	return n;
}

static int word(const char *s, const char *flag, const char *no, const char *yes)
{
	if (!strcmp(s, yes)) return 1;
	if (strcmp(s, no)) {
		say("-%s %s: neither %s nor %s", flag, s, no, yes);
		exit(2);
	}
	return 0;
}

static void peers(char *s)
{
	for (char *p = strtok(s, ","); p; p = strtok(0, ",")) {
		if (options.npeers == WIRE_NODES - 1) misuse("-peers: more than two", "");
		options.peers[options.npeers++] = number(p, "peers", 65535);
	}
}

static void parse(int argc, char **argv)
{
	struct options *o = &options;
	int c;
	o->group = 1;
	while ((c = getopt_long_only(argc, argv, "", flags, 0)) >= 0) switch (c) {
	case DIR: o->dir = optarg; break;
	case PORT: o->port = number(optarg, "port", 65535); break;
	case COMMIT: o->group = word(optarg, "commit", "serial", "group"); break;
	case WAIT: o->wait_ns = 1000 * number(optarg, "wait-us", 1000000); break;
	case WORKERS: o->workers = number(optarg, "workers", 256); break;
	case THREADS: o->threads = 1; break;
	case CLIENTS: o->clients = number(optarg, "clients", 1000000); break;
	case PEERS: peers(optarg); break;
	case FOLLOW: o->follow = 1; break;
	case SNAPSHOT: o->snapshot = number(optarg, "snapshot", LONG_MAX); break;
	case SYNC: o->nosync = word(optarg, "sync", "fdatasync", "none"); break;
	case ECHO: o->echo = 1; break;
	case REPLAY: o->replay = 1; break;
	case ACKED: o->acked = optarg; break;
	case HELP: fputs(usage, stdout); exit(0);
	default: fputs(usage, stderr); exit(2);
	}
	if (optind < argc) misuse("unexpected argument ", argv[optind]);
	if (!o->dir && !o->echo) misuse("-dir is missing", "");
	if (o->acked && !o->replay) misuse("-acked without -replay", "");
	if (o->follow && o->npeers) misuse("a follower has no -peers", "");
	/* Records come one by one. */
	if (o->follow || o->echo) o->workers = o->threads = 0;
	if (o->threads) o->workers = 0;
}

/* Descriptors for all clients, or no start: half of a run is no run. */
static int descriptors(void)
{
	struct rlimit l;
	rlim_t need = options.clients + 32;
	if (getrlimit(RLIMIT_NOFILE, &l)) return 0;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
	if (l.rlim_max >= need) return 0;
	say("%d clients need %lu open files, the limit is %lu (ulimit -n %lu)", options.clients,
		(unsigned long)need, (unsigned long)l.rlim_max, (unsigned long)need);
	return -1;
}

static void on_term(int sig)
{
	(void)sig;
	loop_stop();
}

static void signals(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGTERM, on_term);
	signal(SIGINT, on_term);
}

static int run(void)
{
	int port = options.port, listener = listen_on(&port);
	if (listener < 0) return 1;
	signals();
	if (!options.echo && store_open()) return 1;
	if (replica_connect()) return 1;
	if (work_start(options.workers) || snapshot_start()) return 1;
	printf("port: %d\n", port);
	fflush(stdout);
	int err = loop_run(listener);
	work_stop();
	snapshot_stop();
	replica_close();
	if (!options.echo) store_close();
	commit_free();
	map_free();
	stage_free();
	close(listener);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (options.replay) return replay();
	if (descriptors()) return 1;
	return run();
}
