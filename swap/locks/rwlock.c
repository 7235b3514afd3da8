#include "locks.h"

/*
 * The state counts readers, or is WRITER.  Readers pass waiting writers, in
 * both libcs by default too.  SLEEPERS and the count of waiters are both
 * needed: a release that wakes one of many clears the bit, and the count is
 * what tells the next release that somebody still sleeps.
 */
#define SLEEPERS (1u << 31)
#define WRITER (SLEEPERS - 1)

static int try_read(struct rwlock *l)
{
	unsigned state;
	do {
		state = look(&l->state);
		if ((state & WRITER) == WRITER) return EBUSY;
		if ((state & WRITER) == WRITER - 1) return EAGAIN;
	} while (!replace(&l->state, state, state + 1, __ATOMIC_ACQUIRE));
	return 0;
}

static int try_write(struct rwlock *l)
{
	if (!replace(&l->state, 0, WRITER, __ATOMIC_ACQUIRE)) return EBUSY;
	own(&l->writer, &swap_self);
	return 0;
}

/* Sleeps until the lock may be had: by a reader if there is no writer, by a writer if there is nobody. */
static int queue(struct rwlock *l, unsigned busy, int clock, const struct timespec *until)
{
	unsigned state = look(&l->state);
	int err = 0;
	if (busy ? (state & WRITER) != busy : !(state & WRITER)) return 0;
	__atomic_add_fetch(&l->waiters, 1, __ATOMIC_RELAXED);
	if (state & SLEEPERS || replace(&l->state, state, state | SLEEPERS, __ATOMIC_RELAXED))
		err = swap_wait(&l->state, state | SLEEPERS, clock, until);
	__atomic_sub_fetch(&l->waiters, 1, __ATOMIC_RELAXED);
	return err == ETIMEDOUT ? err : 0;
}

static int lock(struct rwlock *l, int (*try)(struct rwlock *), unsigned busy, int clock, const struct timespec *until)
{
	int err = try(l);
	if (err != EBUSY) return err;
	if (is_mine(&l->writer)) return EDEADLK;
	if (until && !is_time(until)) return EINVAL;
	do {
		if ((err = queue(l, busy, clock, until))) return err;
	} while ((err = try(l)) == EBUSY);
	return err;
}

int pthread_rwlock_tryrdlock(struct rwlock *l) { return try_read(l); }
int pthread_rwlock_rdlock(struct rwlock *l) { return lock(l, try_read, WRITER, MONOTONIC, 0); }

int pthread_rwlock_timedrdlock(struct rwlock *l, const struct timespec *until)
{
	return lock(l, try_read, WRITER, REALTIME, until);
}

int pthread_rwlock_clockrdlock(struct rwlock *l, int clock, const struct timespec *until)
{
	return is_clock(clock) ? lock(l, try_read, WRITER, clock, until) : EINVAL;
}

int pthread_rwlock_trywrlock(struct rwlock *l) { return try_write(l); }
int pthread_rwlock_wrlock(struct rwlock *l) { return lock(l, try_write, 0, MONOTONIC, 0); }

int pthread_rwlock_timedwrlock(struct rwlock *l, const struct timespec *until)
{
	return lock(l, try_write, 0, REALTIME, until);
}

int pthread_rwlock_clockwrlock(struct rwlock *l, int clock, const struct timespec *until)
{
	return is_clock(clock) ? lock(l, try_write, 0, clock, until) : EINVAL;
}

int pthread_rwlock_unlock(struct rwlock *l)
{
	unsigned state, held, waiters, left;
	if (is_mine(&l->writer)) own(&l->writer, 0);
	do {
		state = look(&l->state);
		held = state & WRITER;
		waiters = look(&l->waiters);
		left = held == WRITER || held == 1 ? 0 : state - 1;
	} while (!replace(&l->state, state, left, __ATOMIC_RELEASE));
	/* After a writer all may go, after the last reader only a writer can have slept. */
	if (!left && (waiters || state & SLEEPERS)) swap_wake(&l->state, held);
	return 0;
}

int pthread_rwlock_init(struct rwlock *l, const struct rwlockattr *a)
{
	if (a && a->shared) swap_refuse("a process-shared reader-writer lock");
	*l = (struct rwlock){ 0 };
	return 0;
}

int pthread_rwlock_destroy(struct rwlock *l)
{
	return look(&l->state) & WRITER ? EBUSY : 0;
}
