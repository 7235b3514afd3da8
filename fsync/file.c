#include "file.h"

enum { PAGE = 4096, SLOTS = 1024 };

static size_t fsync_pages(size_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* The state, a block for each writer, and one to read into, each on a page: O_DIRECT asks for it. */
static size_t fsync_bytes(int writers, size_t size)
{
	return fsync_pages(sizeof(struct files) + writers * sizeof(struct writer)) + (writers + 1) * fsync_pages(size);
}

/* What the ops write and what file=data holds before: other bytes, or a disk might see that nothing changed. */
enum { WRITTEN = 1, PREPARED = 2 };

/* Random, or a file system that compresses would have less to write. */
static void fsync_fill(struct writer *w, uint64_t seed)
{
	for (size_t i = 0; i < w->size / sizeof seed; i++) w->block[i] = gang_random(&seed);
}

static int fsync_flags(const char *row)
{
	if (gang_is(row, "by", "dsync")) return O_DSYNC;
	if (gang_is(row, "by", "direct")) return O_DIRECT | O_DSYNC;
	return 0;
}

/* Writes a writer's slots and syncs: the first op finds nothing left over from the set-up. */
static int fsync_prepare(struct writer *w)
{
	for (size_t i = 0; i < w->slots; i++) {
		long r = gang_syscall(SYS_PWRITE64, w->fd, (long)w->block, w->size, (w->first + i) * w->size, 0, 0);
		if (r != w->size) return r < 0 ? -r : FSYNC_ENOSPC;
	}
	return -gang_syscall(SYS_FSYNC, w->fd, 0, 0, 0, 0, 0);
}

static int fsync_seat(struct files *f, int t, const char *row)
{
	struct writer *w = &f->writer[t];
	w->fd = w->to = -1;
	w->size = f->size;
	w->id = (uint64_t)t << 48;
	w->slots = gang_is(row, "file", "append") ? 0 : SLOTS / f->writers;
	w->first = f->one ? t * w->slots : 0;
	w->block = (uint64_t *)((char *)f->back + (t + 1) * fsync_pages(f->size));
	int err = 0;
	if (f->one && t) {
		w->fd = f->writer[0].fd;
		w->to = f->writer[0].to;
	} else {
		err = fsync_create(w, f->dir, fsync_flags(row));
	}
	if (f->data) fsync_fill(w, PREPARED);
	if (!err) err = fsync_prepare(w);
	fsync_fill(w, WRITTEN);
	return err;
}

int fsync_file_new(const struct shape *s, void **state)
{
	size_t size = gang_num(s->row, "size", 0);
	struct files *f = gang_map(fsync_bytes(s->threads, size));
	if (!f) return GANG_ENOMEM;
	f->size = size;
	f->one = !gang_is(s->row, "files", "own");
	f->data = gang_is(s->row, "file", "data");
	f->back = (uint64_t *)((char *)f + fsync_pages(sizeof *f + s->threads * sizeof f->writer[0]));
	f->dir = gang_syscall(SYS_OPENAT, AT_FDCWD, (long)s->dir, O_PATH | O_CLOEXEC, 0, 0, 0);
	int err = f->dir < 0 ? -f->dir : 0;
	f->writers = s->threads;
	for (int t = 0; t < s->threads; t++)
		if (!err) err = fsync_seat(f, t, s->row);
	*state = f;
	if (err) fsync_file_free(f);
	return err;
}

/* Reads a block: the stamp that it bears, or ~0 if it is no block that the writer wrote. */
static uint64_t fsync_read(struct files *f, struct writer *w, size_t block)
{
	long r = gang_syscall(SYS_PREAD64, w->fd, (long)f->back, f->size, block * f->size, 0, 0);
	size_t last = f->size / sizeof *f->back - 1;
	if (r != f->size || f->back[last] != ~f->back[0]) return ~0;
	for (size_t i = 1; i < last; i++)
		if (f->back[i] != w->block[i]) return ~0;
	return f->back[0];
}

/* Whether a block is as the set-up left it. */
static int fsync_untouched(struct files *f, struct writer *w, size_t block)
{
	uint64_t seed = PREPARED;
	long r = gang_syscall(SYS_PREAD64, w->fd, (long)f->back, f->size, block * f->size, 0, 0);
	for (size_t i = 0; i < f->size / sizeof seed; i++)
		if (f->back[i] != (f->data ? gang_random(&seed) : 0)) return 0;
	return r == f->size;
}

/* Each slot bears the last op that wrote it; those after the last of few ops bear none. */
static int fsync_slots(struct files *f, struct writer *w, unsigned long n)
{
	size_t written = n < w->slots ? n : w->slots;
	for (size_t b = 0; b < written; b++)
		if (fsync_read(f, w, w->first + b) != (w->id | (n - 1 - (n - 1 - b) % w->slots))) return GANG_EWRONG;
	for (size_t b = written; b < w->slots; b++)
		if (!fsync_untouched(f, w, w->first + b)) return GANG_EWRONG;
	return 0;
}

/* Of the blocks of a file each writer's are there in their order: done counts them again. */
static int fsync_check_appended(struct files *f, struct writer *w, unsigned long blocks)
{
	for (unsigned long b = 0; b < blocks; b++) {
		uint64_t stamp = fsync_read(f, w, b), writer = stamp >> 48;
		if (writer >= f->writers) return GANG_EWRONG;
		struct writer *by = &f->writer[writer];
		if (by->fd != w->fd || stamp != (by->id | by->done++)) return GANG_EWRONG;
	}
	return 0;
}

static unsigned long fsync_share(struct files *f, int t, unsigned long n)
{
	return n / f->writers + (t < n % f->writers);
}

static int fsync_check_writer(struct files *f, int t, unsigned long n)
{
	struct writer *w = &f->writer[t];
	unsigned long share = fsync_share(f, t, n);
	unsigned long blocks = w->slots ? f->one ? w->slots * f->writers : w->slots : f->one ? n : share;
	if (gang_syscall(SYS_LSEEK, w->fd, 0, SEEK_END, 0, 0, 0) != blocks * f->size) return GANG_EWRONG;
	if (w->slots) return fsync_slots(f, w, share);
	return f->one && t ? 0 : fsync_check_appended(f, w, blocks);
}

int fsync_check_slots(struct files *f, struct writer *w, unsigned long n)
{
	return fsync_slots(f, w, n);
}

int fsync_file_check(void *state, unsigned long n, uint64_t *digest)
{
	struct files *f = state;
	int err = 0;
	*digest = gang_digest(gang_digest(GANG_DIGEST, f->size), n);
	for (int t = 0; t < f->writers; t++) {
		*digest = gang_digest(*digest, f->writer[t].done);
		if (f->writer[t].done != fsync_share(f, t, n)) err = GANG_EWRONG;
		f->writer[t].done = 0;
	}
	for (int t = 0; t < f->writers && !err; t++) err = fsync_check_writer(f, t, n);
	return err;
}

void fsync_file_free(void *state)
{
	struct files *f = state;
	for (int t = 0; t < (f->one ? 1 : f->writers); t++)
		if (f->writer[t].block) fsync_close(&f->writer[t], f->dir);
	gang_syscall(SYS_CLOSE, f->dir, 0, 0, 0, 0, 0);
	gang_unmap(f, fsync_bytes(f->writers, f->size));
}
