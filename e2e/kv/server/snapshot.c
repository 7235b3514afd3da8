/*
 * Every so many upserts the log goes on in a file of the next generation, and
 * a thread of its own writes the map as a snapshot of that generation, which
 * makes the older files needless.  It takes the map's lock for a part at a
 * time, so newer values get in as well; replaying the log over them changes
 * nothing, because of two values the later version stays.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t due;
	pthread_t thread;
	int started, wanted, stop;
	uint64_t generation, upserts, count;
} snap = { .lock = PTHREAD_MUTEX_INITIALIZER, .due = PTHREAD_COND_INITIALIZER };

uint64_t snapshot_count(void)
{
	return __atomic_load_n(&snap.count, __ATOMIC_RELAXED);
}

static int write_map(struct log *l)
{
	struct buffer b = { 0 }, after = { 0 };
	long n;
	int err = 0;
	do {
		b.len = 0;
		n = map_walk(&b, &after);
		if (n < 0) err = ENOMEM;
		if (n > 0) err = log_append(l, &b, n);
	} while (n > 0 && !err);
	free(b.p);
	free(after.p);
	return err ? err : log_sync(l);
}

/* Only now the older ones may go. */
static void remove_before(uint64_t generation)
{
	char name[32];
	while (generation--) {
		int gone = 0;
		log_name(name, sizeof name, 'l', generation);
		gone |= unlinkat(store_dir(), name, 0);
		log_name(name, sizeof name, 's', generation);
		gone &= unlinkat(store_dir(), name, 0);
		if (gone) return;
	}
}

static void take(uint64_t generation)
{
	struct log l;
	int dir = store_dir();
	int err = log_create(&l, dir, 's', generation, 0);
	if (!err) {
		err = write_map(&l);
		close(l.fd);
		if (!err && renameat(dir, "new-snapshot", dir, l.name)) err = errno;
		if (!err && !options.nosync && fsync(dir)) err = errno;
	}
	if (err) {
		/* The older files still hold all of it. */
		say("write %s/%s: %s", options.dir, l.name, reason(err));
		unlinkat(dir, "new-snapshot", 0);
		return;
	}
	remove_before(generation);
	__atomic_add_fetch(&snap.count, 1, __ATOMIC_RELAXED);
}

static void *run(void *arg)
{
	pthread_mutex_lock(&snap.lock);
	for (;;) {
		while (!snap.wanted && !snap.stop) pthread_cond_wait(&snap.due, &snap.lock);
		if (!snap.wanted) break;
		uint64_t generation = snap.generation;
		pthread_mutex_unlock(&snap.lock);
		take(generation);
		pthread_mutex_lock(&snap.lock);
		snap.wanted = 0;
	}
	pthread_mutex_unlock(&snap.lock);
	return arg;
}

int snapshot_start(void)
{
	if (!options.snapshot || options.echo) return 0;
	int err = start_thread(&snap.thread, run, 0);
	if (err) say("start the snapshots: %s", reason(err));
	snap.started = !err;
	return err;
}

void snapshot_due(uint64_t upserts)
{
	if (!snap.started || (snap.upserts += upserts) < options.snapshot) return;
	pthread_mutex_lock(&snap.lock);
	if (!snap.wanted) {
		int err = store_rotate();
		if (err) say("begin the next log: %s (going on with this one)", reason(err));
		else snap.wanted = 1;
		snap.generation = store_log.generation;
		snap.upserts = 0;
	}
	pthread_cond_signal(&snap.due);
	pthread_mutex_unlock(&snap.lock);
}

void snapshot_stop(void)
{
	if (!snap.started) return;
	pthread_mutex_lock(&snap.lock);
	snap.stop = 1;
	pthread_cond_signal(&snap.due);
	pthread_mutex_unlock(&snap.lock);
	pthread_join(snap.thread, 0);
}
