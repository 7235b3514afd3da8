#include "shim.h"

struct compare {
	struct memops m;
	size_t at;	/* of the byte that differs, or right behind all */
	unsigned char was;
};

static struct compare *memops_compare_map(const struct shape *s)
{
	struct compare *c = (void *)memops_map(s, sizeof *c, "a", "b");
	if (!c) return 0;
	size_t size = c->at = c->m.size;
	memops_write(&c->m.dst, size);
	memops_write(&c->m.src, size);
	if (gang_is(s->row, "differ", "first")) c->at = 0;
	if (gang_is(s->row, "differ", "middle")) c->at = size / 2;
	if (gang_is(s->row, "differ", "last")) c->at = size - 1;
	return c;
}

static void memops_compare_mark(struct compare *c)
{
	unsigned char *b = c->m.src.at;
	c->was = b[c->at];
	if (c->at < c->m.size) {
		b[c->at] = MARK;
		c->m.each = LESS;
	}
}

/* The guards behind the two buffers differ: a byte too many would count. */
int memops_compare_new(const struct shape *s, void **state)
{
	struct compare *c = memops_compare_map(s);
	if (!c) return GANG_ENOMEM;
	memops_compare_mark(c);
	*state = c;
	return 0;
}

int memops_order_new(const struct shape *s, void **state)
{
	struct compare *c = memops_compare_map(s);
	if (!c) return GANG_ENOMEM;
	unsigned char *a = c->m.dst.at, *b = c->m.src.at;
	int fold = gang_is(s->row, "case", "other");
	for (size_t i = 0; fold && i < c->m.size; i++)
		if (b[i] >= 'A' && b[i] <= 'Z') b[i] += 'a' - 'A';
	a[c->m.size] = b[c->m.size] = 0;
	memops_compare_mark(c);
	*state = c;
	return 0;
}

int memops_memcmp_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *a = m->dst.at, *b = m->src.at;
	size_t size = m->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		int order = memcmp(a, b, size);
		LAUNDER(order);
		sum += memops_order(order);
	}
	return memops_ran(m, memops_memcmp_op, sum);
}

int memops_bcmp_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *a = m->dst.at, *b = m->src.at;
	size_t size = m->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		int differ = memops_bcmp(a, b, size);
		LAUNDER(differ);
		sum += differ ? LESS : EQUAL;
	}
	return memops_ran(m, memops_bcmp_op, sum);
}

int memops_strncmp_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const char *a = (const char *)m->dst.at, *b = (const char *)m->src.at;
	size_t size = m->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		int order = strncmp(a, b, size);
		LAUNDER(order);
		sum += memops_order(order);
	}
	return memops_ran(m, memops_strncmp_op, sum);
}

int memops_strcmp_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const char *a = (const char *)m->dst.at, *b = (const char *)m->src.at;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(a);
		int order = strcmp(a, b);
		LAUNDER(order);
		sum += memops_order(order);
	}
	return memops_ran(m, memops_strcmp_op, sum);
}

int memops_strcasecmp_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const char *a = (const char *)m->dst.at, *b = (const char *)m->src.at;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(a);
		int order = strcasecmp(a, b);
		LAUNDER(order);
		sum += memops_order(order);
	}
	return memops_ran(m, memops_strcasecmp_op, sum);
}

/*
 * A function that never looks finds all buffers equal, and one that looks no
 * further than the row's byte knows all about it.  So one more op has to find
 * them equal, and another the last byte different.
 */
int memops_compare_check(void *state, unsigned long n, uint64_t *digest)
{
	struct compare *c = state;
	unsigned char *b = c->m.src.at;
	if (memops_check(&c->m, n, digest)) return GANG_EWRONG;
	b[c->at] = c->was;
	c->m.op(c, 0, 1);
	b[c->m.size - 1] = MARK;
	c->m.op(c, 0, 1);
	return c->m.sum == n * c->m.each + EQUAL + LESS ? 0 : GANG_EWRONG;
}

int memops_order_check(void *state, unsigned long n, uint64_t *digest)
{
	return memops_compare_check(state, n, digest);
}
