#include "locks.h"

static int put(unsigned *a, unsigned bit, int value)
{
	if (value != 0 && value != 1) return EINVAL;
	*a = value ? *a | bit : *a & ~bit;
	return 0;
}

int pthread_mutexattr_init(mutexattr *a)
{
	*a = 0;
	return 0;
}

int pthread_mutexattr_destroy(mutexattr *a)
{
	(void)a;
	return 0;
}

GETTER pthread_mutexattr_gettype(const mutexattr *a, int *kind)
{
	*kind = *a & ATTR_KIND;
	return 0;
}

int pthread_mutexattr_settype(mutexattr *a, int kind)
{
	if (kind < NORMAL || kind > ADAPTIVE) return EINVAL;
	*a = (*a & ~ATTR_KIND) | kind;
	return 0;
}

GETTER pthread_mutexattr_getprotocol(const mutexattr *a, int *protocol)
{
	*protocol = !!(*a & ATTR_INHERIT);
	return 0;
}

/* 2 is a ceiling, which musl has not either. */
int pthread_mutexattr_setprotocol(mutexattr *a, int protocol)
{
	return protocol == 2 ? ENOTSUP : put(a, ATTR_INHERIT, protocol);
}

GETTER pthread_mutexattr_getpshared(const mutexattr *a, int *shared)
{
	*shared = !!(*a & ATTR_SHARED);
	return 0;
}

int pthread_mutexattr_setpshared(mutexattr *a, int shared) { return put(a, ATTR_SHARED, shared); }

GETTER pthread_mutexattr_getrobust(const mutexattr *a, int *robust)
{
	*robust = !!(*a & ATTR_ROBUST);
	return 0;
}

int pthread_mutexattr_setrobust(mutexattr *a, int robust) { return put(a, ATTR_ROBUST, robust); }

int pthread_mutexattr_getprioceiling(const mutexattr *a, int *ceiling)
{
	(void)a, (void)ceiling;
	return EINVAL;
}

int pthread_mutexattr_setprioceiling(mutexattr *a, int ceiling)
{
	(void)a, (void)ceiling;
	return EINVAL;
}

int pthread_condattr_init(condattr *a)
{
	*a = 0;
	return 0;
}

int pthread_condattr_destroy(condattr *a)
{
	(void)a;
	return 0;
}

GETTER pthread_condattr_getclock(const condattr *a, int *clock)
{
	*clock = *a & ~CONDATTR_SHARED;
	return 0;
}

int pthread_condattr_setclock(condattr *a, int clock)
{
	if (!is_clock(clock)) return EINVAL;
	*a = (*a & CONDATTR_SHARED) | clock;
	return 0;
}

GETTER pthread_condattr_getpshared(const condattr *a, int *shared)
{
	*shared = !!(*a & CONDATTR_SHARED);
	return 0;
}

int pthread_condattr_setpshared(condattr *a, int shared) { return put(a, CONDATTR_SHARED, shared); }

int pthread_rwlockattr_init(struct rwlockattr *a)
{
	*a = (struct rwlockattr){ 0, 0 };
	return 0;
}

int pthread_rwlockattr_destroy(struct rwlockattr *a)
{
	(void)a;
	return 0;
}

GETTER pthread_rwlockattr_getpshared(const struct rwlockattr *a, int *shared)
{
	*shared = a->shared;
	return 0;
}

int pthread_rwlockattr_setpshared(struct rwlockattr *a, int shared) { return put(&a->shared, 1, shared); }

int pthread_rwlockattr_getkind_np(const struct rwlockattr *a, int *kind)
{
	*kind = a->kind;
	return 0;
}

/* Kept and not heeded: readers go first, as they do in both libcs by default. */
int pthread_rwlockattr_setkind_np(struct rwlockattr *a, int kind)
{
	if (kind < 0 || kind > 2) return EINVAL;
	a->kind = kind;
	return 0;
}
