/*
 * What it costs to have a block on the disk.  Each kernel is new, op, check
 * and free as internal/gang/gang.h says; table.c lists the rows.  With via=raw
 * a loop holds the system calls' instruction itself instead of libc's function.
 */
#ifndef LIBCOST_FSYNC_SHIM_H
#define LIBCOST_FSYNC_SHIM_H

#include "gang.h"

/* At least as large as either libc's own types, which internal/attest asserts. */
struct mutex { _Alignas(64) char bytes[64]; };
struct cond { _Alignas(64) char bytes[64]; };

long write(int, const void *, size_t);
long pwrite(int, const void *, size_t, long);
int fsync(int);
int fdatasync(int);
int pthread_mutex_init(struct mutex *, const void *);
int pthread_mutex_lock(struct mutex *);
int pthread_mutex_unlock(struct mutex *);
int pthread_mutex_destroy(struct mutex *);
int pthread_cond_init(struct cond *, const void *);
int pthread_cond_wait(struct cond *, struct mutex *);
int pthread_cond_broadcast(struct cond *);
int pthread_cond_destroy(struct cond *);

/*
 * The files that the ops write, new ones in shape.dir: files=own one for each
 * thread, else one for all.  file=append starts empty and is as long as n in
 * the end; file=zeros is 1024 blocks of zeros, written and synced before the
 * clock starts, as databases prepare their logs; file=data the same of other
 * bytes.  Threads that overwrite have their own part of the blocks.
 *
 * by=dsync opens the file with O_DSYNC, by=direct with O_DIRECT as well, so
 * that the write itself is the sync; by=none leaves it to the kernel's time.
 *
 * Errors of the set-up are those of open(2) and write(2): ENOENT, EACCES,
 * EROFS, ENOSPC; EOPNOTSUPP where the file system knows no O_DIRECT.
 */
int fsync_file_new(const struct shape *, void **);
/* Reads every block back and looks for the number of the last op that wrote it. */
int fsync_file_check(void *, unsigned long, uint64_t *);
void fsync_file_free(void *);

/*
 * One op is write(2) of size= bytes at the file's end and the sync that the
 * name says.  The file has grown, and without its new length the bytes could
 * not be read again, so that fdatasync(2) too writes the length.
 *
 * A write that comes back short is taken for ENOSPC, as PostgreSQL does.
 *
 * Source: https://github.com/rabbitmq/ra/issues/153
 */
int fsync_append_none(void *, int, unsigned long);
int fsync_append_fsync(void *, int, unsigned long);
int fsync_append_fdatasync(void *, int, unsigned long);

/*
 * One op is pwrite(2) of the next block, round and round, and the sync.  Only
 * the data has to reach the disk, and for fsync(2) the time of the change.
 *
 * Source: https://github.com/scylladb/scylladb/issues/7794
 */
int fsync_overwrite_none(void *, int, unsigned long);
int fsync_overwrite_fsync(void *, int, unsigned long);
int fsync_overwrite_fdatasync(void *, int, unsigned long);

/* The same with bare system calls. */
int fsync_raw_append_none(void *, int, unsigned long);
int fsync_raw_append_fsync(void *, int, unsigned long);
int fsync_raw_append_fdatasync(void *, int, unsigned long);
int fsync_raw_overwrite_none(void *, int, unsigned long);
int fsync_raw_overwrite_fsync(void *, int, unsigned long);
int fsync_raw_overwrite_fdatasync(void *, int, unsigned long);

/*
 * Group commit, as databases do it.  One op is the next block of a log that
 * all threads share; after each group= of its own blocks a thread waits until
 * they are on the disk.  Who waits first calls fdatasync(2), for all that is
 * written by then, and the others wait on a condition variable.
 *
 * The value is syncs an op: 1 / group for one thread, less for more.
 *
 * Errors: of pwrite and fdatasync, and then of every thread that waits.
 */
int fsync_commit_new(const struct shape *, void **);
int fsync_commit_op(void *, int, unsigned long);
int fsync_commit_check(void *, unsigned long, uint64_t *);
double fsync_commit_syncs(void *);
void fsync_commit_free(void *);

extern const struct kernel fsync_kernels[];

#endif
