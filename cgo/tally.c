#include "shim.h"

enum { SEATS = 64 };

/* Linux: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
#if defined(__x86_64__)
enum { SYS_GETTID = 186 };
#elif defined(__aarch64__)
enum { SYS_GETTID = 178 };
#endif

/* A line of memory for each goroutine, so that counting costs no sharing. */
struct tally {
	unsigned long each;	/* what an op adds */
	int fresh;		/* each op has to have a thread of its own */
	long last;		/* the last thread that came */
	unsigned long threads;	/* how often it was another than before */
	struct { _Alignas(64) unsigned long done; } seat[SEATS];
};

static struct tally *here;	/* a function without arguments finds it so */

int cgo_tally_new(const struct shape *s, void **state)
{
	long args = gang_num(s->row, "args", 1);
	if (gang_num(s->row, "goroutines", 1) > SEATS) return GANG_EINVAL;
	here = gang_map(sizeof *here);
	if (!here) return GANG_ENOMEM;
	here->each = args ? args * (args + 1) / 2 : 1;
	here->fresh = gang_is(s->row, "thread", "new");
	*state = here;
	return 0;
}

int cgo_tally_check(void *state, unsigned long n, uint64_t *digest)
{
	struct tally *t = state;
	unsigned long done = 0;
	for (int i = 0; i < SEATS; i++) done += t->seat[i].done;
	*digest = gang_digest(GANG_DIGEST, done);
	return done == n * t->each && (!t->fresh || t->threads == n) ? 0 : GANG_EWRONG;
}

void cgo_tally_free(void *state)
{
	gang_unmap(state, sizeof(struct tally));
}

size_t cgo_seat(size_t state, int i)
{
	return (size_t)&((struct tally *)state)->seat[i].done;
}

void cgo_add(size_t seat, unsigned long done)
{
	*(unsigned long *)seat += done;
}

void cgo_count(size_t seat)
{
	++*(unsigned long *)seat;
}

void cgo_first(size_t seat)
{
	long thread = here->fresh ? gang_syscall(SYS_GETTID, 0, 0, 0, 0, 0, 0) : 0;
	if (thread != here->last) here->threads++;
	here->last = thread;
	++*(unsigned long *)seat;
}

void cgo_args0(void)
{
	here->seat[0].done++;
}

void cgo_args4(long a, long b, long c, long d)
{
	here->seat[0].done += a + b + c + d;
}

void cgo_args8(long a, long b, long c, long d, long e, long f, long g, long h)
{
	here->seat[0].done += a + b + c + d + e + f + g + h;
}

void cgo_pass(unsigned long *x)
{
	++*x;
}

void cgo_pass_noescape(unsigned long *x)
{
	++*x;
}

void cgo_pass_nocallback(unsigned long *x)
{
	++*x;
}

void cgo_pass_both(unsigned long *x)
{
	++*x;
}

int cgo_errno(int value)
{
	*__errno_location() = value;
	return -!!value;
}
