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
 * empty and is as long as n in the end; file=zeros is 1024 blocks of zeros,
 * written and synced before the clock starts, as databases prepare their logs.
 *
 * Errors of the set-up are those of open(2) and write(2): ENOENT, EACCES,
 * EROFS, ENOSPC.
 */
int fsync_file_new(const struct shape *, void **);
/* Reads every block back and looks for the number of the last op that wrote it. */
int fsync_file_check(void *, unsigned long, uint64_t *);
void fsync_file_free(void *);

/*
 * One op is write(2) of size= bytes at the file's end and the sync that by=
 * names.  The file has grown, and without its new length the bytes could not
 * be read again, so that fdatasync(2) too writes the length.
 *
 * A write that comes back short is taken for ENOSPC, as PostgreSQL does.
 *
 * Source: https://github.com/rabbitmq/ra/issues/153
 */
int fsync_append_fsync(void *, int, unsigned long);
int fsync_append_fdatasync(void *, int, unsigned long);

/*
 * One op is pwrite(2) of the next block, round and round, and the sync.  Only
 * the data has to reach the disk, and for fsync(2) the time of the change.
 *
 * Source: https://github.com/scylladb/scylladb/issues/7794
 */
int fsync_overwrite_fsync(void *, int, unsigned long);
int fsync_overwrite_fdatasync(void *, int, unsigned long);

extern const struct kernel fsync_kernels[];

#endif
