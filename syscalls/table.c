#include "shim.h"

#define OPS(k) .new = k##_new, .op = k##_op, .check = k##_check, .free = k##_free
#define RAW(k) .new = k##_new, .op = k##_raw_op, .check = k##_check, .free = k##_free

/*
 * No row has KERNEL_SAME_N.  An op leaves nothing to the next one but a stack
 * in glibc's cache, and the CPU time of a contended lock shows no trend from
 * 20,000 ops to 2,000,000.
 */
const struct kernel syscalls_kernels[] = {
	{ "Getppid", "via=wrapper threads=1", "getppid", .usual = "", .flags = KERNEL_CONTROL, OPS(syscalls_getppid) },
	{ "Getppid", "via=raw threads=1", "syscall", .usual = "", .flags = KERNEL_CONTROL, RAW(syscalls_getppid) },
	{ "ClockGettime", "clock=monotonic via=wrapper threads=1", "clock_gettime", .usual = "", OPS(syscalls_clock) },
	{ "ClockGettime", "clock=monotonic via=raw threads=1", "syscall", .usual = "",
	  .flags = KERNEL_CONTROL, RAW(syscalls_clock) },
	{ "Write", "size=1 to=devnull via=wrapper threads=1", "write", .usual = "",
	  .quick = "", OPS(syscalls_write) },
	{ "Write", "size=1 to=devnull via=wrapper threads=1 proc=plain", "write", .usual = "", OPS(syscalls_write) },
	{ "Write", "size=1 to=devnull via=raw threads=1", "syscall", .usual = "",
	  .flags = KERNEL_CONTROL, RAW(syscalls_write) },
	{ "FutexWake", "waiters=0 via=raw threads=1", "syscall", .usual = "",
	  .flags = KERNEL_CONTROL, OPS(syscalls_wake) },
	{ "Mutex", "held=0 think=0 threads=1", "pthread_mutex_lock pthread_mutex_unlock", .usual = "",
	  .quick = "", OPS(syscalls_mutex) },
	{ "Mutex", "held=0 think=0 threads=1 proc=plain", "pthread_mutex_lock pthread_mutex_unlock", .usual = "",
	  OPS(syscalls_mutex) },
	{ "Mutex", "held=0 think=0 threads=2,4,16 place=spread", "pthread_mutex_lock pthread_mutex_unlock", .usual = "",
	  .quick = "threads=16", .summary = "threads=16", OPS(syscalls_mutex) },
	{ "Condvar", "shape=pingpong signal=inside,outside threads=2 place=same,spread",
	  "pthread_mutex_lock pthread_cond_wait pthread_cond_signal pthread_mutex_unlock", .usual = "",
	  .flags = KERNEL_TOGETHER, OPS(syscalls_pingpong) },
	{ "ThreadCreate", "stack=default join=1 threads=1 place=same", "pthread_create pthread_join", .usual = "",
	  .quick = "", OPS(syscalls_thread) },
	{ "ThreadCreate", "stack=default join=1 threads=1 place=same proc=plain", "pthread_create pthread_join", .usual = "",
	  OPS(syscalls_thread) },
	{ 0 }
};
