/* The histogram against sorted values; prints what is wrong. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include "histogram.h"

enum { N = 20000 };

static int less(const void *a, const void *b)
{
	int64_t x = *(int64_t *)a, y = *(int64_t *)b;
	return (x > y) - (x < y);
}

/* The middle of a bucket is within half a bucket, 1/256, of each value in it. */
static int near(int64_t got, int64_t want)
{
	int64_t off = got > want ? got - want : want - got;
	return off * 256 <= want + 256;
}

static int compare(int64_t *v, int n, const char *what)
{
	static const double q[] = { .5, .9, .99, .999 };
	struct histogram *h = calloc(1, sizeof *h), *half = calloc(1, sizeof *half);
	int bad = 0;
	for (int i = 0; i < n; i++) histogram_add(i % 2 ? h : half, v[i]);
	histogram_merge(h, half);
	qsort(v, n, sizeof *v, less);
	for (int i = 0; i < 4; i++) {
		int64_t got = histogram_quantile(h, q[i]);
		int64_t want = n - q[i] * n < 10 - 1e-6 ? 0 : v[(int)(q[i] * n)];
		if (want ? near(got, want) : !got) continue;
		printf("%s, %d values: quantile %g is %lld, want %lld\n", what, n, q[i], (long long)got, (long long)want);
		bad = 1;
	}
	if (h->max != v[n - 1] || h->total != n) bad |= !!printf("%s: max %lld of %lld, %d values\n", what, (long long)h->max, (long long)v[n - 1], n);
	free(h), free(half);
	return bad;
}

int main(void)
{
	static int64_t v[N];
	uint64_t seed = 1;
	int bad = 0;
	static const int sizes[] = { 10, 99, 100, 999, 1000, 9999, 10000, N };
	for (int s = 0; s < 8; s++) {
		int n = sizes[s];
		for (int i = 0; i < n; i++) v[i] = 1 + i;
		bad |= compare(v, n, "1, 2, 3 ...");
		for (int i = 0; i < n; i++) v[i] = gang_random(&seed) % 255 + 1;
		bad |= compare(v, n, "below 256");
		for (int i = 0; i < n; i++) v[i] = gang_random(&seed) >> (1 + gang_random(&seed) % 60);
		bad |= compare(v, n, "all magnitudes");
	}
	/* The largest value there is has a bucket. */
	v[0] = INT64_MAX;
	bad |= compare(v, 1, "largest");
	return bad;
}
