/*
 * What the client and the nodes say to each other, in the byte order of the
 * machine: both ends are on it.  A request is its head, the key, the value;
 * an answer its head and the value.
 */
#ifndef KV_WIRE_H
#define KV_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum {
	WIRE_REQUEST	= 0x3171766b,	/* "kvq1" */
	WIRE_ANSWER	= 0x3161766b,	/* "kva1" */
	WIRE_KEY_MAX	= 1024,
	WIRE_VALUE_MAX	= 64 << 10,
	WIRE_RECORD_MAX	= 256 << 20,	/* between nodes */
	WIRE_NODES	= 3,
};

enum op {
	OP_GET = 1,
	OP_UPSERT,
	OP_FILL,	/* a struct wire_fill: keys to begin with */
	OP_MARK,	/* forget what was counted so far */
	OP_STATS,	/* answered with a struct wire_stats and its syncs */
	OP_STOP,
	OP_FOLLOW,	/* a struct wire_follow: what comes next are records */
	OP_RECORD,
};

enum status { STATUS_OK, STATUS_NONE, STATUS_ERROR };

struct wire_request {
	uint32_t magic;
	uint8_t op, zero;
	uint16_t key;	/* bytes */
	uint32_t value;
	uint32_t id;	/* comes back in the answer */
};

/*
 * When a request left each stage, on CLOCK_MONOTONIC, which is the same for
 * both ends: the client adds the time on the way to AT_READ and from AT_REPLY.
 */
enum {
	AT_READ,	/* all of it was read */
	AT_TAKEN,	/* out of the queue */
	AT_MAPPED,
	AT_APPENDED,
	AT_SYNC,	/* its batch's write begins */
	AT_SYNCED,
	AT_REPLICATED,
	AT_REPLY,	/* the answer is sent */
	ATS
};

struct wire_answer {
	uint32_t magic;
	uint8_t status, zero[3];
	uint32_t value;
	uint32_t id;
	uint64_t version;	/* of the key's value, as the server orders them */
	int64_t at[ATS];
};

struct wire_fill {
	uint64_t keys;
	uint64_t value;	/* bytes of each */
};

struct wire_follow {
	uint64_t node;
	uint64_t record;	/* the number of the first record to come */
};

struct wire_sync {
	int64_t start, end;
	uint64_t batch;	/* requests in it */
};

struct wire_stats {
	int64_t cpu_ns, minflt, nvcsw, nivcsw;
	uint64_t requests;
	uint64_t serial_ns;	/* in the part that one request at a time is in */
	uint64_t serial;	/* requests that were in it */
	uint64_t syncs;
	uint64_t synced;	/* requests in them */
	uint64_t nodes;	/* that take records, itself among them */
	uint64_t snapshots;
	uint64_t kept;	/* so many of the newest syncs follow */
};

/* The text of key number k, WIRE_KEY bytes. */
enum { WIRE_KEY = 35 };
void wire_key(char *to, uint64_t k);

/* The value of op: any two differ, and one that is torn or mixed is seen. */
void wire_value(char *to, size_t size, uint64_t op);
/* The op whose value this is, or -1. */
int64_t wire_value_op(const char *value, size_t size);

/* Values that OP_FILL makes are those of ops from here on. */
#define WIRE_FILLED (1ULL << 62)

uint64_t wire_mix(uint64_t);

/* A checksum in which no change of one aligned word goes unseen. */
uint64_t wire_sum(const void *p, size_t size, uint64_t seed);

int64_t wire_now(void);

#endif
