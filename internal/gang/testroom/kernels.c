#include "shim.h"

enum { SEATS = 64, ERANGE = 34 };

struct state {
	const char *row;
	int threads, sat[SEATS], calls[SEATS];
	unsigned long done[SEATS];
};

static struct state the;	/* one row runs at a time */
static int left;		/* states made and not freed */

int testroom_left(void)
{
	return left;
}

static int fails(const char *phase)
{
	return gang_is(the.row, "fail", phase) ? ERANGE : 0;
}

static int testroom_new(const struct shape *s, void **state)
{
	the = (struct state){ .row = s->row, .threads = s->threads };
	*state = &the;
	if (fails("new")) return ERANGE;
	left++;
	return 0;
}

static int testroom_sit(void *state, int t)
{
	the.sat[t]++;
	return t == the.threads - 1 ? fails("sit") : 0;
}

static int testroom_op(void *state, int t, unsigned long n)
{
	the.calls[t]++;
	the.done[t] += n;
	return t == the.threads - 1 ? fails("op") : 0;
}

/* n ops in all, each seat's share the same to within one, each seat sat once. */
static int testroom_check(void *state, unsigned long n, uint64_t *digest)
{
	unsigned long all = 0;
	long batch = gang_num(the.row, "batch", 0);
	int each = gang_is(the.row, "shape", "together");
	*digest = gang_digest(GANG_DIGEST, n);
	if (fails("check")) return GANG_EWRONG;
	for (int t = 0; t < the.threads; t++) {
		unsigned long share = n / the.threads + ((unsigned long)t < n % the.threads);
		/* A Go loop calls op for each batch, and has no seat to prepare. */
		if (batch && the.calls[t] != (n + batch - 1) / batch) return GANG_EWRONG;
		if (the.sat[t] != !batch || the.done[t] != (each ? n : share)) return GANG_EWRONG;
		if (gang_is(the.row, "shape", "latency") && the.calls[t] != the.done[t]) return GANG_EWRONG;
		all += the.done[t];
	}
	return all == (each ? n * the.threads : n) ? 0 : GANG_EWRONG;
}

static void testroom_free(void *state)
{
	left--;
}

static size_t testroom_need(const struct shape *s)
{
	return gang_num(s->row, "size", 0);
}

static int testroom_phases_op(void *state, int t, unsigned long n)
{
	if (gang_is(the.row, "timed", "some")) {
		gang_resume();
		for (long i = 0; i < 1000; i++) LAUNDER(i);
		gang_pause();
	}
	return testroom_op(state, t, n);
}

/* The loop in Go leaves what it saw. */
static int testroom_loop_check(void *state, unsigned long n, uint64_t *digest)
{
	*digest = gang_digest(GANG_DIGEST, n);
	return the.done[0] == n && the.calls[0] == gang_num(the.row, "procs", 0) ? 0 : GANG_EWRONG;
}

void testroom_looped(int procs, unsigned long n)
{
	the.calls[0] = procs;
	the.done[0] = n;
}

static int testroom_lacks_new(const struct shape *s, void **state)
{
	return GANG_EOPNOTSUPP;
}

static double testroom_value(void *state)
{
	return the.done[0] + 0.5;
}

#define OPS .new = testroom_new, .sit = testroom_sit, .op = testroom_op, .check = testroom_check, .free = testroom_free

const struct kernel testroom_kernels[] = {
	{ "Shape", "shape=shared threads=1,2,3,7 place=spread,same", "", .usual = "", .quick = "threads=2,7 place=same", .summary = "", OPS },
	{ "Shape", "shape=together threads=3", "", .flags = KERNEL_TOGETHER, OPS },
	{ "Shape", "shape=latency threads=2", "", .flags = KERNEL_LATENCY, OPS },
	{ "Shape", "shape=caller threads=1", "", .flags = KERNEL_CALLER, OPS },
	{ "Fail", "fail=new,sit,op,check threads=1,4", "", OPS },
	{ "Bytes", "size=4096 proc=plain", "", .about = "one of each flag", .source = "https://example.org/report",
	  .need = testroom_need, .flags = KERNEL_BYTES | KERNEL_CURVE | KERNEL_SAME_N | KERNEL_CONTROL | KERNEL_DISK, OPS },
	{ "Value", "threads=1", "", .unit = "things", .value = testroom_value, OPS },
	{ "Phases", "timed=none,some threads=1,3", "", .flags = KERNEL_PHASES, .new = testroom_new, .sit = testroom_sit,
	  .op = testroom_phases_op, .check = testroom_check, .free = testroom_free },
	{ "Batch", "batch=10", "", OPS },
	{ "Loop", "procs=1,3", 0, .new = testroom_new, .check = testroom_loop_check, .free = testroom_free },
	{ "Lacks", "size=1", 0, .lacks = "O_DIRECT", .flags = KERNEL_DISK, .new = testroom_lacks_new, .op = testroom_op,
	  .check = testroom_check, .free = testroom_free },
	{ 0 }
};
