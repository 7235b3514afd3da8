#include "histogram.h"

/* Values of [128 << e, 256 << e) share the shift e. */
static int shift(uint64_t v)
{
	return v < HISTOGRAM_STEPS ? 0 : 56 - __builtin_clzll(v);
}

void histogram_add(struct histogram *h, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 : ns;
	int e = shift(v);
	h->count[e * HISTOGRAM_STEPS + (v >> e)]++;
	h->total++;
	if (ns > h->max) h->max = ns;
}

void histogram_merge(struct histogram *into, const struct histogram *h)
{
	for (int i = 0; i < HISTOGRAM_BUCKETS; i++) into->count[i] += h->count[i];
	into->total += h->total;
	if (h->max > into->max) into->max = h->max;
}

/* What the values of a bucket share is shifted by so much. */
static int shift_of(int bucket)
{
	return bucket < 2 * HISTOGRAM_STEPS ? 0 : bucket / HISTOGRAM_STEPS - 1;
}

int64_t histogram_upper(int bucket)
{
	int e = shift_of(bucket);
	return ((uint64_t)(bucket - e * HISTOGRAM_STEPS + 1) << e) - 1;
}

static int64_t middle(int bucket)
{
	return histogram_upper(bucket) - (1ULL << shift_of(bucket)) / 2;
}

int64_t histogram_quantile(const struct histogram *h, double q)
{
	uint64_t rank = q * h->total, seen = 0;
	/* A hair's breadth for .99 * 1000 = 990.0000000000001 and the like. */
	if ((1 - q) * h->total < 10 - 1e-6) return 0;
	for (int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if ((seen += h->count[i]) > rank) return middle(i);
	return h->max;
}
