#include "file.h"

/* The errno of a raw write that returned r where it should have returned the size. */
static inline int fsync_raw_short(long r)
{
	return r < 0 ? -r : FSYNC_ENOSPC;
}

static inline int fsync_raw_append(struct writer *w)
{
	fsync_stamp(w, w->done++);
	long r = gang_syscall(SYS_WRITE, w->to, (long)w->block, w->size, 0, 0, 0);
	return r == w->size ? 0 : fsync_raw_short(r);
}

static inline int fsync_raw_overwrite(struct writer *w)
{
	long at = fsync_next_slot(w);
	fsync_stamp(w, w->done++);
	long r = gang_syscall(SYS_PWRITE64, w->to, (long)w->block, w->size, at, 0, 0);
	return r == w->size ? 0 : fsync_raw_short(r);
}

int fsync_raw_append_none(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_raw_append(w);
		if (err) return err;
	}
	return 0;
}

int fsync_raw_append_fsync(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_raw_append(w);
		if (!err) err = -gang_syscall(SYS_FSYNC, w->to, 0, 0, 0, 0, 0);
		if (err) return err;
	}
	return 0;
}

int fsync_raw_append_fdatasync(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_raw_append(w);
		if (!err) err = -gang_syscall(SYS_FDATASYNC, w->to, 0, 0, 0, 0, 0);
		if (err) return err;
	}
	return 0;
}

int fsync_raw_overwrite_none(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_raw_overwrite(w);
		if (err) return err;
	}
	return 0;
}

int fsync_raw_overwrite_fsync(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_raw_overwrite(w);
		if (!err) err = -gang_syscall(SYS_FSYNC, w->to, 0, 0, 0, 0, 0);
		if (err) return err;
	}
	return 0;
}

int fsync_raw_overwrite_fdatasync(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_raw_overwrite(w);
		if (!err) err = -gang_syscall(SYS_FDATASYNC, w->to, 0, 0, 0, 0, 0);
		if (err) return err;
	}
	return 0;
}
