#include "locks.h"

/*
 * A waiter sleeps on the sequence that it saw while it held the mutex, and a
 * signal moves the sequence on: no signal is lost between the unlock and the
 * sleep, and a waiter who meets one there returns for nothing, as POSIX lets
 * it.  (Exactly 2^32 signals in that gap would be one too many.)
 *
 * pthread_cond_wait(3p) is a cancellation point, and here it is none: a thread
 * that waits is cancelled when it is woken and meets libc's next one.  libc's
 * own point needs libc's own thread descriptor.  No workload cancels a thread;
 * SQLite, tree-sitter and Go's runtime never call pthread_cancel.
 */
#define DESTROYED (1u << 31)

static void leave(struct cond *c)
{
	if (__atomic_fetch_sub(&c->waiters, 1, __ATOMIC_RELEASE) == (DESTROYED | 1))
		swap_wake(&c->waiters, 1);
}

static int wait(struct cond *c, struct mutex *m, int clock, const struct timespec *until)
{
	unsigned seen = look(&c->sequence);
	int err;
	if (until && !is_time(until)) return EINVAL;
	__atomic_add_fetch(&c->waiters, 1, __ATOMIC_RELAXED);
	if ((err = pthread_mutex_unlock(m))) {
		leave(c);
		return err;
	}
	err = swap_wait(&c->sequence, seen, clock, until);
	leave(c);
	pthread_mutex_lock(m);
	return err == ETIMEDOUT ? err : 0;
}

int pthread_cond_wait(struct cond *c, struct mutex *m) { return wait(c, m, MONOTONIC, 0); }

int pthread_cond_timedwait(struct cond *c, struct mutex *m, const struct timespec *until)
{
	return wait(c, m, c->clock, until);
}

int pthread_cond_clockwait(struct cond *c, struct mutex *m, int clock, const struct timespec *until)
{
	return is_clock(clock) ? wait(c, m, clock, until) : EINVAL;
}

static int wake(struct cond *c, int threads)
{
	if (!look(&c->waiters)) return 0;
	__atomic_add_fetch(&c->sequence, 1, __ATOMIC_RELAXED);
	swap_wake(&c->sequence, threads);
	return 0;
}

int pthread_cond_signal(struct cond *c) { return wake(c, 1); }
int pthread_cond_broadcast(struct cond *c) { return wake(c, 0x7fffffff); }

int pthread_cond_init(struct cond *c, const condattr *a)
{
	unsigned attr = a ? *a : 0;
	if (attr & CONDATTR_SHARED) swap_refuse("a process-shared condition variable");
	*c = (struct cond){ .clock = attr };
	return 0;
}

/* Who was woken may not have left yet: POSIX allows to destroy right after a broadcast. */
int pthread_cond_destroy(struct cond *c)
{
	unsigned waiters = __atomic_or_fetch(&c->waiters, DESTROYED, __ATOMIC_ACQUIRE);
	for (; waiters != DESTROYED; waiters = __atomic_load_n(&c->waiters, __ATOMIC_ACQUIRE))
		swap_wait(&c->waiters, waiters, MONOTONIC, 0);
	return 0;
}
