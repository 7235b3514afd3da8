#include "shim.h"

enum { LENGTHS = 4096 };

struct mixed {
	struct memops m;
	unsigned long next;
	unsigned short length[LENGTHS];
};

int memops_mixed_new(const struct shape *s, void **state)
{
	struct mixed *x = (void *)memops_map(s, sizeof *x, "dst", "src");
	size_t first = gang_num(s->row, "sizes", 0);
	uint64_t seed = 1;
	if (!x) return GANG_ENOMEM;
	for (int i = 0; i < LENGTHS; i++)
		x->length[i] = first + gang_random(&seed) % (x->m.size - first + 1);
	memops_write(&x->m.src, x->m.size);
	memops_write(&x->m.dst, 0);
	*state = x;
	return 0;
}

int memops_mixed_op(void *state, int t, unsigned long n)
{
	struct mixed *x = state;
	unsigned char *dst = x->m.dst.at, *src = x->m.src.at;
	uint64_t right = 0;
	for (unsigned long i = x->next, end = i + n; i < end; i++) {
		size_t size = x->length[i % LENGTHS];
		LAUNDER(size);
		unsigned char *p = memcpy(dst, src, size);
		LAUNDER(p);
		right += p == dst;
	}
	x->next += n;
	return memops_ran(&x->m, memops_mixed_op, right);
}

/*
 * All copies go to the same place, where the longest hides the others.  So
 * the next ones, as many as there are lengths, are looked at one by one.
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
	if (err || x->next != n || !memops_holds(&m->dst, longest)) return GANG_EWRONG;
	for (size_t i = 0; i < m->size; i++) {
		size_t length = x->length[x->next % LENGTHS];
		memops_write(&m->dst, 0);
		m->op(m, 0, 1);
		if (!memops_holds(&m->dst, length)) return GANG_EWRONG;
	}
	return 0;
}
