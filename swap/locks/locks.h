/*
 * Mutexes, condition variables, reader-writer locks and once that stand in for
 * libc's, the same in glibc and in musl, on futex(2).  No libc header: the
 * types are our own and fit into both libcs'.  Numbers are Linux' and those in
 * which both libcs agree.
 *
 * Not here: mutexes that are robust, inherit priorities or are shared between
 * processes.  A program that makes one ends with a word on stderr.
 */
#ifndef LIBCOST_SWAP_LOCKS_H
#define LIBCOST_SWAP_LOCKS_H

typedef unsigned condattr, mutexattr;
struct rwlockattr { unsigned shared, kind; };
struct timespec { long sec, nsec; };

/* glibc's static initialisers put the kind 16 bytes in, all else is 0 in both. */
struct mutex {
	unsigned state;
	unsigned depth;	/* of recursion, beyond the first */
	void *owner;	/* not of a normal one */
	int kind;
};
struct cond { unsigned sequence, waiters; int clock; };

/*
 * State and waiters are musl's, bit by bit: its thread-specific keys have a
 * lock of its own, which musl takes by the public name pthread_rwlock_trywrlock
 * and releases by another.  The third word is musl's, and 0.
 */
struct rwlock { unsigned state, waiters, shared; void *writer; };

_Static_assert(__builtin_offsetof(struct mutex, kind) == 16, "kind is not where glibc has it");
_Static_assert(__builtin_offsetof(struct rwlock, writer) >= 12, "musl's word is overwritten");
_Static_assert(sizeof(struct mutex) <= 40, "pthread_mutex_t is smaller");
_Static_assert(sizeof(struct cond) <= 48, "pthread_cond_t is smaller");
_Static_assert(sizeof(struct rwlock) <= 56, "pthread_rwlock_t is smaller");
_Static_assert(sizeof(struct rwlockattr) <= 8, "pthread_rwlockattr_t is smaller");

enum { EPERM = 1, EAGAIN = 11, EBUSY = 16, EINVAL = 22, EDEADLK = 35, ENOTSUP = 95, ETIMEDOUT = 110 };
enum { REALTIME, MONOTONIC };	/* clocks */
enum { NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE };	/* kinds; adaptive is glibc's, and normal here */

int pthread_mutex_init(struct mutex *, const mutexattr *);
int pthread_mutex_destroy(struct mutex *);
int pthread_mutex_lock(struct mutex *);
int pthread_mutex_trylock(struct mutex *);
int pthread_mutex_timedlock(struct mutex *, const struct timespec *);
int pthread_mutex_clocklock(struct mutex *, int, const struct timespec *);
int pthread_mutex_unlock(struct mutex *);
int pthread_mutex_consistent(struct mutex *);
int pthread_mutex_getprioceiling(const struct mutex *, int *);
int pthread_mutex_setprioceiling(struct mutex *, int, int *);
int pthread_mutexattr_init(mutexattr *);
int pthread_mutexattr_destroy(mutexattr *);
int pthread_mutexattr_gettype(const mutexattr *, int *);
int pthread_mutexattr_settype(mutexattr *, int);
int pthread_mutexattr_getprotocol(const mutexattr *, int *);
int pthread_mutexattr_setprotocol(mutexattr *, int);
int pthread_mutexattr_getpshared(const mutexattr *, int *);
int pthread_mutexattr_setpshared(mutexattr *, int);
int pthread_mutexattr_getrobust(const mutexattr *, int *);
int pthread_mutexattr_setrobust(mutexattr *, int);
int pthread_mutexattr_getprioceiling(const mutexattr *, int *);
int pthread_mutexattr_setprioceiling(mutexattr *, int);
int pthread_cond_init(struct cond *, const condattr *);
int pthread_cond_destroy(struct cond *);
int pthread_cond_wait(struct cond *, struct mutex *);
int pthread_cond_timedwait(struct cond *, struct mutex *, const struct timespec *);
int pthread_cond_clockwait(struct cond *, struct mutex *, int, const struct timespec *);
int pthread_cond_signal(struct cond *);
int pthread_cond_broadcast(struct cond *);
int pthread_condattr_init(condattr *);
int pthread_condattr_destroy(condattr *);
int pthread_condattr_getclock(const condattr *, int *);
int pthread_condattr_setclock(condattr *, int);
int pthread_condattr_getpshared(const condattr *, int *);
int pthread_condattr_setpshared(condattr *, int);
int pthread_rwlock_init(struct rwlock *, const struct rwlockattr *);
int pthread_rwlock_destroy(struct rwlock *);
int pthread_rwlock_rdlock(struct rwlock *);
int pthread_rwlock_tryrdlock(struct rwlock *);
int pthread_rwlock_timedrdlock(struct rwlock *, const struct timespec *);
int pthread_rwlock_clockrdlock(struct rwlock *, int, const struct timespec *);
int pthread_rwlock_wrlock(struct rwlock *);
int pthread_rwlock_trywrlock(struct rwlock *);
int pthread_rwlock_timedwrlock(struct rwlock *, const struct timespec *);
int pthread_rwlock_clockwrlock(struct rwlock *, int, const struct timespec *);
int pthread_rwlock_unlock(struct rwlock *);
int pthread_rwlockattr_init(struct rwlockattr *);
int pthread_rwlockattr_destroy(struct rwlockattr *);
int pthread_rwlockattr_getpshared(const struct rwlockattr *, int *);
int pthread_rwlockattr_setpshared(struct rwlockattr *, int);
int pthread_rwlockattr_getkind_np(const struct rwlockattr *, int *);
int pthread_rwlockattr_setkind_np(struct rwlockattr *, int);
int pthread_once(unsigned *, void (*)(void));

/*
 * Attributes are laid out as in musl: its pthread_mutexattr_gettype is one
 * archive member with pthread_attr_getstacksize, comes along with it, and reads
 * what our pthread_mutexattr_settype wrote.  Ours are weak, and give way.
 */
enum { ATTR_KIND = 3, ATTR_ROBUST = 4, ATTR_INHERIT = 8, ATTR_SHARED = 128 };
#define CONDATTR_SHARED (1u << 31)
#define GETTER __attribute__((weak)) int

#define HIDDEN __attribute__((visibility("hidden")))

/* Prints "libcost: locks: a robust mutex is not in this part" and aborts. */
HIDDEN _Noreturn void swap_refuse(const char *what);

/*
 * Sleeps while *word is value, until a time of a clock if until is not null.
 * 0, EAGAIN, EINTR or ETIMEDOUT.
 */
HIDDEN int swap_wait(unsigned *word, unsigned value, int clock, const struct timespec *until);
HIDDEN void swap_wake(unsigned *word, int threads);

/* A thread is the address of this. */
extern HIDDEN _Thread_local char swap_self;

static inline unsigned look(unsigned *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static inline int replace(unsigned *p, unsigned from, unsigned to, int order)
{
	return __atomic_compare_exchange_n(p, &from, to, 0, order, __ATOMIC_RELAXED);
}
static inline int is_mine(void **owner) { return __atomic_load_n(owner, __ATOMIC_RELAXED) == &swap_self; }
static inline void own(void **owner, void *who) { __atomic_store_n(owner, who, __ATOMIC_RELAXED); }
static inline int is_clock(int clock) { return clock == REALTIME || clock == MONOTONIC; }
static inline int is_time(const struct timespec *t) { return t->nsec >= 0 && t->nsec < 1000000000; }

#endif
