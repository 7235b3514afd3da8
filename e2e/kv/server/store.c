/* The directory: the newest snapshot, and the logs from its generation on. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "server.h"

struct log store_log = { .fd = -1 };
static int dir = -1;

int store_dir(void)
{
	return dir;
}

static int trouble(const char *doing, const char *name, int err)
{
	if (err > 0) say("%s %s%s%s: %s", doing, options.dir, *name ? "/" : "", name, reason(err));
	return -1;
}

struct found {
	uint64_t first, last, snapshot;
	int logs, snapshots;
};

/* Generations of the files that are there. */
static int look(struct found *f)
{
	struct dirent *e;
	unsigned long long g;
	char end;
	*f = (struct found){ .first = -1ULL };
	int fd = dup(dir);
	DIR *d = fd < 0 ? 0 : fdopendir(fd);
	if (!d) return errno;
	rewinddir(d);
	while ((e = readdir(d))) {
		if (sscanf(e->d_name, "log.%llu%c", &g, &end) == 1) {
			f->logs++;
			if (g < f->first) f->first = g;
			if (g > f->last) f->last = g;
		} else if (sscanf(e->d_name, "snapshot.%llu%c", &g, &end) == 1) {
			f->snapshots++;
			if (g > f->snapshot) f->snapshot = g;
		}
	}
	closedir(d);
	return 0;
}

/* A snapshot has its name only when it is complete. */
static int read_snapshot(uint64_t generation)
{
	struct log s;
	enum verdict v;
	int err = log_open(&s, dir, 's', generation);
	if (err) return trouble("open", s.name, err);
	err = log_read(&s, map_replay, &v);
	close(s.fd);
	if (err) return trouble("read", s.name, err);
	if (v == LOG_END) return 0;
	say("%s/%s: record %llu at byte %llu is corrupt", options.dir, s.name,
		(unsigned long long)s.record, (unsigned long long)s.at);
	return -1;
}

/* A torn record is the end of the last log; anywhere else something is lost. */
static int judge(struct log *l, enum verdict v, int last)
{
	if (v == LOG_END) return 0;
	int torn = v == LOG_TORN && last;
	say("%s/%s: record %llu at byte %llu is %s", options.dir, l->name, (unsigned long long)l->record,
		(unsigned long long)l->at, torn ? "torn: the log ends before it" : "corrupt, and whole ones follow");
	if (!torn) return -1;
	if (options.replay) return 0;
	if (ftruncate(l->fd, l->at)) return trouble("cut off", l->name, errno);
	int err = log_sync(l);
	return err ? trouble("sync", l->name, err) : 0;
}

static int read_logs(const struct found *f)
{
	uint64_t g = f->snapshots ? f->snapshot : f->first, entries = 0, record = 0;
	for (uint64_t first = g; g <= f->last; g++) {
		enum verdict v;
		if (store_log.fd >= 0) close(store_log.fd);
		int err = log_open(&store_log, dir, 'l', g);
		if (err) return trouble("open", store_log.name, err);
		if (g > first && store_log.record != record) {
			say("%s/%s begins with record %llu, the one before ended before %llu", options.dir, store_log.name,
				(unsigned long long)store_log.record, (unsigned long long)record);
			return -1;
		}
		err = log_read(&store_log, map_replay, &v);
		if (err) return trouble("read", store_log.name, err);
		if (judge(&store_log, v, g == f->last)) return -1;
		entries += store_log.entries;
		record = store_log.record;
	}
	store_log.entries = entries;
	return 0;
}

static int load(void)
{
	struct found f;
	int err = look(&f);
	if (err) return trouble("read", "", err);
	if (!f.logs && options.replay) {
		say("%s: no log there", options.dir);
		return -1;
	}
	if (!f.logs) {
		err = log_create(&store_log, dir, 'l', 0, 0);
		return err ? trouble("create", store_log.name, err) : 0;
	}
	if (!f.snapshots && f.first > 0) {
		say("%s: neither the snapshot nor the logs before log.%llu are there", options.dir, (unsigned long long)f.first);
		return -1;
	}
	if (f.snapshots && read_snapshot(f.snapshot)) return -1;
	return read_logs(&f);
}

int store_open(void)
{
	dir = open(options.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) return trouble("open", "", errno);
	if (!options.replay && flock(dir, LOCK_EX | LOCK_NB)) {
		say("%s: another node uses it (each needs a directory of its own)", options.dir);
		return -1;
	}
	return load();
}

/* The next generation's log, for a snapshot of what is in those before. */
int store_rotate(void)
{
	struct log next;
	int err = log_create(&next, dir, 'l', store_log.generation + 1, store_log.record);
	if (err) return err;
	close(store_log.fd);
	store_log = next;
	return 0;
}

void store_close(void)
{
	if (store_log.fd >= 0) close(store_log.fd);
	if (dir >= 0) close(dir);
}
