/*
 * What it costs to have a block on the disk.  Each kernel is new, op, check
 * and free as internal/gang/gang.h says; table.c lists the rows.
 */
#ifndef LIBCOST_FSYNC_SHIM_H
#define LIBCOST_FSYNC_SHIM_H

#include "gang.h"

long write(int, const void *, size_t);
long pwrite(int, const void *, size_t, long);
int fsync(int);
int fdatasync(int);

/*
 * The file that the ops write: a new one in shape.dir.  file=append starts
 * empty and grows with n; file=zeros is 1024 blocks of zeros, written and
 * synced before the clock starts, as databases prepare their logs.
 *
 * Errors of the set-up are open(2)'s and write(2)'s: ENOENT, EACCES, EROFS,
 * ENOSPC.
 */
int fsync_file_new(const struct shape *, void **);
/* Reads every block back and looks for the number of the op that wrote it last. */
int fsync_file_check(void *, unsigned long, uint64_t *);
void fsync_file_free(void *);

/*
 * One op is write(2) of size= bytes at the file's end and the sync that by=
 * names.  The file gets longer, so the sync has the new length to write as
 * well, in fdatasync(2) too.
 *
 * A write that comes back short is ENOSPC, as PostgreSQL takes it to be.
 */
int fsync_append_fsync(void *, int, unsigned long);
int fsync_append_fdatasync(void *, int, unsigned long);

/*
 * One op is pwrite(2) of the next block, round and round, and the sync.
 * Nothing but data and, for fsync(2), the time of the last change has to
 * reach the disk.
 */
int fsync_overwrite_fsync(void *, int, unsigned long);
int fsync_overwrite_fdatasync(void *, int, unsigned long);

extern const struct kernel fsync_kernels[];

#endif
