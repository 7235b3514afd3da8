#include "shim.h"

struct search {
	struct stdlib s;
	size_t elements;
	int absent;
	uint64_t wanted[INPUTS], at[INPUTS];	/* the numbers to look for, and what each op adds */
	uint64_t number[];
};

static int stdlib_search_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int stdlib_search_new(const struct shape *s, void **state)
{
	size_t elements = gang_num(s->row, "elements", 1);
	uint64_t seed = 1;
	struct search *b = stdlib_map(sizeof *b + elements * sizeof *b->number);
	if (!b) return GANG_ENOMEM;
	b->elements = elements;
	b->absent = gang_is(s->row, "key", "absent");
	for (size_t i = 0; i < elements; i++) b->number[i] = 2 * i;
	for (int i = 0; i < INPUTS; i++) {
		size_t at = gang_random(&seed) % elements;
		b->wanted[i] = 2 * at + b->absent;
		b->at[i] = b->absent ? 1 : at + 2;
	}
	*state = b;
	return 0;
}

int stdlib_bsearch_op(void *state, int t, unsigned long n)
{
	struct search *b = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		const uint64_t *key = &b->wanted[i % INPUTS];
		LAUNDER(key);
		uint64_t *p = bsearch(key, b->number, b->elements, sizeof *b->number, stdlib_search_compare);
		LAUNDER(p);
		sum += p ? p - b->number + 2 : 1;
	}
	return stdlib_ran(&b->s, n, sum);
}

int stdlib_search_check(void *state, unsigned long n, uint64_t *digest)
{
	struct search *b = state;
	return stdlib_right(&b->s, n, stdlib_sum(b->at, INPUTS, n), digest);
}

void stdlib_search_free(void *state)
{
	gang_unmap(state, ((struct stdlib *)state)->bytes);
}
