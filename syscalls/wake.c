#include "shim.h"

/* Linux: include/uapi/linux/futex.h. */
enum { FUTEX_WAKE = 1, FUTEX_PRIVATE_FLAG = 128 };

struct futex {
	unsigned word;
	unsigned long nobody;
};

int syscalls_wake_new(const struct shape *s, void **state)
{
	return (*state = gang_map(sizeof(struct futex))) ? 0 : GANG_ENOMEM;
}

int syscalls_wake_op(void *state, int t, unsigned long n)
{
	struct futex *f = state;
	for (unsigned long i = 0; i < n; i++) {
		long woken = gang_syscall(SYS_FUTEX, (long)&f->word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0, 0);
		if (woken < 0) return -woken;
		f->nobody += !woken;
	}
	return 0;
}

int syscalls_wake_check(void *state, unsigned long n, uint64_t *digest)
{
	struct futex *f = state;
	*digest = gang_digest(GANG_DIGEST, f->nobody);
	return f->nobody == n ? 0 : GANG_EWRONG;
}

void syscalls_wake_free(void *state)
{
	gang_unmap(state, sizeof(struct futex));
}
