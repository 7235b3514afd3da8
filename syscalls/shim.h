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
struct timespec { long sec, nsec; };

int getppid(void);
int clock_gettime(int, struct timespec *);
long write(int, const void *, size_t);
int pthread_mutex_init(struct mutex *, const void *);
int pthread_mutex_lock(struct mutex *);
int pthread_mutex_unlock(struct mutex *);
int pthread_mutex_destroy(struct mutex *);
int pthread_cond_init(struct cond *, const void *);
int pthread_cond_wait(struct cond *, struct mutex *);
int pthread_cond_signal(struct cond *);
int pthread_cond_destroy(struct cond *);
int pthread_create(void **, const void *, void *(*)(void *), void *);
int pthread_join(void *, void **);

/* Linux: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
#if defined(__x86_64__)
enum { SYS_WRITE = 1, SYS_CLOSE = 3, SYS_GETPPID = 110, SYS_CLOCK_GETTIME = 228, SYS_OPENAT = 257 };
#elif defined(__aarch64__)
enum { SYS_OPENAT = 56, SYS_CLOSE = 57, SYS_WRITE = 64, SYS_CLOCK_GETTIME = 113, SYS_GETPPID = 173 };
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
 * vDSO is its own doing, so the row is no control.  via=raw is the system call
 * that the vDSO saves.
 */
KERNEL(syscalls_clock);
int syscalls_clock_raw_op(void *, int, unsigned long);

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
 * pthread_mutex_lock(3p) of a normal mutex, one added to a counter, unlock.
 * held= and think= are how long a thread does something else inside and
 * outside; all threads share the one mutex.  Contended rows are about
 * cpu-ns/op, what waiting burns by spinning and in futex(2), and less about
 * ns/op, which the luck of the scheduler decides.
 *
 * Source: https://justine.lol/mutex/, a counter, one mutex and 30 threads, where
 * musl took 3.7 times as long as glibc.
 */
KERNEL(syscalls_mutex);

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

extern const struct kernel syscalls_kernels[];

#endif
