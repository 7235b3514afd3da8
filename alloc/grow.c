#include "shim.h"

enum { FIRST = 64 };

struct grow {
	size_t to;
	unsigned long done, torn;
};

int alloc_grow_new(const struct shape *s, void **state)
{
	struct grow *g = gang_map(sizeof *g);
	if (!g) return GANG_ENOMEM;
	g->to = gang_num(s->row, "to", 0);
	*state = g;
	return 0;
}

/* The last byte of each size is written, and must still be there after the next step. */
int alloc_grow_op(void *state, int t, unsigned long n)
{
	struct grow *g = state;
	for (unsigned long i = 0; i < n; i++) {
		size_t size = FIRST;
		unsigned char *p = 0;
		for (;; size *= 2) {
			LAUNDER(size);
			p = realloc(p, size);
			LAUNDER(p);
			if (!p) return GANG_ENOMEM;
			if (size > FIRST) g->torn += p[size / 2 - 1] != (unsigned char)i;
			p[size - 1] = i;
			if (size >= g->to) break;
		}
		free(p);
	}
	g->done += n;
	return 0;
}

int alloc_grow_check(void *state, unsigned long n, uint64_t *digest)
{
	struct grow *g = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, g->to), g->done);
	return g->done == n && !g->torn ? 0 : GANG_EWRONG;
}

void alloc_grow_free(void *state)
{
	gang_unmap(state, sizeof(struct grow));
}
