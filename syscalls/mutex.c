#include "shim.h"

/* The counter has a cache line of its own: threads that spin touch the lock only. */
struct locked {
	struct mutex lock;
	unsigned long count;
};

int syscalls_mutex_new(const struct shape *s, void **state)
{
	struct locked *l = gang_map(sizeof *l);
	if (!l) return GANG_ENOMEM;
	*state = l;
	return pthread_mutex_init(&l->lock, 0);
}

int syscalls_mutex_op(void *state, int t, unsigned long n)
{
	struct locked *l = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_mutex_lock(&l->lock);
		if (err) return err;
		l->count++;
		if ((err = pthread_mutex_unlock(&l->lock))) return err;
	}
	return 0;
}

/* Two threads inside at once lose an addition. */
int syscalls_mutex_check(void *state, unsigned long n, uint64_t *digest)
{
	struct locked *l = state;
	*digest = gang_digest(GANG_DIGEST, l->count);
	return l->count == n ? 0 : GANG_EWRONG;
}

void syscalls_mutex_free(void *state)
{
	struct locked *l = state;
	pthread_mutex_destroy(&l->lock);
	gang_unmap(l, sizeof *l);
}
