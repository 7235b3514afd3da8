#include "shim.h"

struct tokens {
	struct semaphore sem;
	unsigned long taken;
};

int syscalls_sem_new(const struct shape *s, void **state)
{
	struct tokens *k = gang_map(sizeof *k);
	if (!k) return GANG_ENOMEM;
	if (sem_init(&k->sem, 0, 0)) {
		int err = *__errno_location();
		gang_unmap(k, sizeof *k);
		return err;
	}
	*state = k;
	return 0;
}

int syscalls_sem_op(void *state, int t, unsigned long n)
{
	struct tokens *k = state;
	for (unsigned long i = 0; i < n; i++) {
		if (sem_post(&k->sem)) return *__errno_location();
		if (sem_wait(&k->sem)) return *__errno_location();
		k->taken++;
	}
	return 0;
}

int syscalls_sem_check(void *state, unsigned long n, uint64_t *digest)
{
	struct tokens *k = state;
	*digest = gang_digest(GANG_DIGEST, k->taken);
	return k->taken == n ? 0 : GANG_EWRONG;
}

void syscalls_sem_free(void *state)
{
	struct tokens *k = state;
	sem_destroy(&k->sem);
	gang_unmap(k, sizeof *k);
}
