#include "shim.h"

enum { NEEDLE = 0 };	/* in no text */

/* The needle lies right before and behind the bytes to search: strlen stops there, and the others must before. */
int memops_scan_new(const struct shape *s, void **state)
{
	struct memops *m = memops_map(s, sizeof *m, "dst", "src");
	if (!m) return GANG_ENOMEM;
	memops_write(&m->src, m->size);
	m->src.at[-1] = m->src.at[m->size] = NEEDLE;
	if (gang_same(s->row, "Strnlen", 7)) m->src.at[m->size] = MARK;
	m->each = gang_is(s->row, "needle", "absent") ? ABSENT : m->size;
	*state = m;
	return 0;
}

int memops_memchr_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *src = m->src.at;
	size_t size = m->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memchr(src, NEEDLE, size);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
	}
	return memops_ran(m, memops_memchr_op, sum);
}

int memops_strlen_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const char *src = (const char *)m->src.at;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(src);
		size_t length = strlen(src);
		LAUNDER(length);
		sum += length;
	}
	return memops_ran(m, memops_strlen_op, sum);
}

int memops_memrchr_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *src = m->src.at;
	size_t size = m->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memrchr(src, NEEDLE, size);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
	}
	return memops_ran(m, memops_memrchr_op, sum);
}

int memops_strnlen_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const char *src = (const char *)m->src.at;
	size_t size = m->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		size_t length = strnlen(src, size);
		LAUNDER(length);
		sum += length;
	}
	return memops_ran(m, memops_strnlen_op, sum);
}

/* One more op, with the needle on the byte that is looked at last, and another, on the first, must find it there. */
int memops_scan_check(void *state, unsigned long n, uint64_t *digest)
{
	struct memops *m = state;
	int back = m->op == memops_memrchr_op;
	size_t last = back ? 0 : m->size - 1, first = back ? m->size - 1 : 0;
	if (memops_check(m, n, digest)) return GANG_EWRONG;
	m->src.at[last] = NEEDLE;
	m->op(m, 0, 1);
	m->src.at[first] = NEEDLE;
	m->op(m, 0, 1);
	return m->sum == n * m->each + last + first ? 0 : GANG_EWRONG;
}
