/* The slowest requests, and the syncs that held them. */
#include "client.h"

#include <stdlib.h>

void slow_add(struct tally *t, const struct slow *s)
{
	if (t->nslow < SLOWEST) {
		t->slow[t->nslow++] = *s;
		if (t->nslow == SLOWEST) slow_sort(t);
		return;
	}
	/* Sorted, the fastest of them last. */
	int i = SLOWEST - 1;
	if (s->latency <= t->slow[i].latency) return;
	for (; i > 0 && t->slow[i - 1].latency < s->latency; i--) t->slow[i] = t->slow[i - 1];
	t->slow[i] = *s;
}

static int slower(const void *a, const void *b)
{
	int64_t x = ((const struct slow *)a)->latency, y = ((const struct slow *)b)->latency;
	return (x < y) - (x > y);
}

void slow_sort(struct tally *t)
{
	qsort(t->slow, t->nslow, sizeof *t->slow, slower);
}

/* A get waits only before its turn comes. */
const struct wire_sync *slow_sync(const struct slow *s, const struct node *leader)
{
	int64_t from = s->at[AT_READ], to = s->at[s->read ? AT_TAKEN : AT_SYNCED], longest = 0;
	const struct wire_sync *found = 0;
	for (uint64_t i = 0; i < leader->stats.kept; i++) {
		const struct wire_sync *y = &leader->syncs[i];
		int64_t first = y->start > from ? y->start : from, last = y->end < to ? y->end : to;
		if (last - first <= longest) continue;
		longest = last - first;
		found = y;
	}
	return found;
}

int slow_held(const struct outcome *o, int64_t *longer, double *quantile)
{
	static const double quantiles[] = { .99, .9, .5 };
	const struct node *leader = &o->node[0];
	struct histogram *h = reserve(sizeof *h);
	int held = 0;
	*longer = 0;
	for (uint64_t i = 0; i < leader->stats.kept; i++) histogram_add(h, leader->syncs[i].end - leader->syncs[i].start);
	for (int i = 0; i < 3 && !*longer; i++) *longer = histogram_quantile(h, *quantile = quantiles[i]);
	free(h);
	for (int i = 0; i < o->all->nslow && *longer; i++) {
		const struct wire_sync *y = slow_sync(&o->all->slow[i], leader);
		held += y && y->end - y->start > *longer;
	}
	return held;
}
