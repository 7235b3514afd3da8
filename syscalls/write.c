#include "shim.h"

/* Linux: include/uapi/linux/fcntl.h and asm-generic/fcntl.h. */
enum { AT_FDCWD = -100, O_WRONLY = 1, O_CLOEXEC = 02000000 };

struct sink {
	int fd;
	size_t size;
	unsigned long written;
	char data[];
};

/* Opens the device that a row's to= names: devnull is /dev/null. */
static long syscalls_write_open(const char *row)
{
	char path[32] = "/dev/";
	const char *to = gang_key(row, "to");
	if (!to || !gang_same(to, "dev", 3)) return -GANG_EINVAL;
	to += 3;
	for (size_t i = 5; *to && *to != '/' && i < sizeof path - 1; i++) path[i] = *to++;
	return gang_syscall(SYS_OPENAT, AT_FDCWD, (long)path, O_WRONLY | O_CLOEXEC, 0, 0, 0);
}

int syscalls_write_new(const struct shape *s, void **state)
{
	size_t size = gang_num(s->row, "size", 0);
	struct sink *w = gang_map(sizeof *w + size);
	if (!w) return GANG_ENOMEM;
	w->size = size;
	long fd = syscalls_write_open(s->row);
	if (fd < 0) {
		gang_unmap(w, sizeof *w + size);
		return -fd;
	}
	w->fd = fd;
	*state = w;
	return 0;
}

int syscalls_write_op(void *state, int t, unsigned long n)
{
	struct sink *w = state;
	for (unsigned long i = 0; i < n; i++) {
		long r = write(w->fd, w->data, w->size);
		if (r < 0) return *__errno_location();
		if (r != w->size) return GANG_EIO;
		w->written += r;
	}
	return 0;
}

int syscalls_write_raw_op(void *state, int t, unsigned long n)
{
	struct sink *w = state;
	for (unsigned long i = 0; i < n; i++) {
		long r = gang_syscall(SYS_WRITE, w->fd, (long)w->data, w->size, 0, 0, 0);
		if (r < 0) return -r;
		if (r != w->size) return GANG_EIO;
		w->written += r;
	}
	return 0;
}

int syscalls_write_check(void *state, unsigned long n, uint64_t *digest)
{
	struct sink *w = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, w->size), w->written);
	return w->written == n * w->size ? 0 : GANG_EWRONG;
}

void syscalls_write_free(void *state)
{
	struct sink *w = state;
	gang_syscall(SYS_CLOSE, w->fd, 0, 0, 0, 0, 0);
	gang_unmap(w, sizeof *w + w->size);
}
