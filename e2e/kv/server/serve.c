/* One request on its way through the stages. */
#include <stdlib.h>
#include <string.h>

#include "server.h"

static pthread_mutex_t serial = PTHREAD_MUTEX_INITIALIZER;
static int64_t since;	/* when the thread that reads and serves was free */

static void get(struct request *r)
{
	size_t len;
	int err;
	char *value = map_get(r->bytes, r->key, &len, &r->version, &err);
	r->at[AT_MAPPED] = wire_now();
	if (value) conn_answer(r, STATUS_OK, value, len);
	else if (err) conn_refuse(r, reason(err));
	else conn_answer(r, STATUS_NONE, 0, 0);
	free(value);
}

/*
 * Other requests see the new value before it is in the log: only the answer
 * says that it will stay.
 */
static void upsert(struct request *r)
{
	int err = map_put(r->bytes, r->key, r->bytes + r->key, r->value, &r->version);
	r->at[AT_MAPPED] = wire_now();
	/* From here on it is the batch's, whose leader answers it. */
	if (!err) err = commit_append(r);
	if (err) {
		conn_refuse(r, reason(err));
		return;
	}
	if (options.threads) commit_wait(r);
	else if (options.workers || !options.group) commit_lead();
}

static void data(struct request *r)
{
	const char *failed = commit_failed();
	if (failed) conn_refuse(r, failed);
	else if (options.follow) conn_refuse(r, "this node follows (ask the leader)");
	else if (r->op == OP_GET) get(r);
	else upsert(r);
}

static void record(struct request *r)
{
	const char *why = commit_record(r->bytes + r->key, r->value, r->at);
	if (why) say("record of the leader: %s", why);
	if (why) conn_refuse(r, why);
	else conn_answer(r, STATUS_OK, 0, 0);
}

static void follow(struct request *r)
{
	struct wire_follow f;
	if (!options.follow) {
		conn_refuse(r, "this node does not follow (start it with -follow)");
		return;
	}
	memcpy(&f, r->bytes + r->key, sizeof f);
	if (f.record != store_log.record) {
		say("the leader's next record is %llu, here it is %llu (start all nodes with the same log, or none)",
			(unsigned long long)f.record, (unsigned long long)store_log.record);
		conn_refuse(r, "the follower's log ends elsewhere");
		return;
	}
	r->conn->leader = 1;
	conn_answer(r, STATUS_OK, 0, 0);
}

static void stats(struct request *r)
{
	struct buffer b = { 0 };
	stage_stats(&b);
	conn_answer(r, STATUS_OK, b.p, b.len);
	free(b.p);
}

static void fill(struct request *r)
{
	struct wire_fill f;
	const char *failed = commit_failed();
	if (options.echo) {
		conn_answer(r, STATUS_OK, 0, 0);
		return;
	}
	memcpy(&f, r->bytes + r->key, sizeof f);
	if (!failed && f.value > WIRE_VALUE_MAX) failed = "values too large";
	int err = failed ? 0 : commit_fill(&f);
	if (!failed) failed = commit_failed();
	if (failed) conn_refuse(r, failed);
	else if (err) conn_refuse(r, reason(err));
	else conn_answer(r, STATUS_OK, 0, 0);
}

static size_t operand(int op)
{
	return op == OP_FILL ? sizeof(struct wire_fill) : op == OP_FOLLOW ? sizeof(struct wire_follow) : 0;
}

static void control(struct request *r)
{
	if (r->value < operand(r->op)) {
		conn_refuse(r, "an operation without its operand");
		return;
	}
	switch (r->op) {
	case OP_FILL: fill(r); break;
	case OP_MARK: stage_mark(); conn_answer(r, STATUS_OK, 0, 0); break;
	case OP_STATS: stats(r); break;
	case OP_FOLLOW: follow(r); break;
	case OP_RECORD: record(r); break;
	case OP_STOP: conn_answer(r, STATUS_OK, 0, 0); loop_stop(); break;
	}
}

/* One at a time, with other threads before the door. */
static void in_turn(struct request *r)
{
	pthread_mutex_lock(&serial);
	int64_t start = r->at[AT_TAKEN] = wire_now();
	data(r);
	stage_serial(wire_now() - start);
	pthread_mutex_unlock(&serial);
}

/* One at a time, because there is but one thread: reading is part of it. */
static void alone(struct request *r)
{
	data(r);
	int64_t now = wire_now();
	stage_serial(now - since);
	since = now;
}

void serve(struct request *r)
{
	r->at[AT_TAKEN] = wire_now();
	if (r->op > OP_UPSERT) {
		control(r);
		return;
	}
	stage_request();
	if (options.echo) conn_answer(r, STATUS_OK, 0, 0);
	else if (options.group) data(r);
	else if (options.workers || options.threads) in_turn(r);
	else alone(r);
}

void serve_round_begins(void)
{
	if (!options.group) since = wire_now();
}

/* Without workers the requests of one round are the group. */
void serve_round_ends(void)
{
	if (options.group && !options.workers && !options.threads && !options.follow) commit_lead();
}
