#include "file.h"

int fsync_append_fsync(void *state, int t, unsigned long n)
{
	struct file *f = state;
	while (n--) {
		fsync_stamp(f, f->done++);
		long r = write(f->fd, f->block, f->size);
		if (r != f->size) return fsync_short(r);
		if (fsync(f->fd)) return *__errno_location();
	}
	return 0;
}

int fsync_append_fdatasync(void *state, int t, unsigned long n)
{
	struct file *f = state;
	while (n--) {
		fsync_stamp(f, f->done++);
		long r = write(f->fd, f->block, f->size);
		if (r != f->size) return fsync_short(r);
		if (fdatasync(f->fd)) return *__errno_location();
	}
	return 0;
}
