#include "shim.h"

enum { THREADS = 64 };

struct shared {
	struct rwlock lock;
	unsigned long written;
	struct { _Alignas(64) unsigned long count; } read[THREADS];
};

int syscalls_rwlock_new(const struct shape *s, void **state)
{
	if (s->threads > THREADS) return GANG_EINVAL;
	struct shared *l = gang_map(sizeof *l);
	if (!l) return GANG_ENOMEM;
	int err = pthread_rwlock_init(&l->lock, 0);
	if (err) gang_unmap(l, sizeof *l);
	else *state = l;
	return err;
}

int syscalls_rwlock_op(void *state, int t, unsigned long n)
{
	struct shared *l = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_rwlock_rdlock(&l->lock);
		if (err) return err;
		l->read[t].count++;
		if ((err = pthread_rwlock_unlock(&l->lock))) return err;
	}
	return 0;
}

int syscalls_rwlock_write_op(void *state, int t, unsigned long n)
{
	struct shared *l = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_rwlock_wrlock(&l->lock);
		if (err) return err;
		l->written++;
		if ((err = pthread_rwlock_unlock(&l->lock))) return err;
	}
	return 0;
}

int syscalls_rwlock_check(void *state, unsigned long n, uint64_t *digest)
{
	struct shared *l = state;
	unsigned long sum = l->written;
	for (int t = 0; t < THREADS; t++) sum += l->read[t].count;
	*digest = gang_digest(GANG_DIGEST, sum);
	return sum == n ? 0 : GANG_EWRONG;
}

void syscalls_rwlock_free(void *state)
{
	struct shared *l = state;
	pthread_rwlock_destroy(&l->lock);
	gang_unmap(l, sizeof *l);
}
