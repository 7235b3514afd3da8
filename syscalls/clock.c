#include "shim.h"

/* Linux: include/uapi/linux/time.h. */
enum { MONOTONIC = 1 };

/* vdso(7). */
#if defined(__x86_64__)
#define VDSO_CLOCK "__vdso_clock_gettime"
#elif defined(__aarch64__)
#define VDSO_CLOCK "__kernel_clock_gettime"
#endif

struct clock {
	int (*vdso)(int, struct timespec *);
	int64_t last;
	unsigned long forward;
};

static int64_t syscalls_clock_ns(const struct timespec *ts)
{
	return ts->sec * 1000000000 + ts->nsec;
}

int syscalls_clock_new(const struct shape *s, void **state)
{
	struct clock *c = gang_map(sizeof *c);
	struct timespec now;
	if (!c) return GANG_ENOMEM;
	gang_syscall(SYS_CLOCK_GETTIME, MONOTONIC, (long)&now, 0, 0, 0, 0);
	c->last = syscalls_clock_ns(&now);
	if (gang_is(s->row, "via", "vdso") && !(c->vdso = syscalls_symbol((void *)getauxval(AT_SYSINFO_EHDR), VDSO_CLOCK))) {
		gang_unmap(c, sizeof *c);
		return GANG_EOPNOTSUPP;
	}
	*state = c;
	return 0;
}

/* Counts a time that is not before the one that came last. */
static void syscalls_clock_tick(struct clock *c, const struct timespec *ts)
{
	int64_t now = syscalls_clock_ns(ts);
	c->forward += now >= c->last;
	c->last = now;
}

int syscalls_clock_op(void *state, int t, unsigned long n)
{
	struct clock *c = state;
	for (unsigned long i = 0; i < n; i++) {
		struct timespec now = { 0 };
		if (clock_gettime(MONOTONIC, &now)) return *__errno_location();
		syscalls_clock_tick(c, &now);
	}
	return 0;
}

int syscalls_clock_raw_op(void *state, int t, unsigned long n)
{
	struct clock *c = state;
	for (unsigned long i = 0; i < n; i++) {
		struct timespec now = { 0 };
		long err = gang_syscall(SYS_CLOCK_GETTIME, MONOTONIC, (long)&now, 0, 0, 0, 0);
		if (err) return -err;
		syscalls_clock_tick(c, &now);
	}
	return 0;
}

int syscalls_clock_vdso_op(void *state, int t, unsigned long n)
{
	struct clock *c = state;
	for (unsigned long i = 0; i < n; i++) {
		struct timespec now = { 0 };
		int err = c->vdso(MONOTONIC, &now);
		if (err) return -err;
		syscalls_clock_tick(c, &now);
	}
	return 0;
}

int syscalls_clock_check(void *state, unsigned long n, uint64_t *digest)
{
	struct clock *c = state;
	struct timespec now;
	gang_syscall(SYS_CLOCK_GETTIME, MONOTONIC, (long)&now, 0, 0, 0, 0);
	*digest = gang_digest(GANG_DIGEST, c->forward);
	return c->forward == n && c->last <= syscalls_clock_ns(&now) ? 0 : GANG_EWRONG;
}

void syscalls_clock_free(void *state)
{
	gang_unmap(state, sizeof(struct clock));
}
