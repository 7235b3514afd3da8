#include "shim.h"

/* Both libcs: pthread.h. */
enum { PTHREAD_BARRIER_SERIAL_THREAD = -1 };

struct rounds {
	struct barrier barrier;
	unsigned long serial;
};

int syscalls_barrier_new(const struct shape *s, void **state)
{
	struct rounds *r = gang_map(sizeof *r);
	if (!r) return GANG_ENOMEM;
	int err = pthread_barrier_init(&r->barrier, 0, s->threads);
	if (err) gang_unmap(r, sizeof *r);
	else *state = r;
	return err;
}

/* One thread of each round is told that it is the one. */
int syscalls_barrier_op(void *state, int t, unsigned long n)
{
	struct rounds *r = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_barrier_wait(&r->barrier);
		if (err == PTHREAD_BARRIER_SERIAL_THREAD) __atomic_fetch_add(&r->serial, 1, __ATOMIC_RELAXED);
		else if (err) return err;
	}
	return 0;
}

int syscalls_barrier_check(void *state, unsigned long n, uint64_t *digest)
{
	struct rounds *r = state;
	*digest = gang_digest(GANG_DIGEST, r->serial);
	return r->serial == n ? 0 : GANG_EWRONG;
}

void syscalls_barrier_free(void *state)
{
	struct rounds *r = state;
	pthread_barrier_destroy(&r->barrier);
	gang_unmap(r, sizeof *r);
}
