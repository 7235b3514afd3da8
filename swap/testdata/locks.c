/*
 * What the locks must do, in the libc that this is compiled with.  Prints what
 * is wrong.  Nothing here waits for a time to pass: a thread is known to sleep
 * when the lock itself says so, and a timed wait ends at a time that is past.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

/* musl has declared neither. */
int pthread_mutex_clocklock(pthread_mutex_t *, clockid_t, const struct timespec *);
int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *, clockid_t, const struct timespec *);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *, clockid_t, const struct timespec *);

enum { THREADS = 4, TURNS = 20000 };

static int wrong;

#define WANT(what, want) is(#what, __LINE__, what, want)

static void is(const char *what, int line, long got, long want)
{
	if (got == want) return;
	wrong++;
	printf("line %d: %s is %ld, want %ld\n", line, what, got, want);
}

/* A time that is past by any clock, one that is far, and two that are no time. */
static const struct timespec past = { 1, 0 }, before = { -5, 0 }, never = { 1L << 33, 0 }, none = { 1, 1000000000 }, negative = { 1, -1 };

static void *in_thread(void *(*f)(void *), void *arg)
{
	pthread_t t;
	void *result;
	WANT(pthread_create(&t, 0, f, arg), 0);
	WANT(pthread_join(t, &result), 0);
	return result;
}

static void *try_mutex(void *m)
{
	int err = pthread_mutex_trylock(m);
	if (!err) pthread_mutex_unlock(m);
	return (void *)(intptr_t)err;
}

static void *unlock_mutex(void *m) { return (void *)(intptr_t)pthread_mutex_unlock(m); }
static int elsewhere(void *(*f)(void *), void *arg) { return (intptr_t)in_thread(f, arg); }

static void make(pthread_mutex_t *m, int type)
{
	pthread_mutexattr_t a;
	int got = -1;
	WANT(pthread_mutexattr_init(&a), 0);
	WANT((pthread_mutexattr_gettype(&a, &got), got), PTHREAD_MUTEX_DEFAULT);
	WANT(pthread_mutexattr_settype(&a, 99), EINVAL);
	WANT(pthread_mutexattr_settype(&a, type), 0);
	WANT((pthread_mutexattr_gettype(&a, &got), got), type);
	WANT(pthread_mutex_init(m, &a), 0);
	WANT(pthread_mutexattr_destroy(&a), 0);
}

static void kind_normal(pthread_mutex_t *m)
{
	WANT(pthread_mutex_lock(m), 0);
	WANT(pthread_mutex_trylock(m), EBUSY);
	WANT(elsewhere(try_mutex, m), EBUSY);
	WANT(pthread_mutex_timedlock(m, &past), ETIMEDOUT);
	WANT(pthread_mutex_timedlock(m, &before), ETIMEDOUT);
	WANT(pthread_mutex_timedlock(m, &none), EINVAL);
	WANT(pthread_mutex_timedlock(m, &negative), EINVAL);
	WANT(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	WANT(pthread_mutex_clocklock(m, CLOCK_REALTIME, &past), ETIMEDOUT);
	WANT(pthread_mutex_clocklock(m, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
	WANT(pthread_mutex_destroy(m), EBUSY);
	WANT(pthread_mutex_unlock(m), 0);
	WANT(elsewhere(try_mutex, m), 0);
	WANT(pthread_mutex_timedlock(m, &past), 0);
	WANT(pthread_mutex_unlock(m), 0);
	WANT(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &none), 0);
	WANT(pthread_mutex_unlock(m), 0);
	WANT(pthread_mutex_consistent(m), EINVAL);
	WANT(pthread_mutex_destroy(m), 0);
}

static void kind_recursive(pthread_mutex_t *m)
{
	for (int i = 0; i < 1000; i++) WANT(i % 2 ? pthread_mutex_lock(m) : pthread_mutex_trylock(m), 0);
	WANT(pthread_mutex_timedlock(m, &past), 0);
	for (int i = 0; i < 1000; i++) WANT(pthread_mutex_unlock(m), 0);
	WANT(elsewhere(try_mutex, m), EBUSY);
	WANT(elsewhere(unlock_mutex, m), EPERM);
	WANT(pthread_mutex_unlock(m), 0);
	WANT(pthread_mutex_unlock(m), EPERM);
	WANT(elsewhere(try_mutex, m), 0);
	WANT(pthread_mutex_destroy(m), 0);
}

static void kind_errorcheck(pthread_mutex_t *m)
{
	WANT(pthread_mutex_unlock(m), EPERM);
	WANT(pthread_mutex_lock(m), 0);
	WANT(pthread_mutex_lock(m), EDEADLK);
	WANT(pthread_mutex_timedlock(m, &past), EDEADLK);
	WANT(pthread_mutex_trylock(m), EBUSY);
	WANT(elsewhere(try_mutex, m), EBUSY);
	WANT(elsewhere(unlock_mutex, m), EPERM);
	WANT(pthread_mutex_unlock(m), 0);
	WANT(pthread_mutex_unlock(m), EPERM);
	WANT(pthread_mutex_destroy(m), 0);
}

static void kinds(void)
{
	pthread_mutex_t m, still = PTHREAD_MUTEX_INITIALIZER;
	make(&m, PTHREAD_MUTEX_NORMAL), kind_normal(&m);
	WANT(pthread_mutex_init(&m, 0), 0), kind_normal(&m);
	kind_normal(&still);
	make(&m, PTHREAD_MUTEX_RECURSIVE), kind_recursive(&m);
	make(&m, PTHREAD_MUTEX_ERRORCHECK), kind_errorcheck(&m);
#ifdef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
	pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, a = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	kind_recursive(&r);
	kind_errorcheck(&e);
	kind_normal(&a);
	make(&m, PTHREAD_MUTEX_ADAPTIVE_NP), kind_normal(&m);
#endif
}

static void attributes(void)
{
	pthread_mutexattr_t m;
	pthread_condattr_t c;
	pthread_rwlockattr_t r;
	int got = -1;
	clockid_t clock = -1;
	pthread_mutexattr_init(&m);
	WANT(pthread_mutexattr_settype(&m, PTHREAD_MUTEX_RECURSIVE), 0);
	WANT((pthread_mutexattr_getpshared(&m, &got), got), PTHREAD_PROCESS_PRIVATE);
	WANT(pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED), 0);
	WANT(pthread_mutexattr_setpshared(&m, 7), EINVAL);
	WANT((pthread_mutexattr_getpshared(&m, &got), got), PTHREAD_PROCESS_SHARED);
	WANT((pthread_mutexattr_getrobust(&m, &got), got), PTHREAD_MUTEX_STALLED);
	WANT(pthread_mutexattr_setrobust(&m, PTHREAD_MUTEX_ROBUST), 0);
	WANT((pthread_mutexattr_getrobust(&m, &got), got), PTHREAD_MUTEX_ROBUST);
	WANT((pthread_mutexattr_getprotocol(&m, &got), got), PTHREAD_PRIO_NONE);
	WANT(pthread_mutexattr_setprotocol(&m, PTHREAD_PRIO_INHERIT), 0);
	WANT((pthread_mutexattr_getprotocol(&m, &got), got), PTHREAD_PRIO_INHERIT);
	WANT(pthread_mutexattr_setprotocol(&m, PTHREAD_PRIO_PROTECT), ENOTSUP);
	WANT((pthread_mutexattr_gettype(&m, &got), got), PTHREAD_MUTEX_RECURSIVE);
	WANT(pthread_condattr_init(&c), 0);
	WANT((pthread_condattr_getclock(&c, &clock), clock), CLOCK_REALTIME);
	WANT(pthread_condattr_setclock(&c, CLOCK_MONOTONIC), 0);
	WANT(pthread_condattr_setclock(&c, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
	WANT(pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED), 0);
	WANT((pthread_condattr_getclock(&c, &clock), clock), CLOCK_MONOTONIC);
	WANT((pthread_condattr_getpshared(&c, &got), got), PTHREAD_PROCESS_SHARED);
	WANT(pthread_condattr_destroy(&c), 0);
	WANT(pthread_rwlockattr_init(&r), 0);
	WANT((pthread_rwlockattr_getpshared(&r, &got), got), PTHREAD_PROCESS_PRIVATE);
	WANT(pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED), 0);
	WANT((pthread_rwlockattr_getpshared(&r, &got), got), PTHREAD_PROCESS_SHARED);
	WANT(pthread_rwlockattr_destroy(&r), 0);
}

/* Plain memory that only the lock orders: two threads inside at once lose an addition. */
static struct shared {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_cond_t cond, answer;
	pthread_once_t once;
	long count, copy;
	int arrived, round, left;
} s;

static void *add(void *unused)
{
	for (int i = 0; i < TURNS; i++) {
		if (i % 3 == 0) while (pthread_mutex_trylock(&s.mutex)) sched_yield();
		else if (i % 3 == 1) WANT(pthread_mutex_timedlock(&s.mutex, &never), 0);
		else WANT(pthread_mutex_lock(&s.mutex), 0);
		s.count++;
		pthread_mutex_unlock(&s.mutex);
	}
	return unused;
}

static void together(void *(*f)(void *), int threads)
{
	pthread_t t[64];
	for (int i = 0; i < threads; i++) WANT(pthread_create(&t[i], 0, f, (void *)(intptr_t)i), 0);
	for (int i = 0; i < threads; i++) WANT(pthread_join(t[i], 0), 0);
}

static void exclusion(void)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK };
	for (int i = 0; i < 3; i++) {
		make(&s.mutex, types[i]);
		s.count = 0;
		together(add, THREADS);
		WANT(s.count, (long)THREADS * TURNS);
		WANT(pthread_mutex_destroy(&s.mutex), 0);
	}
}

/* Timeouts among threads that queue: who gives up must not take somebody's wake along. */
static void *give_up(void *self)
{
	for (int i = 0; i < TURNS / 4; i++) {
		struct timespec soon;
		clock_gettime(CLOCK_REALTIME, &soon);
		if ((soon.tv_nsec += 20000) >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
		if (self ? pthread_mutex_lock(&s.mutex) : pthread_mutex_timedlock(&s.mutex, &soon)) continue;
		s.count++;
		s.copy++;
		pthread_mutex_unlock(&s.mutex);
	}
	return 0;
}

static void *turn(void *self)
{
	int me = (intptr_t)self;
	pthread_mutex_lock(&s.mutex);
	while (s.round < 2000) {
		while (s.round < 2000 && s.round % THREADS != me)
			WANT(me % 2 ? pthread_cond_wait(&s.cond, &s.mutex) : pthread_cond_timedwait(&s.cond, &s.mutex, &never), 0);
		s.round++;
		pthread_cond_broadcast(&s.cond);
	}
	pthread_mutex_unlock(&s.mutex);
	return 0;
}

/* All wait before the broadcast, since the mutex is free only while they do. */
static void *wait_once(void *unused)
{
	int round;
	pthread_mutex_lock(&s.mutex);
	round = s.round;
	if (++s.arrived == THREADS) pthread_cond_signal(&s.answer);
	while (s.round == round) WANT(pthread_cond_wait(&s.cond, &s.mutex), 0);
	if (++s.left == THREADS) pthread_cond_signal(&s.answer);
	pthread_mutex_unlock(&s.mutex);
	return unused;
}

static void broadcast(int one_by_one)
{
	pthread_t t[THREADS];
	s.arrived = s.left = 0;
	for (int i = 0; i < THREADS; i++) WANT(pthread_create(&t[i], 0, wait_once, 0), 0);
	pthread_mutex_lock(&s.mutex);
	while (s.arrived < THREADS) pthread_cond_wait(&s.answer, &s.mutex);
	s.round++;
	if (!one_by_one) WANT(pthread_cond_broadcast(&s.cond), 0);
	for (int i = 0; one_by_one && i < THREADS; i++) WANT(pthread_cond_signal(&s.cond), 0);
	while (s.left < THREADS) pthread_cond_wait(&s.answer, &s.mutex);
	pthread_mutex_unlock(&s.mutex);
	/* Some of them are still on their way out. */
	WANT(pthread_cond_destroy(&s.cond), 0);
	memset(&s.cond, 0, sizeof s.cond);
	for (int i = 0; i < THREADS; i++) WANT(pthread_join(t[i], 0), 0);
}

static void conditions(void)
{
	pthread_condattr_t a;
	pthread_mutex_t e;
	pthread_mutex_init(&s.mutex, 0);
	WANT(pthread_cond_signal(&s.cond), 0);
	WANT(pthread_cond_broadcast(&s.cond), 0);
	for (int monotonic = 0; monotonic < 2; monotonic++) {
		pthread_condattr_init(&a);
		pthread_condattr_setclock(&a, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME);
		WANT(pthread_cond_init(&s.cond, &a), 0);
		pthread_mutex_lock(&s.mutex);
		WANT(pthread_cond_timedwait(&s.cond, &s.mutex, &past), ETIMEDOUT);
		WANT(pthread_cond_timedwait(&s.cond, &s.mutex, &before), ETIMEDOUT);
		WANT(pthread_cond_timedwait(&s.cond, &s.mutex, &none), EINVAL);
		WANT(pthread_cond_clockwait(&s.cond, &s.mutex, CLOCK_MONOTONIC, &past), ETIMEDOUT);
		WANT(pthread_cond_clockwait(&s.cond, &s.mutex, CLOCK_REALTIME, &past), ETIMEDOUT);
		WANT(pthread_cond_clockwait(&s.cond, &s.mutex, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
		WANT(elsewhere(try_mutex, &s.mutex), EBUSY);
		pthread_mutex_unlock(&s.mutex);
		/* The time of one clock is not that of the other: boot is not the epoch. */
		struct timespec now;
		clock_gettime(monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, &now);
		now.tv_sec -= 1;
		pthread_mutex_lock(&s.mutex);
		WANT(pthread_cond_timedwait(&s.cond, &s.mutex, &now), ETIMEDOUT);
		pthread_mutex_unlock(&s.mutex);
		WANT(pthread_cond_destroy(&s.cond), 0);
	}
	make(&e, PTHREAD_MUTEX_ERRORCHECK);
	pthread_cond_init(&s.cond, 0);
	WANT(pthread_cond_wait(&s.cond, &e), EPERM);
	WANT(pthread_cond_destroy(&s.cond), 0);

	pthread_cond_init(&s.cond, 0);
	s.round = 0;
	together(turn, THREADS);
	WANT(pthread_cond_destroy(&s.cond), 0);
	for (int i = 0; i < 200; i++) {
		WANT(pthread_cond_init(&s.cond, 0), 0);
		broadcast(i % 2);
	}
	pthread_mutex_destroy(&s.mutex);
	pthread_mutex_init(&s.mutex, 0);
	s.count = s.copy = 0;
	together(give_up, THREADS);
	WANT(s.count, s.copy);
	WANT(s.count >= (THREADS - 1) * (TURNS / 4), 1);
}

static void *try_read(void *l)
{
	int err = pthread_rwlock_tryrdlock(l);
	if (!err) pthread_rwlock_unlock(l);
	return (void *)(intptr_t)err;
}

static void *try_write(void *l)
{
	int err = pthread_rwlock_trywrlock(l);
	if (!err) pthread_rwlock_unlock(l);
	return (void *)(intptr_t)err;
}

static void *late_read(void *l)
{
	WANT(pthread_rwlock_timedrdlock(l, &none), EINVAL);
	WANT(pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	return (void *)(intptr_t)pthread_rwlock_timedrdlock(l, &past);
}

static void *late_write(void *l)
{
	WANT(pthread_rwlock_timedwrlock(l, &none), EINVAL);
	WANT(pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	return (void *)(intptr_t)pthread_rwlock_timedwrlock(l, &past);
}

static void *read_and_write(void *self)
{
	for (int i = 0; i < TURNS / 2; i++) {
		if ((i + (intptr_t)self) % 4) {
			WANT(i % 2 ? pthread_rwlock_rdlock(&s.rwlock) : pthread_rwlock_timedrdlock(&s.rwlock, &never), 0);
			WANT(s.count - s.copy, 0);
		} else {
			WANT(i % 8 ? pthread_rwlock_wrlock(&s.rwlock) : pthread_rwlock_timedwrlock(&s.rwlock, &never), 0);
			s.count++;
			s.copy++;
		}
		WANT(pthread_rwlock_unlock(&s.rwlock), 0);
	}
	return 0;
}

static void reader_writer(void)
{
	pthread_rwlock_t still = PTHREAD_RWLOCK_INITIALIZER;
	WANT(pthread_rwlock_init(&s.rwlock, 0), 0);
	for (int i = 0; i < 2; i++) {
		pthread_rwlock_t *l = i ? &still : &s.rwlock;
		WANT(pthread_rwlock_rdlock(l), 0);
		WANT(pthread_rwlock_rdlock(l), 0);
		WANT(pthread_rwlock_trywrlock(l), EBUSY);
		WANT(elsewhere(try_read, l), 0);
		WANT(elsewhere(try_write, l), EBUSY);
		WANT(elsewhere(late_write, l), ETIMEDOUT);
		WANT(pthread_rwlock_destroy(l), EBUSY);
		WANT(pthread_rwlock_unlock(l), 0);
		WANT(elsewhere(try_write, l), EBUSY);
		WANT(pthread_rwlock_unlock(l), 0);
		WANT(elsewhere(try_write, l), 0);
		WANT(pthread_rwlock_wrlock(l), 0);
		WANT(pthread_rwlock_wrlock(l), EDEADLK);
		WANT(pthread_rwlock_rdlock(l), EDEADLK);
		WANT(pthread_rwlock_tryrdlock(l), EBUSY);
		WANT(elsewhere(try_read, l), EBUSY);
		WANT(elsewhere(try_write, l), EBUSY);
		WANT(elsewhere(late_read, l), ETIMEDOUT);
		WANT(elsewhere(late_write, l), ETIMEDOUT);
		WANT(pthread_rwlock_unlock(l), 0);
		WANT(elsewhere(try_read, l), 0);
		WANT(pthread_rwlock_timedwrlock(l, &none), 0);
		WANT(pthread_rwlock_unlock(l), 0);
		WANT(pthread_rwlock_timedrdlock(l, &none), 0);
		WANT(pthread_rwlock_unlock(l), 0);
	}
	WANT(pthread_rwlock_clockrdlock(&s.rwlock, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
	WANT(pthread_rwlock_clockwrlock(&s.rwlock, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
	pthread_rwlock_init(&s.rwlock, 0);
	s.count = s.copy = 0;
	together(read_and_write, THREADS);
	WANT(s.count, (long)THREADS * TURNS / 8);
	WANT(pthread_rwlock_destroy(&s.rwlock), 0);
}

static void start(void)
{
	sched_yield();
	s.count++;
}

static void *begin(void *unused)
{
	WANT(pthread_once(&s.once, start), 0);
	WANT(s.count, 1);
	return unused;
}

static void once(void)
{
	static const pthread_once_t new = PTHREAD_ONCE_INIT;
	for (int i = 0; i < 200; i++) {
		s.once = new;
		s.count = 0;
		together(begin, THREADS);
		WANT(s.count, 1);
	}
}

/* C11's names for the same. The threads are not C11's, which gcc's thread sanitizer does not know. */
static mtx_t m11;
static cnd_t c11;
static once_flag o11 = ONCE_FLAG_INIT;

static void *c11_thread(void *unused)
{
	mtx_lock(&m11);
	while (!s.round) cnd_wait(&c11, &m11);
	s.left++;
	mtx_unlock(&m11);
	return unused;
}

static void *c11_try(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)mtx_trylock(&m11);
}

static void c11_names(void)
{
	pthread_t t;
	WANT(mtx_init(&m11, mtx_plain), thrd_success);
	WANT(cnd_init(&c11), thrd_success);
	s.round = s.left = 0;
	WANT(pthread_create(&t, 0, c11_thread, 0), 0);
	mtx_lock(&m11);
	s.round = 1;
	WANT(cnd_broadcast(&c11), thrd_success);
	mtx_unlock(&m11);
	WANT(pthread_join(t, 0), 0);
	WANT(s.left, 1);
	mtx_lock(&m11);
	WANT(cnd_timedwait(&c11, &m11, &past), thrd_timedout);
	WANT(cnd_signal(&c11), thrd_success);
	WANT(elsewhere(c11_try, 0), thrd_busy);
	mtx_unlock(&m11);
	cnd_destroy(&c11);
	mtx_destroy(&m11);
	WANT(mtx_init(&m11, mtx_recursive | mtx_timed), thrd_success);
	WANT(mtx_lock(&m11), thrd_success);
	WANT(mtx_timedlock(&m11, &past), thrd_success);
	WANT(mtx_unlock(&m11), thrd_success);
	WANT(mtx_unlock(&m11), thrd_success);
	WANT(mtx_unlock(&m11), thrd_error);
	s.count = 0;
	call_once(&o11, start);
	call_once(&o11, start);
	WANT(s.count, 1);
}

/* Ends the program, with the name of what the locks lack. */
static void make_refused(const char *what)
{
	pthread_mutexattr_t m;
	pthread_condattr_t c;
	pthread_rwlockattr_t r;
	pthread_mutexattr_init(&m);
	pthread_condattr_init(&c);
	pthread_rwlockattr_init(&r);
	if (!strcmp(what, "robust")) pthread_mutexattr_setrobust(&m, PTHREAD_MUTEX_ROBUST);
	if (!strcmp(what, "inherit")) pthread_mutexattr_setprotocol(&m, PTHREAD_PRIO_INHERIT);
	if (!strcmp(what, "mutex")) pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	if (!strcmp(what, "cond")) pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
	if (!strcmp(what, "rwlock")) pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&s.cond, &c);
	pthread_rwlock_init(&s.rwlock, &r);
	pthread_mutex_init(&s.mutex, &m);
	if (!strcmp(what, "kind")) ((int *)&s.mutex)[4] = 16;
	pthread_mutex_lock(&s.mutex);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		make_refused(argv[1]);
		return 0;
	}
	attributes();
	kinds();
	exclusion();
	conditions();
	reader_writer();
	once();
	c11_names();
	return wrong != 0;
}
