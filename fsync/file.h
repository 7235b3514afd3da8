#ifndef LIBCOST_FSYNC_FILE_H
#define LIBCOST_FSYNC_FILE_H

#include "shim.h"

/* Linux: include/uapi/asm-generic/errno-base.h. */
enum { FSYNC_ENOSPC = 28 };

/* A block begins with its op's number and ends with the complement. */
struct file {
	int fd, dir;
	char name[64];			/* empty once the file has none */
	size_t size, slots;		/* slots is 0 where the file grows */
	unsigned long done;
	uint64_t *block, *back;		/* what is written, what is read */
};

static inline void fsync_stamp(struct file *f, uint64_t op)
{
	f->block[0] = op;
	f->block[f->size / sizeof *f->block - 1] = ~op;
}

/* The errno of a write that returned r where it should have returned the size. */
static inline int fsync_short(long r)
{
	return r < 0 ? *__errno_location() : FSYNC_ENOSPC;
}

#endif
