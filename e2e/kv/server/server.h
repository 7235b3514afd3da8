/*
 * A node of the key-value store.  A request passes the stages queue, map,
 * append, wait, sync, replicate and wake; serve.c says in which order.
 */
#ifndef KV_SERVER_H
#define KV_SERVER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "../wire/wire.h"

struct options {
	const char *dir, *acked;
	int port, peers[WIRE_NODES - 1], npeers;
	int workers;	/* 0: requests are served on the thread that reads them */
	int threads;	/* a thread a client instead */
	int group;	/* one sync for all requests that wait for one */
	int64_t wait_ns;
	int clients;
	uint64_t snapshot;	/* every so many upserts; 0 never */
	int follow, echo, nosync, replay;
};
extern struct options options;

/* main.c */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *reason(int err);
void *grow(void *p, size_t *cap, size_t need, size_t elem);
int start_thread(pthread_t *, void *(*)(void *), void *);

/* conn.c: a client's connection.  The loop and each request in flight hold it. */
struct conn {
	struct conn *next, *prev;
	int fd, refs, epoll;
	pthread_t thread;
	pthread_mutex_t lock;	/* of what follows, and of sending */
	char *out;
	size_t out_at, out_len, out_cap;
	int dead, finished;
	/* The reader's own. */
	char *in;
	size_t in_at, in_len, in_cap;
	int leader;	/* sends records */
};

struct request {
	struct request *next;
	struct conn *conn;
	int64_t at[ATS];
	uint64_t version;
	uint32_t id, value;
	uint16_t key;
	uint8_t op;
	int done;
	const char *error;
	char bytes[];	/* the key, the value */
};

struct conn *conn_new(int fd, int epoll);
void conn_drop(struct conn *);
void conn_kill(struct conn *);
/* Bytes read, 0 at the end, -1 if there are none yet. */
long conn_read(struct conn *);
/* The next request in what was read: 0 if it is not complete, -1 if it is none, which was told to the client. */
int conn_next(struct conn *, struct request **, int64_t read);
void conn_flush(struct conn *);
/* Answers and frees the request. */
void conn_answer(struct request *, int status, const void *value, size_t size);
void conn_refuse(struct request *, const char *why);

/* loop.c */
int listen_on(int *port);
int loop_run(int listener);
void loop_stop(void);

/* work.c: threads between reading and serving. */
int work_start(int n);
void work_push(struct request *);
void work_stop(void);

/* serve.c */
void serve(struct request *);
/* Around all requests that one wait brought. */
void serve_round_begins(void);
void serve_round_ends(void);

/* map.c: ordered, under one lock.  0 or ENOMEM. */
int map_put(const char *key, size_t key_len, const char *value, size_t len, uint64_t *version);
/* Puts unless a later version is there. */
int map_replay(const char *key, size_t key_len, const char *value, size_t len, uint64_t version);
/* A copy for the caller to free; 0 and *err 0 if there is no such key. */
char *map_get(const char *key, size_t key_len, size_t *len, uint64_t *version, int *err);
uint64_t map_size(void);
/*
 * Appends entries to the buffer, from the first key after *after on, until
 * some 256 KiB are in it; the last one's key goes to *after.  How many, or -1.
 */
struct buffer;
long map_walk(struct buffer *, struct buffer *after);
void map_free(void);

/* log.c */
enum { BLOCK = 4096 };
struct buffer {
	char *p;
	size_t len, cap;
};
struct entry {
	uint64_t version;
	uint32_t value;
	uint16_t key, zero;
};
int buffer_add(struct buffer *, const void *, size_t);
/* A record begins with room for its head. */
int record_begin(struct buffer *);
int record_entry(struct buffer *, const char *key, size_t key_len, const char *value, size_t len, uint64_t version);

struct log {
	int fd;
	char kind;	/* 'l' a log, 's' a snapshot */
	uint64_t generation, at, record;	/* of the next record */
	uint64_t entries;
	char name[32];
};
enum verdict { LOG_END, LOG_TORN, LOG_CORRUPT, LOG_OTHER };
int log_create(struct log *, int dir, char kind, uint64_t generation, uint64_t record);
int log_open(struct log *, int dir, char kind, uint64_t generation);
/* Completes the record and writes it; 0 or errno, the file then ends as before. */
int log_append(struct log *, struct buffer *, uint32_t entries);
/* Makes a leader's record one of this log, and writes it. */
int log_adopt(struct log *, struct buffer *);
int log_sync(struct log *);
/* Calls f for each entry of each record that is whole.  0 or errno; how the log ends is *verdict. */
int log_read(struct log *, int (*f)(const char *, size_t, const char *, size_t, uint64_t), enum verdict *);
/* A record from another node: the entries in it, or -1. */
long record_check(const struct log *, const char *p, size_t size);
int record_each(const char *p, int (*f)(const char *, size_t, const char *, size_t, uint64_t));
void log_name(char *name, size_t size, char kind, uint64_t generation);

/* store.c: the directory with log and snapshots. */
extern struct log store_log;
int store_open(void);
int store_rotate(void);
void store_close(void);
int store_dir(void);

/* commit.c */
int commit_append(struct request *);
void commit_lead(void);
void commit_wait(struct request *);
/* Why nothing is written any more, or 0. */
const char *commit_failed(void);
/* On a follower: 0, or what is wrong with the record. */
const char *commit_record(char *p, size_t size, int64_t at[ATS]);
int commit_fill(const struct wire_fill *);
void commit_free(void);

/* replica.c */
int replica_connect(void);
/* 0, or why too few nodes are left. */
const char *replica_send(const struct buffer *, uint64_t record);
uint64_t replica_nodes(void);
void replica_close(void);

/* snapshot.c */
int snapshot_start(void);
/* Called between two batches. */
void snapshot_due(uint64_t upserts);
uint64_t snapshot_count(void);
void snapshot_stop(void);

/* stage.c */
void stage_sync(int64_t start, int64_t end, uint64_t batch);
void stage_request(void);
void stage_serial(int64_t ns);
void stage_mark(void);
void stage_stats(struct buffer *);
void stage_free(void);

/* replay.c */
int replay(void);

#endif
