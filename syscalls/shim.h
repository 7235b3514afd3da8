/*
 * What a system call, a lock and a thread cost through libc.  Each kernel is
 * new, op, check and free as internal/gang/gang.h says; table.c lists the
 * rows.  Where a row has via=, via=wrapper calls libc's function and via=raw
 * holds the instruction itself, so that the difference is libc's.
 */
#ifndef LIBCOST_SYSCALLS_SHIM_H
#define LIBCOST_SYSCALLS_SHIM_H

#include "gang.h"

/* At least as large as either libc's own types, which internal/attest asserts. */
struct mutex { _Alignas(64) char bytes[64]; };
struct cond { _Alignas(64) char bytes[64]; };
struct rwlock { _Alignas(64) char bytes[64]; };
struct semaphore { _Alignas(64) char bytes[64]; };
struct barrier { _Alignas(64) char bytes[64]; };
struct attr { _Alignas(64) char bytes[64]; };
struct timespec { long sec, nsec; };

int getppid(void);
int clock_gettime(int, struct timespec *);
long write(int, const void *, size_t);
long read(int, void *, size_t);
long pwrite(int, const void *, size_t, long);
long lseek(int, long, int);
int close(int);
int sched_yield(void);
long time(long *);
int pthread_mutex_init(struct mutex *, const void *);
int pthread_mutex_lock(struct mutex *);
int pthread_mutex_unlock(struct mutex *);
int pthread_mutex_trylock(struct mutex *);
int pthread_mutex_destroy(struct mutex *);
int pthread_attr_init(struct attr *);
int pthread_attr_setstacksize(struct attr *, size_t);
int pthread_attr_destroy(struct attr *);
int pthread_mutexattr_init(struct attr *);
int pthread_mutexattr_settype(struct attr *, int);
int pthread_mutexattr_destroy(struct attr *);
int pthread_rwlock_init(struct rwlock *, const void *);
int pthread_rwlock_rdlock(struct rwlock *);
int pthread_rwlock_wrlock(struct rwlock *);
int pthread_rwlock_unlock(struct rwlock *);
int pthread_rwlock_destroy(struct rwlock *);
int pthread_spin_init(volatile int *, int);
int pthread_spin_lock(volatile int *);
int pthread_spin_unlock(volatile int *);
int pthread_spin_destroy(volatile int *);
int sem_init(struct semaphore *, int, unsigned);
int sem_post(struct semaphore *);
int sem_wait(struct semaphore *);
int sem_getvalue(struct semaphore *, int *);
int sem_destroy(struct semaphore *);
int pthread_once(int *, void (*)(void));
int pthread_barrier_init(struct barrier *, const void *, unsigned);
int pthread_barrier_wait(struct barrier *);
int pthread_barrier_destroy(struct barrier *);
int pthread_cond_broadcast(struct cond *);
int pthread_cond_init(struct cond *, const void *);
int pthread_cond_wait(struct cond *, struct mutex *);
int pthread_cond_signal(struct cond *);
int pthread_cond_destroy(struct cond *);
int pthread_create(void **, const void *, void *(*)(void *), void *);
int pthread_join(void *, void **);
unsigned long getauxval(unsigned long);
int posix_spawn(int *, const char *, const void *, const void *, char *const *, char *const *);
int waitpid(int, int *, int);

/* Linux: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
#if defined(__x86_64__)
enum { SYS_WRITE = 1, SYS_CLOSE = 3, SYS_GETPPID = 110, SYS_CLOCK_GETTIME = 228, SYS_OPENAT = 257,
	SYS_READ = 0, SYS_LSEEK = 8, SYS_PWRITE = 18, SYS_SCHED_YIELD = 24,
	SYS_READLINKAT = 267, SYS_FACCESSAT = 269 };
#elif defined(__aarch64__)
enum { SYS_OPENAT = 56, SYS_CLOSE = 57, SYS_WRITE = 64, SYS_CLOCK_GETTIME = 113, SYS_GETPPID = 173,
	SYS_LSEEK = 62, SYS_READ = 63, SYS_PWRITE = 68, SYS_SCHED_YIELD = 124,
	SYS_READLINKAT = 78, SYS_FACCESSAT = 48 };
#endif

#define KERNEL(k) \
	int k##_new(const struct shape *, void **); \
	int k##_op(void *, int, unsigned long); \
	int k##_check(void *, unsigned long, uint64_t *); \
	void k##_free(void *)

/*
 * getppid(2): into the kernel and back, the floor of every system call.  The
 * wrapper is the bare instruction in both libcs.
 */
KERNEL(syscalls_getppid);
int syscalls_getppid_raw_op(void *, int, unsigned long);

/*
 * clock_gettime(2) of CLOCK_MONOTONIC.  via=wrapper stays in user space: both
 * libcs, static ones too, call the kernel's vdso(7).  That a libc finds the
 * vDSO is its own doing, so the row is no control.  via=vdso calls the vDSO's
 * function by its address, as a libc does; via=raw is the system call that the
 * vDSO saves.
 */
KERNEL(syscalls_clock);
int syscalls_clock_vdso_op(void *, int, unsigned long);
int syscalls_clock_raw_op(void *, int, unsigned long);

/* Linux: include/uapi/linux/auxvec.h. */
enum { AT_BASE = 7, AT_SYSINFO_EHDR = 33 };

/*
 * The address of a symbol of the image, vDSO or loader, whose ELF header is
 * given; 0 if there is none.
 */
const void *syscalls_symbol(const void *header, const char *name);

/*
 * write(2) of size= bytes to a device of /dev, to=devnull.  The descriptor is
 * opened before the clock starts.  The errno of a write that fails is the
 * row's; a short write is EIO.
 *
 * write is a cancellation point (pthreads(7)).  Once there is a second thread
 * glibc before 2.41 makes cancellation asynchronous for the length of the call
 * (https://sourceware.org/bugzilla/show_bug.cgi?id=12683); musl compares the
 * program counter when a cancellation comes.
 */
KERNEL(syscalls_write);
int syscalls_write_raw_op(void *, int, unsigned long);

/*
 * futex(2), FUTEX_WAKE of one private waiter where there is none: what an
 * unlock pays that wrongly believes in a waiter.  Neither libc has a wrapper.
 */
KERNEL(syscalls_wake);

/*
 * One call with next to nothing behind it: read(2) of a byte of /dev/zero,
 * pwrite(2) of one to /dev/null, lseek(2) there, close(2) of -1, whose EBADF is
 * the right answer, sched_yield(2).  read, pwrite and close are cancellation
 * points as write is.
 */
int syscalls_call_new(const struct shape *, void **);
int syscalls_read_op(void *, int, unsigned long);
int syscalls_read_raw_op(void *, int, unsigned long);
int syscalls_pwrite_op(void *, int, unsigned long);
int syscalls_pwrite_raw_op(void *, int, unsigned long);
int syscalls_lseek_op(void *, int, unsigned long);
int syscalls_lseek_raw_op(void *, int, unsigned long);
int syscalls_close_op(void *, int, unsigned long);
int syscalls_close_raw_op(void *, int, unsigned long);
int syscalls_yield_op(void *, int, unsigned long);
int syscalls_yield_raw_op(void *, int, unsigned long);
int syscalls_call_check(void *, unsigned long, uint64_t *);
void syscalls_call_free(void *);

/*
 * One added to a variable of the thread's own, by the ways in which code finds
 * it: model=local-exec at an offset that the linker knew, initial-exec at one
 * that the loader wrote into a table, global-dynamic at an address that
 * __tls_get_addr returns.  Only the last is libc's, and only a shared library
 * does it: a static program has no such function.
 *
 * Source: Drepper, ELF Handling For Thread-Local Storage, 2013.
 */
int syscalls_local_new(const struct shape *, void **);
int syscalls_local_op(void *, int, unsigned long);
int syscalls_local_initial_op(void *, int, unsigned long);
int syscalls_local_dynamic_op(void *, int, unsigned long);
int syscalls_local_check(void *, unsigned long, uint64_t *);
void syscalls_local_free(void *);

/* time(2): glibc takes the vDSO's time, musl its clock_gettime. */
KERNEL(syscalls_time);

/*
 * pthread_mutex_lock(3p) of a normal mutex, one added to a counter, unlock.
 * held= and think= are how many steps of a chain of multiplications a thread
 * does inside and outside.  A step is three cycles, a nanosecond at 3 GHz: the
 * key is a nominal time, the work is the same.  All threads share the one mutex.
 * Contended rows are about cpu-ns/op, what waiting burns by spinning and in
 * futex(2), and less about ns/op, which the luck of the scheduler decides.
 *
 * after=thread: a thread was made and joined before.  glibc takes the lock
 * without a locked instruction as long as the process never had a second thread.
 *
 * Source: https://justine.lol/mutex/, a counter, one mutex and 30 threads, where
 * musl took 3.7 times as long as glibc.
 */
KERNEL(syscalls_mutex);

/*
 * The same lock while all threads race for one total of ops: the row's value is
 * the largest share of a thread, 1 where all had as many.
 */
int syscalls_fair_op(void *, int, unsigned long);
double syscalls_fair_value(void *);

/* pthread_mutex_trylock(3p) and unlock of a free mutex. */
int syscalls_trylock_op(void *, int, unsigned long);

/* A recursive mutex taken twice and given back twice. */
int syscalls_recursive_new(const struct shape *, void **);
int syscalls_recursive_op(void *, int, unsigned long);

/* pthread_rwlock_rdlock(3p) or wrlock, and unlock; a writer counts. */
KERNEL(syscalls_rwlock);
int syscalls_rwlock_write_op(void *, int, unsigned long);

/* pthread_spin_lock(3p), one added, unlock. */
KERNEL(syscalls_spin);

/*
 * sem_post(3) and sem_wait(3): waiters=0 of a semaphore that nobody waits for.
 * Else one op is a round: thread 0 posts once for each waiter, and waits as
 * often on a second semaphore, to which a waiter posts for each token it took.
 */
KERNEL(syscalls_sem);
int syscalls_sem_round_op(void *, int, unsigned long);

/* pthread_once(3p) after the first time. */
KERNEL(syscalls_once);

/* pthread_barrier_wait(3p) of all threads; one op is a round of all. */
KERNEL(syscalls_barrier);

/* pthread_cond_signal(3p) where nobody waits. */
KERNEL(syscalls_signal);

/*
 * One round: thread 0 waits until all others wait, and pthread_cond_broadcast
 * wakes them.  musl wakes one and hands the rest over as the mutex comes free;
 * glibc since 2.25 wakes all at once, who then meet at the mutex.  nvcsw/op tells.
 */
KERNEL(syscalls_broadcast);

/*
 * Two threads hand a word to each other by futex(2) alone, the floor of every
 * hand-over.  One op is a round trip.
 */
KERNEL(syscalls_futex);

/*
 * Two threads hand a turn to each other under one mutex and one condition
 * variable.  One op is a round trip, two hand-overs.  place=same is a switch
 * of threads on one CPU, place=spread the waking of an idle one.
 *
 * pthread_cond_signal(3p) leaves it open whether the caller holds the mutex,
 * and that decides which libc is ahead.  With signal=inside, on one CPU, musl
 * takes 2.4 times as long as glibc: the woken thread finds the mutex taken and
 * sleeps again, 3.9 switches a round trip against 2.1.  With signal=outside it
 * takes 0.85 times as long.
 */
KERNEL(syscalls_pingpong);

/*
 * pthread_create(3) without attributes and pthread_join(3) of a thread that
 * adds one to a counter, on the creator's CPU.  ns/op holds both threads' time;
 * cpu-ns/op and the counters are the creator's alone.
 *
 * stack=default is what libc gives: glibc RLIMIT_STACK, 8 MiB as a rule, from
 * its cache of stacks; musl 128 KiB or what PT_GNU_STACK says, new from
 * mmap(2) each time.  A static musl test binary says 8 MiB there, for the C
 * code of Go's own threads; the plain worker says nothing.
 *
 * Source: https://wiki.musl-libc.org/functional-differences-from-glibc.html
 */
KERNEL(syscalls_thread);

/*
 * posix_spawn(3) of a program that does nothing, and waitpid(2) for its end.
 * The program is the variant's libc, linked as link= says; it lies beside this
 * one, empty.static or empty.dynamic, and gets no environment.  One op is made,
 * loaded, started and ended by the kernel, the loader and both libcs.
 */
KERNEL(syscalls_spawn);

extern const struct kernel syscalls_kernels[];

#endif
