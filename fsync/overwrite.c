#include "file.h"

int fsync_overwrite_fsync(void *state, int t, unsigned long n)
{
	struct file *f = state;
	while (n--) {
		long at = f->done % f->slots * f->size;
		fsync_stamp(f, f->done++);
		long r = pwrite(f->fd, f->block, f->size, at);
		if (r != f->size) return fsync_short(r);
		if (fsync(f->fd)) return *__errno_location();
	}
	return 0;
}

int fsync_overwrite_fdatasync(void *state, int t, unsigned long n)
{
	struct file *f = state;
	while (n--) {
		long at = f->done % f->slots * f->size;
		fsync_stamp(f, f->done++);
		long r = pwrite(f->fd, f->block, f->size, at);
		if (r != f->size) return fsync_short(r);
		if (fdatasync(f->fd)) return *__errno_location();
	}
	return 0;
}
