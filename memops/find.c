#include "shim.h"

enum { LONGEST = 64, RARE = 'z' /* in no text */ };

struct find {
	struct memops m;
	size_t length;
	unsigned char needle[LONGEST + 1];
};

static void memops_find_needle(struct find *f, const char *row)
{
	int repeated = gang_is(row, "needle", "repeated");
	for (size_t i = 0; i < f->length; i++) f->needle[i] = repeated ? 'A' : memops_text(i);
	for (size_t i = 0; repeated && i < f->m.size; i++) f->m.src.at[i] = 'A';
	f->needle[gang_is(row, "needle", "rare") ? 0 : f->length - 1] = RARE;
}

int memops_find_new(const struct shape *s, void **state)
{
	struct find *f = (void *)memops_map(s, sizeof *f, "dst", "src");
	if (!f) return GANG_ENOMEM;
	f->length = gang_num(s->row, "length", 1);
	f->m.each = ABSENT;
	memops_write(&f->m.src, f->m.size);
	f->m.src.at[f->m.size] = 0;
	memops_find_needle(f, s->row);
	*state = f;
	return 0;
}

int memops_memmem_op(void *state, int t, unsigned long n)
{
	struct find *f = state;
	const unsigned char *src = f->m.src.at, *needle = f->needle;
	size_t size = f->m.size, length = f->length;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memmem(src, size, needle, length);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
	}
	return memops_ran(&f->m, memops_memmem_op, sum);
}

int memops_strstr_op(void *state, int t, unsigned long n)
{
	struct find *f = state;
	const char *src = (const char *)f->m.src.at, *needle = (const char *)f->needle;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(src);
		char *p = strstr(src, needle);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
	}
	return memops_ran(&f->m, memops_strstr_op, sum);
}

static void memops_find_put(struct find *f, size_t at)
{
	for (size_t i = 0; i < f->length; i++) f->m.src.at[at + i] = f->needle[i];
}

/*
 * One more op must not find a needle whose last byte is beyond the end.  Two
 * more find the one that ends there, and the one at the beginning.
 */
int memops_find_check(void *state, unsigned long n, uint64_t *digest)
{
	struct find *f = state;
	struct memops *m = &f->m;
	size_t last = m->size - f->length;
	if (memops_check(m, n, digest)) return GANG_EWRONG;
	memops_find_put(f, last + 1);
	if (m->op == memops_strstr_op) m->src.at[m->size] = 0;
	m->op(m, 0, 1);
	memops_find_put(f, last);
	m->op(m, 0, 1);
	memops_find_put(f, 0);
	m->op(m, 0, 1);
	return m->sum == (n + 1) * m->each + last ? 0 : GANG_EWRONG;
}
