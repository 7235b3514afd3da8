#include "shim.h"

/* The guards behind the two buffers differ: a byte too many would count. */
int memops_compare_new(const struct shape *s, void **state)
{
	struct memops *m = memops_map(s, sizeof *m, "a", "b");
	if (!m) return GANG_ENOMEM;
	memops_write(&m->dst, m->size);
	memops_write(&m->src, m->size);
	*state = m;
	return 0;
}

int memops_memcmp_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *a = m->dst.at, *b = m->src.at;
	size_t size = m->size;
	uint64_t equal = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		int order = memcmp(a, b, size);
		LAUNDER(order);
		equal += !order;
	}
	return memops_ran(m, memops_memcmp_op, equal);
}

int memops_bcmp_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *a = m->dst.at, *b = m->src.at;
	size_t size = m->size;
	uint64_t equal = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		int differ = memops_bcmp(a, b, size);
		LAUNDER(differ);
		equal += !differ;
	}
	return memops_ran(m, memops_bcmp_op, equal);
}

/* A function that never looks finds all buffers equal.  One more op, with the last byte changed, must not. */
int memops_compare_check(void *state, unsigned long n, uint64_t *digest)
{
	struct memops *m = state;
	if (memops_check(m, n, digest)) return GANG_EWRONG;
	m->dst.at[m->size - 1]++;
	m->op(m, 0, 1);
	return m->sum == n ? 0 : GANG_EWRONG;
}
