#include "shim.h"

/*
 * The ops of dep=chain.  zero is 0, which the compiler does not know: what it
 * is anded with decides nothing, and still has to be there before the next op.
 */
static inline size_t memops_zero(void)
{
	size_t zero = 0;
	LAUNDER(zero);
	return zero;
}

int memops_memcpy_chain_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	unsigned char *dst = m->dst.at, *src = m->src.at;
	size_t size = m->size, zero = memops_zero();
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memcpy(dst, src, size);
		LAUNDER(p);
		right += p == dst;
		size += p[size - 1] & zero;
	}
	return memops_ran(m, memops_memcpy_chain_op, right);
}

int memops_memcmp_chain_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *a = m->dst.at, *b = m->src.at;
	size_t size = m->size, zero = memops_zero();
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		int order = memcmp(a, b, size);
		LAUNDER(order);
		sum += memops_order(order);
		size += order & zero;
	}
	return memops_ran(m, memops_memcmp_chain_op, sum);
}

int memops_strcmp_chain_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const char *a = (const char *)m->dst.at, *b = (const char *)m->src.at;
	size_t zero = memops_zero();
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(a);
		int order = strcmp(a, b);
		LAUNDER(order);
		sum += memops_order(order);
		a += order & zero;
	}
	return memops_ran(m, memops_strcmp_chain_op, sum);
}

int memops_memchr_chain_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *src = m->src.at;
	size_t size = m->size, zero = memops_zero();
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memchr(src, 0, size);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
		size += (size_t)p & zero;
	}
	return memops_ran(m, memops_memchr_chain_op, sum);
}

int memops_strlen_chain_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const char *src = (const char *)m->src.at;
	size_t zero = memops_zero();
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(src);
		size_t length = strlen(src);
		LAUNDER(length);
		sum += length;
		src += length & zero;
	}
	return memops_ran(m, memops_strlen_chain_op, sum);
}
