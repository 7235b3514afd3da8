#include "file.h"

int fsync_append_none(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_append(w);
		if (err) return err;
	}
	return 0;
}

int fsync_append_fsync(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_append(w);
		if (err) return err;
		if (fsync(w->to)) return *__errno_location();
	}
	return 0;
}

int fsync_append_fdatasync(void *state, int t, unsigned long n)
{
	struct writer *w = fsync_writer(state, t);
	while (n--) {
		int err = fsync_append(w);
		if (err) return err;
		if (fdatasync(w->to)) return *__errno_location();
	}
	return 0;
}
