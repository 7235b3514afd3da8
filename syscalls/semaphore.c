#include "shim.h"

struct tokens {
	struct semaphore sem, back;
	int waiters;
	unsigned long taken, returned;
};

static int syscalls_sem_make(struct tokens *k)
{
	if (sem_init(&k->sem, 0, 0)) return *__errno_location();
	if (!sem_init(&k->back, 0, 0)) return 0;
	int err = *__errno_location();
	sem_destroy(&k->sem);
	return err;
}

int syscalls_sem_new(const struct shape *s, void **state)
{
	struct tokens *k = gang_map(sizeof *k);
	if (!k) return GANG_ENOMEM;
	k->waiters = s->threads - 1;
	int err = syscalls_sem_make(k);
	if (err) gang_unmap(k, sizeof *k);
	else *state = k;
	return err;
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

/* Gives each waiter a token, and waits for as many to come back. */
static int syscalls_sem_give(struct tokens *k)
{
	for (int i = 0; i < k->waiters; i++)
		if (sem_post(&k->sem)) return *__errno_location();
	for (int i = 0; i < k->waiters; i++) {
		if (sem_wait(&k->back)) return *__errno_location();
		k->returned++;
	}
	return 0;
}

static int syscalls_sem_take(struct tokens *k)
{
	if (sem_wait(&k->sem)) return *__errno_location();
	__atomic_fetch_add(&k->taken, 1, __ATOMIC_RELAXED);
	return sem_post(&k->back) ? *__errno_location() : 0;
}

int syscalls_sem_round_op(void *state, int t, unsigned long n)
{
	struct tokens *k = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = t ? syscalls_sem_take(k) : syscalls_sem_give(k);
		if (err) return err;
	}
	return 0;
}

/* No token is left over. */
static int syscalls_sem_empty(struct semaphore *s)
{
	int left = 1;
	return !sem_getvalue(s, &left) && !left;
}

int syscalls_sem_check(void *state, unsigned long n, uint64_t *digest)
{
	struct tokens *k = state;
	unsigned long tokens = k->waiters ? n * k->waiters : n;
	*digest = gang_digest(gang_digest(GANG_DIGEST, k->taken), k->returned);
	if (!syscalls_sem_empty(&k->sem) || !syscalls_sem_empty(&k->back)) return GANG_EWRONG;
	return k->taken == tokens && k->returned == n * k->waiters ? 0 : GANG_EWRONG;
}

void syscalls_sem_free(void *state)
{
	struct tokens *k = state;
	sem_destroy(&k->back);
	sem_destroy(&k->sem);
	gang_unmap(k, sizeof *k);
}
