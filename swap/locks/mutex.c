#include "locks.h"

/*
 * Drepper, Futexes Are Tricky (https://www.akkadia.org/drepper/futex.pdf), the
 * third mutex: whoever may have to be woken has left SLEEPERS.
 */
enum { FREE, HELD, SLEEPERS };

static int grab(struct mutex *m) { return replace(&m->state, FREE, HELD, __ATOMIC_ACQUIRE); }

static int queue(struct mutex *m, int clock, const struct timespec *until)
{
	if (until && !is_time(until)) return EINVAL;
	while (__atomic_exchange_n(&m->state, SLEEPERS, __ATOMIC_ACQUIRE) != FREE)
		if (swap_wait(&m->state, SLEEPERS, clock, until) == ETIMEDOUT) return ETIMEDOUT;
	return 0;
}

static void let_go(struct mutex *m)
{
	if (__atomic_exchange_n(&m->state, FREE, __ATOMIC_RELEASE) == SLEEPERS)
		swap_wake(&m->state, 1);
}

/*
 * The kinds with an owner: 0 if the lock is now held once more, an error, or
 * -1 if it must be taken.  Others have no business here: glibc's static
 * initialisers can name no kind beyond these.
 */
static int again(struct mutex *m, int deadlock)
{
	if (m->kind != RECURSIVE && m->kind != ERRORCHECK) swap_refuse("a mutex of this kind");
	if (!is_mine(&m->owner)) return -1;
	if (m->kind == ERRORCHECK) return deadlock;
	if (!(m->depth + 1)) return EAGAIN;
	m->depth++;
	return 0;
}

static inline int has_owner(struct mutex *m) { return m->kind != NORMAL && m->kind != ADAPTIVE; }

static int lock(struct mutex *m, int clock, const struct timespec *until)
{
	int err;
	if (has_owner(m) && (err = again(m, EDEADLK)) >= 0) return err;
	if (!grab(m) && (err = queue(m, clock, until))) return err;
	if (has_owner(m)) own(&m->owner, &swap_self);
	return 0;
}

int pthread_mutex_lock(struct mutex *m)
{
	if (m->kind == NORMAL && grab(m)) return 0;
	return lock(m, MONOTONIC, 0);
}

int pthread_mutex_timedlock(struct mutex *m, const struct timespec *until)
{
	return lock(m, REALTIME, until);
}

int pthread_mutex_clocklock(struct mutex *m, int clock, const struct timespec *until)
{
	return is_clock(clock) ? lock(m, clock, until) : EINVAL;
}

int pthread_mutex_trylock(struct mutex *m)
{
	int err;
	if (has_owner(m) && (err = again(m, EBUSY)) >= 0) return err;
	if (!grab(m)) return EBUSY;
	if (has_owner(m)) own(&m->owner, &swap_self);
	return 0;
}

int pthread_mutex_unlock(struct mutex *m)
{
	if (has_owner(m)) {
		if (!is_mine(&m->owner)) return EPERM;
		if (m->depth) {
			m->depth--;
			return 0;
		}
		own(&m->owner, 0);
	}
	let_go(m);
	return 0;
}

int pthread_mutex_init(struct mutex *m, const mutexattr *a)
{
	unsigned attr = a ? *a : 0;
	if (attr & ATTR_ROBUST) swap_refuse("a robust mutex");
	if (attr & ATTR_INHERIT) swap_refuse("a priority-inheriting mutex");
	if (attr & ATTR_SHARED) swap_refuse("a process-shared mutex");
	*m = (struct mutex){ .kind = attr & ATTR_KIND };
	return 0;
}

int pthread_mutex_destroy(struct mutex *m)
{
	return look(&m->state) == FREE ? 0 : EBUSY;
}

/* Of robust mutexes and of those with a ceiling, which are none. */
int pthread_mutex_consistent(struct mutex *m)
{
	(void)m;
	return EINVAL;
}

int pthread_mutex_getprioceiling(const struct mutex *m, int *ceiling)
{
	(void)m, (void)ceiling;
	return EINVAL;
}

int pthread_mutex_setprioceiling(struct mutex *m, int ceiling, int *old)
{
	(void)m, (void)ceiling, (void)old;
	return EINVAL;
}
