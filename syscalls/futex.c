#include "shim.h"

/* Linux: include/uapi/linux/futex.h and asm-generic/errno-base.h. */
enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129, EINTR = 4, EAGAIN = 11 };

struct turns {
	unsigned turn;
	unsigned long had[2];
};

int syscalls_futex_new(const struct shape *s, void **state)
{
	return (*state = gang_map(sizeof(struct turns))) ? 0 : GANG_ENOMEM;
}

int syscalls_futex_op(void *state, int t, unsigned long n)
{
	struct turns *w = state;
	for (unsigned long i = 0; i < n; i++) {
		while (__atomic_load_n(&w->turn, __ATOMIC_ACQUIRE) != (unsigned)t) {
			long err = gang_syscall(SYS_FUTEX, (long)&w->turn, FUTEX_WAIT_PRIVATE, !t, 0, 0, 0);
			if (err < 0 && err != -EAGAIN && err != -EINTR) return -err;
		}
		w->had[t]++;
		__atomic_store_n(&w->turn, !t, __ATOMIC_RELEASE);
		long woken = gang_syscall(SYS_FUTEX, (long)&w->turn, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
		if (woken < 0) return -woken;
	}
	return 0;
}

int syscalls_futex_check(void *state, unsigned long n, uint64_t *digest)
{
	struct turns *w = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, w->had[0]), w->had[1]);
	return w->had[0] == n && w->had[1] == n ? 0 : GANG_EWRONG;
}

void syscalls_futex_free(void *state)
{
	gang_unmap(state, sizeof(struct turns));
}
