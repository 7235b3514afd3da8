#ifndef LIBCOST_FSYNC_FILE_H
#define LIBCOST_FSYNC_FILE_H

#include "shim.h"
#include "system.h"

/* A thread, its file and the block that it writes. */
struct writer {
	int fd, to;			/* the file, and the same as by= says */
	char name[64];			/* empty once the file has none */
	size_t size, slots, first;	/* slots is 0 where the file grows */
	uint64_t id;			/* the writer's number << 48 */
	unsigned long done;
	uint64_t *block;
};

struct files {
	int dir, writers, one, data;	/* one: all write the first writer's file; data: it held data */
	size_t size;
	uint64_t *back;			/* what is read */
	struct writer writer[];
};

/* A block begins with its writer and the writer's op and ends with the complement. */
static inline void fsync_stamp(struct writer *w, uint64_t op)
{
	w->block[0] = w->id | op;
	w->block[w->size / sizeof *w->block - 1] = ~(w->id | op);
}

static inline long fsync_next_slot(const struct writer *w)
{
	return (w->first + w->done % w->slots) * w->size;
}

/* The errno of a write that returned r where it should have returned the size. */
static inline int fsync_short(long r)
{
	return r < 0 ? *__errno_location() : FSYNC_ENOSPC;
}

/* write(2) of the next block: 0 or an errno. */
static inline int fsync_append(struct writer *w)
{
	fsync_stamp(w, w->done++);
	long r = write(w->to, w->block, w->size);
	return r == w->size ? 0 : fsync_short(r);
}

/* pwrite(2) of the next slot: 0 or an errno. */
static inline int fsync_overwrite(struct writer *w)
{
	long at = fsync_next_slot(w);
	fsync_stamp(w, w->done++);
	long r = pwrite(w->to, w->block, w->size, at);
	return r == w->size ? 0 : fsync_short(r);
}

static inline struct writer *fsync_writer(void *state, int t)
{
	struct files *f = state;
	return &f->writer[t];
}

/* Makes a writer's file in the directory dir and opens it once more with flags: 0 or an errno. */
int fsync_create(struct writer *, int dir, int flags);
/* Closes it, and takes its name if it has one. */
void fsync_close(struct writer *, int dir);

/* Whether a writer's slots hold what n ops of it leave: 0 or EWRONG. */
int fsync_check_slots(struct files *, struct writer *, unsigned long n);

#endif
