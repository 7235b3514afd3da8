#include "locks.h"

long write(int, const void *, unsigned long);
_Noreturn void abort(void);

_Thread_local char swap_self;

/* Linux: include/uapi/linux/futex.h and the tables of system calls. */
enum { FUTEX_WAKE = 1, FUTEX_WAIT_BITSET = 9, FUTEX_PRIVATE = 128, FUTEX_REALTIME = 256 };

static long futex(unsigned *word, int op, unsigned value, const struct timespec *until)
{
#if defined(__x86_64__)
	long ret;
	register const struct timespec *r10 __asm__("r10") = until;
	register void *r8 __asm__("r8") = 0;
	register long r9 __asm__("r9") = 0xffffffff;
	__asm__ volatile("syscall" : "=a"(ret)
		: "a"(202L), "D"(word), "S"((long)op), "d"((long)value), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = 98;
	register long x0 __asm__("x0") = (long)word;
	register long x1 __asm__("x1") = op;
	register long x2 __asm__("x2") = value;
	register const struct timespec *x3 __asm__("x3") = until;
	register void *x4 __asm__("x4") = 0;
	register long x5 __asm__("x5") = 0xffffffff;
	__asm__ volatile("svc 0" : "+r"(x0)
		: "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
		: "memory", "cc");
	return x0;
#else
#error "the locks know the system calls of x86-64 and aarch64"
#endif
}

int swap_wait(unsigned *word, unsigned value, int clock, const struct timespec *until)
{
	int op = FUTEX_WAIT_BITSET | FUTEX_PRIVATE | (clock == REALTIME ? FUTEX_REALTIME : 0);
	/* Before the epoch, which the kernel calls no time. */
	if (until && until->sec < 0) return ETIMEDOUT;
	return -futex(word, op, value, until);
}

void swap_wake(unsigned *word, int threads)
{
	futex(word, FUTEX_WAKE | FUTEX_PRIVATE, threads, 0);
}

static void say(const char *s)
{
	unsigned long n = 0;
	while (s[n]) n++;
	/* There is nobody left to tell that stderr is closed. */
	if (write(2, s, n) < 0) return;
}

void swap_refuse(const char *what)
{
	say("libcost: locks: ");
	say(what);
	say(" is not in this part\n");
	abort();
}
