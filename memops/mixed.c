#include "shim.h"

enum { LENGTHS = 4096 };

struct mixed {
	struct memops m;
	unsigned short length[LENGTHS];
};

/* LAST of sizes=FIRST..LAST. */
static size_t memops_mixed_last(const char *row)
{
	size_t last = 0;
	for (const char *s = gang_key(row, "sizes"); s && *s && *s != '/'; s++)
		last = *s == '.' ? 0 : 10 * last + *s - '0';
	return last;
}

int memops_mixed_new(const struct shape *s, void **state)
{
	size_t first = gang_num(s->row, "sizes", 0), last = memops_mixed_last(s->row);
	struct mixed *x = (void *)memops_map(s, sizeof *x, last, "dst", "src");
	uint64_t seed = 1;
	if (!x) return GANG_ENOMEM;
	for (int i = 0; i < LENGTHS; i++)
		x->length[i] = first + gang_random(&seed) % (last - first + 1);
	memops_write(&x->m.src, last);
	memops_write(&x->m.dst, 0);
	*state = x;
	return 0;
}

int memops_mixed_op(void *state, int t, unsigned long n)
{
	struct mixed *x = state;
	unsigned char *dst = x->m.dst.at, *src = x->m.src.at;
	uint64_t sum = 0;
	for (unsigned long i = x->m.done, end = i + n; i < end; i++) {
		size_t size = x->length[i % LENGTHS];
		LAUNDER(size);
		unsigned char *p = memcpy(dst, src, size);
		LAUNDER(p);
		sum += p - dst;
	}
	return memops_ran(&x->m, memops_mixed_op, n, sum);
}

/*
 * All copies go to the same place, where the longest hides the others: each
 * length is copied once more by itself.
 */
int memops_mixed_check(void *state, unsigned long n, uint64_t *digest)
{
	struct mixed *x = state;
	struct memops *m = &x->m;
	size_t longest = 0;
	int err = memops_check(m, n, digest);
	for (unsigned long i = 0; i < LENGTHS; i++) {
		if (i < n && x->length[i] > longest) longest = x->length[i];
		*digest = gang_digest(*digest, x->length[i]);
	}
	if (err || !memops_holds(&m->src, m->size) || !memops_holds(&m->dst, longest)) return GANG_EWRONG;
	for (size_t i = 0; i < m->size; i++) {
		size_t length = x->length[m->done % LENGTHS];
		memops_write(&m->dst, 0);
		m->op(m, 0, 1);
		if (!memops_holds(&m->dst, length)) return GANG_EWRONG;
	}
	return 0;
}
