/* The load: it starts the nodes, asks for a fixed amount of work, and tells where each request's time went. */
#ifndef KV_CLIENT_H
#define KV_CLIENT_H

#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>

#include "../../../internal/gang/histogram.h"
#include "../wire/wire.h"

enum { KEYS_INCREASING, KEYS_UNIFORM, KEYS_HOT };
enum { KILL_NONE, KILL_FOLLOWER, KILL_LEADER, KILL_ALL };
enum { ARGS_MAX = 32 };

struct config {
	const char *server, *dir, *acked, *json;
	const char *args[ARGS_MAX];	/* of the servers, as given */
	int nargs;
	int clients, threads, nodes, keep, filled, reads, order, kill, serial, echo;
	int64_t n, value, keys, rate, kill_after, kill_delay;
	cpu_set_t server_cpus, client_cpus;
	int pin_server, pin_client;
};
extern struct config config;

/* In the order in which a request passes them; together they are its latency. */
enum {
	STAGE_LATE,	/* open loop: intended, but no client was free */
	STAGE_ARRIVE,	/* sent, and not read */
	STAGE_QUEUE, STAGE_MAP, STAGE_APPEND, STAGE_WAIT, STAGE_SYNC, STAGE_REPLICATE, STAGE_WAKE,
	STAGE_REPLY,	/* sent back, and not received */
	STAGES
};
extern const char *const stage_names[STAGES];

enum { SLOWEST = 100 };

struct slow {
	int64_t op, latency, intended, stage[STAGES], at[ATS];
	int read;
};

struct tally {
	struct histogram latency, stage[STAGES];
	int64_t latency_ns, stage_ns[STAGES];
	struct slow slow[SLOWEST];
	int nslow;
	int64_t done, failed;
	uint64_t digest;
};

struct node {
	int pid, port, control, status;
	struct wire_stats stats;
	struct wire_sync *syncs;	/* stats.kept of them */
};

struct outcome {
	struct tally *all;
	struct node node[WIRE_NODES];
	int64_t ns, setup_ns, cpu_ns;
	int killed;
	int64_t acked;
};

_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *reserve(size_t size);

/* node.c */
void nodes_start(struct outcome *);
void nodes_mark(struct outcome *);
void nodes_stats(struct outcome *);
/* 0, or how many ended otherwise than they should have. */
int nodes_stop(struct outcome *);
void nodes_kill(struct outcome *, int who);
void nodes_clean(void);
int dial(int port);

/* load.c */
struct load;
struct load *load_new(struct outcome *);
void load_run(struct load *);
/* What was acknowledged, one line an upsert. */
void load_acked(struct load *, const char *file);
void load_free(struct load *);

/* slow.c */
void slow_add(struct tally *, const struct slow *);
void slow_sort(struct tally *);
/* The longest sync while the request could be held by one, or 0. */
const struct wire_sync *slow_sync(const struct slow *, const struct node *leader);
/* A time that few syncs exceed, and of the slowest how many were held by one of these. */
int slow_held(const struct outcome *, int64_t *longer, double *quantile);

/* report.c */
void report(const struct outcome *);
void report_json(const struct outcome *, const char *file);

#endif
