#include "shim.h"

enum { LETTERS = 64 };

struct string {
	struct memops m;
	char set[LETTERS + 1];
	char needle;	/* what ends the search */
};

/* The letters of a text come from ' ' to '_'; none of a set for the others is among them. */
static char memops_string_letter(int span, int i)
{
	return (span ? ' ' : '`') + i;
}

int memops_string_new(const struct shape *s, void **state)
{
	struct string *x = (void *)memops_map(s, sizeof *x, "dst", "src");
	int letters = gang_num(s->row, "set", 1), span = s->row[3] == 's' && gang_key(s->row, "set");
	if (!x) return GANG_ENOMEM;
	unsigned char *src = x->m.src.at;
	memops_write(&x->m.src, x->m.size);
	for (int i = 0; i < letters; i++) x->set[i] = memops_string_letter(span, i);
	for (size_t i = 0; span && i < x->m.size; i++) src[i] = x->set[src[i] % letters];
	x->needle = span ? MARK : x->set[letters - 1];
	src[x->m.size] = 0;
	src[x->m.size + 1] = x->needle;
	x->m.each = gang_is(s->row, "needle", "absent") ? ABSENT : x->m.size;
	*state = x;
	return 0;
}

int memops_strchr_op(void *state, int t, unsigned long n)
{
	struct string *x = state;
	const char *src = (const char *)x->m.src.at;
	int c = x->needle;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(src);
		char *p = strchr(src, c);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
	}
	return memops_ran(&x->m, memops_strchr_op, sum);
}

int memops_strrchr_op(void *state, int t, unsigned long n)
{
	struct string *x = state;
	const char *src = (const char *)x->m.src.at;
	int c = x->needle;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(src);
		char *p = strrchr(src, c);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
	}
	return memops_ran(&x->m, memops_strrchr_op, sum);
}

int memops_strcspn_op(void *state, int t, unsigned long n)
{
	struct string *x = state;
	const char *src = (const char *)x->m.src.at, *set = x->set;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(set);
		size_t length = strcspn(src, set);
		LAUNDER(length);
		sum += length;
	}
	return memops_ran(&x->m, memops_strcspn_op, sum);
}

int memops_strspn_op(void *state, int t, unsigned long n)
{
	struct string *x = state;
	const char *src = (const char *)x->m.src.at, *set = x->set;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(set);
		size_t length = strspn(src, set);
		LAUNDER(length);
		sum += length;
	}
	return memops_ran(&x->m, memops_strspn_op, sum);
}

int memops_strpbrk_op(void *state, int t, unsigned long n)
{
	struct string *x = state;
	const char *src = (const char *)x->m.src.at, *set = x->set;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(set);
		char *p = strpbrk(src, set);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
	}
	return memops_ran(&x->m, memops_strpbrk_op, sum);
}

/* One more op, with what ends the search on the last byte, and another, with it on the first, must stop there. */
int memops_string_check(void *state, unsigned long n, uint64_t *digest)
{
	struct string *x = state;
	struct memops *m = &x->m;
	unsigned char *last = m->src.at + m->size - 1, was = *last;
	if (memops_check(m, n, digest)) return GANG_EWRONG;
	*last = x->needle;
	m->op(m, 0, 1);
	*last = was;
	m->src.at[0] = x->needle;
	m->op(m, 0, 1);
	return m->sum == n * m->each + m->size - 1 ? 0 : GANG_EWRONG;
}
