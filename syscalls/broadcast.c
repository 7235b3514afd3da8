#include "shim.h"

struct broadcast {
	struct mutex lock;
	struct cond go, all;
	int waiters, waiting;
	unsigned long round, woken;
};

static int syscalls_broadcast_make(struct broadcast *b)
{
	int err = pthread_mutex_init(&b->lock, 0);
	if (err) return err;
	if (!(err = pthread_cond_init(&b->go, 0))) {
		if (!(err = pthread_cond_init(&b->all, 0))) return 0;
		pthread_cond_destroy(&b->go);
	}
	pthread_mutex_destroy(&b->lock);
	return err;
}

int syscalls_broadcast_new(const struct shape *s, void **state)
{
	struct broadcast *b = gang_map(sizeof *b);
	if (!b) return GANG_ENOMEM;
	b->waiters = s->threads - 1;
	int err = syscalls_broadcast_make(b);
	if (err) gang_unmap(b, sizeof *b);
	else *state = b;
	return err;
}

/* Waits until all others wait, and wakes them. */
static int syscalls_broadcast_cast(struct broadcast *b)
{
	int err = pthread_mutex_lock(&b->lock);
	if (err) return err;
	while (b->waiting < b->waiters)
		if ((err = pthread_cond_wait(&b->all, &b->lock))) return err;
	b->waiting = 0;
	b->round++;
	if ((err = pthread_cond_broadcast(&b->go))) return err;
	return pthread_mutex_unlock(&b->lock);
}

static int syscalls_broadcast_wait(struct broadcast *b)
{
	int err = pthread_mutex_lock(&b->lock);
	if (err) return err;
	unsigned long round = b->round;
	if (++b->waiting == b->waiters && (err = pthread_cond_signal(&b->all))) return err;
	while (b->round == round)
		if ((err = pthread_cond_wait(&b->go, &b->lock))) return err;
	b->woken++;
	return pthread_mutex_unlock(&b->lock);
}

int syscalls_broadcast_op(void *state, int t, unsigned long n)
{
	struct broadcast *b = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = t ? syscalls_broadcast_wait(b) : syscalls_broadcast_cast(b);
		if (err) return err;
	}
	return 0;
}

int syscalls_broadcast_check(void *state, unsigned long n, uint64_t *digest)
{
	struct broadcast *b = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, b->round), b->woken);
	return b->round == n && b->woken == n * b->waiters ? 0 : GANG_EWRONG;
}

void syscalls_broadcast_free(void *state)
{
	struct broadcast *b = state;
	pthread_cond_destroy(&b->all);
	pthread_cond_destroy(&b->go);
	pthread_mutex_destroy(&b->lock);
	gang_unmap(b, sizeof *b);
}
