/*
 * Upserts wait in the batch that is filling.  Whoever finds nobody leading
 * leads: takes the batch, writes it as one record, syncs once, replicates,
 * and goes on while there is another.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>

#include "server.h"

struct batch {
	struct buffer record;
	struct request *first, **last;
	uint32_t n;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct batch filling, taken;
	int leading;
	const char *failed;
	char why[256];
} commit = { .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };

const char *commit_failed(void)
{
	return __atomic_load_n(&commit.failed, __ATOMIC_ACQUIRE);
}

/* For good: after a failed sync nobody knows what the disk holds, and a node alone has no majority. */
static void fail(const char *doing, const char *why)
{
	if (commit_failed()) return;
	snprintf(commit.why, sizeof commit.why, "%s: %s; nothing is acknowledged any more", doing, why);
	say("%s", commit.why);
	__atomic_store_n(&commit.failed, commit.why, __ATOMIC_RELEASE);
}

static void fail_at(const char *doing, int err)
{
	char what[300];
	snprintf(what, sizeof what, "%s %s/%s", doing, options.dir, store_log.name);
	fail(what, reason(err));
}

int commit_append(struct request *r)
{
	pthread_mutex_lock(&commit.lock);
	struct batch *b = &commit.filling;
	int err = record_entry(&b->record, r->bytes, r->key, r->bytes + r->key, r->value, r->version);
	if (!err) {
		if (!b->n++) b->last = &b->first;
		r->next = 0;
		*b->last = r;
		b->last = &r->next;
		r->at[AT_APPENDED] = wire_now();
	}
	pthread_mutex_unlock(&commit.lock);
	return err;
}

/* Writes and syncs; the times go to at. */
static int sync_record(struct buffer *record, uint32_t n, int64_t at[ATS])
{
	at[AT_SYNC] = wire_now();
	int err = log_append(&store_log, record, n);
	if (err) fail_at("write", err);
	else if ((err = log_sync(&store_log))) fail_at("sync", err);
	at[AT_SYNCED] = wire_now();
	return err;
}

static void commit_batch(struct batch *b)
{
	int64_t at[ATS] = { 0 };
	uint64_t number = store_log.record;
	const char *why = commit_failed();
	if (!why && !sync_record(&b->record, b->n, at)) {
		stage_sync(at[AT_SYNC], at[AT_SYNCED], b->n);
		if ((why = replica_send(&b->record, number))) fail("replicate", why);
		at[AT_REPLICATED] = wire_now();
		snapshot_due(b->n);
	}
	why = commit_failed();
	for (struct request *r = b->first; r; r = r->next) {
		r->error = why;
		memcpy(&r->at[AT_SYNC], &at[AT_SYNC], (AT_REPLY - AT_SYNC) * sizeof *at);
	}
}

/* A batch keeps a little memory, or one of large values would stay for ever. */
static void empty(struct batch *b)
{
	if (b->record.cap > 4 << 20) {
		free(b->record.p);
		b->record = (struct buffer){ 0 };
	}
	b->record.len = 0;
	b->first = 0;
	b->n = 0;
}

/* Called and left with the lock held. */
static struct batch *take(void)
{
	if (options.wait_ns && options.group) {
		struct timespec ts = { 0, options.wait_ns };
		if (options.wait_ns >= 1000000000) ts = (struct timespec){ 1, 0 };
		pthread_mutex_unlock(&commit.lock);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, 0);
		pthread_mutex_lock(&commit.lock);
	}
	struct batch b = commit.taken;
	commit.taken = commit.filling;
	commit.filling = b;
	pthread_mutex_unlock(&commit.lock);
	commit_batch(&commit.taken);
	pthread_mutex_lock(&commit.lock);
	return &commit.taken;
}

static void answer(struct request *r)
{
	for (struct request *next; r; r = next) {
		next = r->next;
		if (r->error) conn_refuse(r, r->error);
		else conn_answer(r, STATUS_OK, 0, 0);
	}
}

void commit_lead(void)
{
	pthread_mutex_lock(&commit.lock);
	if (!commit.leading) {
		commit.leading = 1;
		while (commit.filling.n) {
			struct batch *b = take();
			struct request *r = b->first;
			empty(b);
			pthread_mutex_unlock(&commit.lock);
			answer(r);
			pthread_mutex_lock(&commit.lock);
		}
		commit.leading = 0;
	}
	pthread_mutex_unlock(&commit.lock);
}

/* For threads that answer their own client: the leader of one batch makes room for the next. */
void commit_wait(struct request *r)
{
	pthread_mutex_lock(&commit.lock);
	while (!r->done) {
		if (commit.leading) {
			pthread_cond_wait(&commit.done, &commit.lock);
			continue;
		}
		commit.leading = 1;
		struct batch *b = take();
		for (struct request *each = b->first, *next; each; each = next) {
			next = each->next;
			each->done = 1;
		}
		empty(b);
		commit.leading = 0;
		pthread_cond_broadcast(&commit.done);
	}
	pthread_mutex_unlock(&commit.lock);
	r->next = 0;
	answer(r);
}

const char *commit_record(char *p, size_t size, int64_t at[ATS])
{
	struct buffer b = { p, size, size };
	long n = record_check(&store_log, p, size);
	if (commit_failed()) return commit_failed();
	if (n < 0) return "not the next record";
	at[AT_SYNC] = wire_now();
	int err = log_adopt(&store_log, &b);
	if (err) fail_at("write", err);
	else if ((err = log_sync(&store_log))) fail_at("sync", err);
	at[AT_SYNCED] = wire_now();
	if (err) return commit_failed();
	stage_sync(at[AT_SYNC], at[AT_SYNCED], n);
	if ((err = record_each(p, map_replay))) return reason(err);
	snapshot_due(n);
	return 0;
}

/* Keys to begin with, as records of some hundred entries. */
int commit_fill(const struct wire_fill *f)
{
	struct buffer record = { 0 };
	char key[WIRE_KEY], *value = malloc(f->value + !f->value);
	int err = value ? 0 : ENOMEM;
	for (uint64_t k = 0; k < f->keys && !err && !commit_failed(); ) {
		int64_t at[ATS];
		uint32_t n = 0;
		record.len = 0;
		for (; !err && k < f->keys && record.len < 256 << 10; k++, n++) {
			uint64_t version;
			wire_key(key, k);
			wire_value(value, f->value, WIRE_FILLED | k);
			err = map_put(key, sizeof key, value, f->value, &version);
			if (!err) err = record_entry(&record, key, sizeof key, value, f->value, version);
		}
		uint64_t number = store_log.record;
		const char *why = 0;
		if (!err && !sync_record(&record, n, at)) why = replica_send(&record, number);
		if (why) fail("replicate", why);
	}
	free(value);
	free(record.p);
	return err;
}

void commit_free(void)
{
	free(commit.filling.record.p);
	free(commit.taken.record.p);
}
