/* What the gang offers to its two callers: the Go side and the plain worker. */
#ifndef LIBCOST_GANG_RUN_H
#define LIBCOST_GANG_RUN_H

#include "gang.h"
#include "histogram.h"

/*
 * Percent of ops that a sample runs beyond those it was asked for and tells: a
 * variant built with -DLIBCOST_PLANT=5 must come out 5 % slower.
 */
#ifndef LIBCOST_PLANT
#define LIBCOST_PLANT 0
#endif

static inline unsigned long gang_ops(unsigned long asked)
{
	return asked + asked * LIBCOST_PLANT / 100;
}

/* Quantiles of single ops, in ns; 0 where fewer than ten ops lie above. */
enum { GANG_P50, GANG_P90, GANG_P99, GANG_P999, GANG_QUANTILES };

/* System calls that a counting pass can count at most. */
enum { GANG_TRACEPOINTS = 8 };

struct gang_result {
	int err;		/* 0 or an errno */
	const char *phase;	/* what failed: "set up", "start thread", "run", "check" */
	int64_t elapsed_ns;	/* last thread's end minus first thread's start */
	int64_t cpu_ns;		/* all threads */
	int64_t minflt, majflt, nvcsw, nivcsw;
	int64_t run_delay_ns;	/* runnable but not running, all threads; -1 unknown */
	uint64_t digest;
	int64_t quantile_ns[GANG_QUANTILES];
	int64_t max_ns;
	struct histogram *ops;	/* of a latency row, or 0; the caller unmaps it */
	double value;		/* of a kernel that has one */
	int64_t calls[GANG_TRACEPOINTS];	/* in a counting pass */
};

/* Clock and counters of a thread, or of the whole process, between two moments. */
struct gang_span {
	int whole;
	int64_t start_ns, end_ns, cpu_ns;
	int64_t minflt, majflt, nvcsw, nivcsw, run_delay_ns;
	int64_t calls[GANG_TRACEPOINTS];
	int tracepoint[GANG_TRACEPOINTS];	/* open counters */
};

/*
 * From here on spans count these tracepoints of the kernel, by their ids in
 * tracefs.  A counting pass is no timed one: each count has a price.  0, or
 * the errno of a counter that can't be had.
 */
int gang_count(const uint64_t *ids, int n);

void gang_begin(struct gang_span *);
void gang_end(struct gang_span *);

/* The kernel of a row: rows of one name may differ in their op.  0 if there is none. */
const struct kernel *gang_find(const struct kernel *table, const char *row);

/*
 * Runs n ops of a row: set up, start the threads, release them together,
 * check, tear down.  here: one thread only, the caller's own.
 */
void gang_run(const struct kernel *, const struct shape *, int here, struct gang_result *);

/* What check says after shape.n ops of which none ran; 0 or the errno of the set-up. */
int gang_check_idle(const struct kernel *, const struct shape *, int *said);

#endif
