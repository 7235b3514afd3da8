/*
 * Files of records.  A file begins with a block that says what it is; each
 * record begins on a block and ends before one, and its checksum is over all
 * of it, with the file's generation and its own number: a block of another
 * file, or of another place, is none of this one's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server.h"

enum { VERSION = 1 };

#define FILE_MAGIC 0x6c2d766b2d74736fULL	/* "ost-kv-l" */
#define RECORD_MAGIC 0x64726f6365722d6bULL	/* "k-record" */

struct head {
	uint64_t magic, version, kind, generation, record, sum;
};

struct record {
	uint64_t magic, number, generation;
	uint64_t size;	/* of all of it, whole blocks */
	uint64_t bytes;	/* of entries */
	uint64_t entries, zero, sum;
};

int buffer_add(struct buffer *b, const void *p, size_t n)
{
	char *q = grow(b->p, &b->cap, b->len + n, 1);
	if (!q) return ENOMEM;
	b->p = q;
	if (n) memcpy(b->p + b->len, p, n);
	b->len += n;
	return 0;
}

int record_begin(struct buffer *b)
{
	struct record r = { 0 };
	b->len = 0;
	return buffer_add(b, &r, sizeof r);
}

int record_entry(struct buffer *b, const char *key, size_t key_len, const char *value, size_t len, uint64_t version)
{
	struct entry e = { version, len, key_len, 0 };
	size_t was = b->len;
	int err = b->len ? 0 : record_begin(b);
	if (!err) err = buffer_add(b, &e, sizeof e);
	if (!err) err = buffer_add(b, key, key_len);
	if (!err) err = buffer_add(b, value, len);
	if (err) b->len = was;
	return err;
}

void log_name(char *name, size_t size, char kind, uint64_t generation)
{
	snprintf(name, size, "%s.%llu", kind == 'l' ? "log" : "snapshot", (unsigned long long)generation);
}

static uint64_t file_sum(struct head h)
{
	h.sum = 0;
	return wire_sum(&h, sizeof h, FILE_MAGIC);
}

static int write_all(int fd, const char *p, size_t n, uint64_t at)
{
	while (n) {
		ssize_t w = pwrite(fd, p, n, at);
		if (w < 0 && errno == EINTR) continue;
		if (w < 0) return errno;
		p += w;
		n -= w;
		at += w;
	}
	return 0;
}

int log_create(struct log *l, int dir, char kind, uint64_t generation, uint64_t record)
{
	char block[BLOCK] = { 0 };
	struct head h = { FILE_MAGIC, VERSION, kind, generation, record, 0 };
	*l = (struct log){ .kind = kind, .generation = generation, .at = BLOCK, .record = record };
	log_name(l->name, sizeof l->name, kind, generation);
	h.sum = file_sum(h);
	memcpy(block, &h, sizeof h);
	/* By another name until its first block is safe: no file is found half made. */
	const char *new = kind == 'l' ? "new-log" : "new-snapshot";
	l->fd = openat(dir, new, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (l->fd < 0) return errno;
	int err = write_all(l->fd, block, sizeof block, 0);
	if (!err) err = log_sync(l);
	if (!err && kind == 'l' && renameat(dir, new, dir, l->name)) err = errno;
	if (!err && !options.nosync && fsync(dir)) err = errno;
	if (err) {
		unlinkat(dir, new, 0);
		close(l->fd);
		l->fd = -1;
	}
	return err;
}

/* 0, errno, or -1 after it told what is wrong. */
int log_open(struct log *l, int dir, char kind, uint64_t generation)
{
	struct head h;
	*l = (struct log){ .kind = kind, .generation = generation, .at = BLOCK };
	log_name(l->name, sizeof l->name, kind, generation);
	l->fd = openat(dir, l->name, (options.replay ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (l->fd < 0) return errno;
	ssize_t n = pread(l->fd, &h, sizeof h, 0);
	if (n != sizeof h || h.magic != FILE_MAGIC)
		say("%s/%s: not a log of this program", options.dir, l->name);
	else if (h.version != VERSION)
		say("%s/%s: a log of version %llu, this program reads %d (start with an empty directory)",
			options.dir, l->name, (unsigned long long)h.version, VERSION);
	else if (h.sum != file_sum(h) || h.kind != (uint64_t)kind || h.generation != generation)
		say("%s/%s: its first block is corrupt", options.dir, l->name);
	else {
		l->record = h.record;
		return 0;
	}
	close(l->fd);
	l->fd = -1;
	return -1;
}

static uint64_t record_sum(const char *p, size_t size)
{
	struct record r;
	memcpy(&r, p, sizeof r);
	r.sum = 0;
	uint64_t sum = wire_sum(&r, sizeof r, RECORD_MAGIC);
	return wire_sum(p + sizeof r, size - sizeof r, sum);
}

static int record_complete(const struct log *l, struct buffer *b, uint32_t entries)
{
	static const char zero[BLOCK];
	size_t bytes = b->len - sizeof(struct record), pad = -b->len & (BLOCK - 1);
	struct record r = { RECORD_MAGIC, l->record, l->generation, b->len + pad, bytes, entries, 0, 0 };
	int err = buffer_add(b, zero, pad);
	if (err) return err;
	memcpy(b->p, &r, sizeof r);
	r.sum = record_sum(b->p, b->len);
	memcpy(b->p, &r, sizeof r);
	return 0;
}

static int append(struct log *l, const struct buffer *b)
{
	int err = write_all(l->fd, b->p, b->len, l->at);
	if (err) {
		/* Half a record would be the end of the log for what comes after it. */
		if (ftruncate(l->fd, l->at)) say("%s: cut off half a record: %s", l->name, reason(errno));
		return err;
	}
	l->at += b->len;
	l->record++;
	return 0;
}

int log_append(struct log *l, struct buffer *b, uint32_t entries)
{
	int err = record_complete(l, b, entries);
	if (!err) err = append(l, b);
	if (!err) l->entries += entries;
	return err;
}

/* Nodes begin the next file when their own snapshot is done: its generation is not the leader's. */
int log_adopt(struct log *l, struct buffer *b)
{
	struct record r;
	memcpy(&r, b->p, sizeof r);
	r.generation = l->generation;
	memcpy(b->p, &r, sizeof r);
	r.sum = record_sum(b->p, b->len);
	memcpy(b->p, &r, sizeof r);
	return append(l, b);
}

int log_sync(struct log *l)
{
	return !options.nosync && fdatasync(l->fd) ? errno : 0;
}

static int sane(const struct record *r, uint64_t left)
{
	return r->magic == RECORD_MAGIC && r->size >= BLOCK && r->size % BLOCK == 0 && r->size <= left
		&& r->bytes <= r->size - sizeof *r && r->size - sizeof *r - r->bytes < BLOCK;
}

/* Entries fill their record to the last byte. */
int record_each(const char *p, int (*f)(const char *, size_t, const char *, size_t, uint64_t))
{
	struct record r;
	struct entry e;
	memcpy(&r, p, sizeof r);
	p += sizeof r;
	for (const char *end = p + r.bytes; p < end; p += e.key + e.value) {
		if ((size_t)(end - p) < sizeof e) return EBADMSG;
		memcpy(&e, p, sizeof e);
		p += sizeof e;
		if ((size_t)(end - p) < (size_t)e.key + e.value) return EBADMSG;
		int err = f ? f(p, e.key, p + e.key, e.value, e.version) : 0;
		if (err) return err;
	}
	return 0;
}

long record_check(const struct log *l, const char *p, size_t size)
{
	struct record r;
	if (size < sizeof r) return -1;
	memcpy(&r, p, sizeof r);
	if (!sane(&r, size) || r.size != size || r.number != l->record || r.sum != record_sum(p, size)) return -1;
	return record_each(p, 0) ? -1 : (long)r.entries;
}

/* The record at an offset, 0 if there is none that is whole. */
static char *record_load(struct log *l, uint64_t at, uint64_t end, struct record *r)
{
	if (end - at < sizeof *r || pread(l->fd, r, sizeof *r, at) != sizeof *r) return 0;
	if (!sane(r, end - at) || r->generation != l->generation) return 0;
	char *p = malloc(r->size);
	if (p && pread(l->fd, p, r->size, at) == (ssize_t)r->size && r->sum == record_sum(p, r->size)) return p;
	free(p);
	return 0;
}

/* Is a later record whole?  Then the one before was not torn by the end of a run. */
static int more(struct log *l, uint64_t at, uint64_t end)
{
	struct record r;
	for (at += BLOCK; at < end; at += BLOCK) {
		char *p = record_load(l, at, end, &r);
		free(p);
		if (p && r.number > l->record) return 1;
	}
	return 0;
}

int log_read(struct log *l, int (*f)(const char *, size_t, const char *, size_t, uint64_t), enum verdict *v)
{
	struct stat st;
	struct record r;
	int err = fstat(l->fd, &st) ? errno : 0;
	uint64_t end = st.st_size;
	while (!err && l->at < end) {
		char *p = record_load(l, l->at, end, &r);
		if (!p || r.number != l->record) {
			free(p);
			*v = more(l, l->at, end) ? LOG_CORRUPT : LOG_TORN;
			return 0;
		}
		err = record_each(p, f);
		free(p);
		l->at += r.size;
		l->record++;
		l->entries += r.entries;
	}
	*v = LOG_END;
	return err;
}
