/*
 * Times of single ops in log-linear buckets: 128 to each power of two, so
 * that a bucket is at most 1/128 of its value wide; below 128 ns exact.
 */
#ifndef LIBCOST_HISTOGRAM_H
#define LIBCOST_HISTOGRAM_H

#include "gang.h"

enum { HISTOGRAM_STEPS = 128, HISTOGRAM_BUCKETS = 58 * HISTOGRAM_STEPS };

struct histogram {
	uint64_t count[HISTOGRAM_BUCKETS], total;
	int64_t max;
};

void histogram_add(struct histogram *, int64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *);

/* The middle of the bucket that holds quantile q; 0 with fewer than ten ops above it. */
int64_t histogram_quantile(const struct histogram *, double q);

/* The largest value that a bucket holds. */
int64_t histogram_upper(int bucket);

#endif
