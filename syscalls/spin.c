#include "shim.h"

struct spun {
	_Alignas(64) volatile int lock;
	_Alignas(64) unsigned long count;
};

int syscalls_spin_new(const struct shape *s, void **state)
{
	struct spun *l = gang_map(sizeof *l);
	if (!l) return GANG_ENOMEM;
	int err = pthread_spin_init(&l->lock, 0);
	if (err) gang_unmap(l, sizeof *l);
	else *state = l;
	return err;
}

int syscalls_spin_op(void *state, int t, unsigned long n)
{
	struct spun *l = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_spin_lock(&l->lock);
		if (err) return err;
		l->count++;
		if ((err = pthread_spin_unlock(&l->lock))) return err;
	}
	return 0;
}

int syscalls_spin_check(void *state, unsigned long n, uint64_t *digest)
{
	struct spun *l = state;
	*digest = gang_digest(GANG_DIGEST, l->count);
	return l->count == n ? 0 : GANG_EWRONG;
}

void syscalls_spin_free(void *state)
{
	struct spun *l = state;
	pthread_spin_destroy(&l->lock);
	gang_unmap(l, sizeof *l);
}
