#include "shim.h"

enum { LAST = 64 };

struct shrink {
	size_t from;
	unsigned long done, torn;
	unsigned char *block;
};

int alloc_shrink_new(const struct shape *s, void **state)
{
	struct shrink *k = gang_map(sizeof *k);
	if (!k) return GANG_ENOMEM;
	k->from = gang_num(s->row, "from", 0);
	*state = k;
	return 0;
}

/* A byte in each page is written, and the last one of each size to come. */
static void alloc_shrink_write(unsigned char *p, size_t size, unsigned char byte)
{
	for (size_t at = 0; at < size; at += PAGE) p[at] = byte;
	for (; size >= LAST; size /= 2) p[size - 1] = byte;
}

/* The block halved to size, or GANG_ENOMEM and the block as it was. */
static int alloc_shrink_to(struct shrink *k, size_t size, unsigned char byte)
{
	LAUNDER(size);
	unsigned char *p = realloc(k->block, size);
	LAUNDER(p);
	if (!p) return GANG_ENOMEM;
	k->block = p;
	k->torn += p[0] != byte || p[size - 1] != byte;
	return 0;
}

int alloc_shrink_op(void *state, int t, unsigned long n)
{
	struct shrink *k = state;
	for (unsigned long i = 0; i < n; i++) {
		size_t size = k->from;
		LAUNDER(size);
		unsigned char *p = malloc(size);
		LAUNDER(p);
		if (!p) return GANG_ENOMEM;
		alloc_shrink_write(p, size, i);
		k->block = p;
		while ((size /= 2) >= LAST)
			if (alloc_shrink_to(k, size, i)) return GANG_ENOMEM;
		free(k->block);
		k->block = 0;
		k->done++;
	}
	return 0;
}

int alloc_shrink_check(void *state, unsigned long n, uint64_t *digest)
{
	struct shrink *k = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, k->from), k->done);
	return k->done == n && !k->torn ? 0 : GANG_EWRONG;
}

void alloc_shrink_free(void *state)
{
	free(((struct shrink *)state)->block);
	gang_unmap(state, sizeof(struct shrink));
}
