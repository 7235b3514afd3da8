#include "shim.h"

/* Linux: include/uapi/linux/fcntl.h and asm-generic/errno-base.h. */
enum { AT_FDCWD = -100, O_RDWR = 2, O_CLOEXEC = 02000000, GANG_EBADF = 9 };

struct call {
	int fd;
	unsigned long right;
	char data;
};

int syscalls_call_new(const struct shape *s, void **state)
{
	const char *path = gang_key(s->row, "from") ? "/dev/zero" : "/dev/null";
	struct call *c = gang_map(sizeof *c);
	if (!c) return GANG_ENOMEM;
	long fd = gang_syscall(SYS_OPENAT, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
	if (fd < 0) {
		gang_unmap(c, sizeof *c);
		return -fd;
	}
	c->fd = fd;
	*state = c;
	return 0;
}

int syscalls_read_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += read(c->fd, &c->data, 1) == 1;
	return 0;
}

int syscalls_read_raw_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += gang_syscall(SYS_READ, c->fd, (long)&c->data, 1, 0, 0, 0) == 1;
	return 0;
}

int syscalls_pwrite_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += pwrite(c->fd, &c->data, 1, 0) == 1;
	return 0;
}

int syscalls_pwrite_raw_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += gang_syscall(SYS_PWRITE, c->fd, (long)&c->data, 1, 0, 0, 0) == 1;
	return 0;
}

int syscalls_lseek_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += lseek(c->fd, 0, 0) == 0;
	return 0;
}

int syscalls_lseek_raw_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += gang_syscall(SYS_LSEEK, c->fd, 0, 0, 0, 0, 0) == 0;
	return 0;
}

int syscalls_close_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += close(-1) == -1 && *__errno_location() == GANG_EBADF;
	return 0;
}

int syscalls_close_raw_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += gang_syscall(SYS_CLOSE, -1, 0, 0, 0, 0, 0) == -GANG_EBADF;
	return 0;
}

int syscalls_yield_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += sched_yield() == 0;
	return 0;
}

int syscalls_yield_raw_op(void *state, int t, unsigned long n)
{
	struct call *c = state;
	for (unsigned long i = 0; i < n; i++)
		c->right += gang_syscall(SYS_SCHED_YIELD, 0, 0, 0, 0, 0, 0) == 0;
	return 0;
}

int syscalls_call_check(void *state, unsigned long n, uint64_t *digest)
{
	struct call *c = state;
	*digest = gang_digest(GANG_DIGEST, c->right);
	return c->right == n ? 0 : GANG_EWRONG;
}

void syscalls_call_free(void *state)
{
	struct call *c = state;
	gang_syscall(SYS_CLOSE, c->fd, 0, 0, 0, 0, 0);
	gang_unmap(c, sizeof *c);
}
