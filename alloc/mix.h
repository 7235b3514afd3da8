/* Blocks of mixed sizes, each of which shows whether another was written over it. */
#ifndef LIBCOST_ALLOC_MIX_H
#define LIBCOST_ALLOC_MIX_H

#include "shim.h"

enum { SIZES = 1024 };

/* Sizes to draw from, each as likely as the others. */
struct mix {
	unsigned least, most;
	unsigned size[SIZES];
};

/*
 * A block begins with its size and ends with it, so that a block which
 * overlaps another, or is handed out twice, is found when it is freed.
 */
struct block {
	unsigned size;
	unsigned char rest[];
};

/*
 * The sizes of a row: sizes=64 is one, sizes=16..1039 all of them alike, and
 * with law=inverse-square a size is so much rarer as its square is larger.
 * 0, or GANG_EINVAL for sizes that can't be.
 */
int alloc_mix(const char *row, struct mix *);

/* Bytes that so many blocks take, with the allocators' own. */
size_t alloc_mix_need(const struct shape *, size_t blocks);

static inline struct block *alloc_block(const struct mix *m, uint64_t random)
{
	size_t size = m->size[(random >> 32) % SIZES];
	LAUNDER(size);
	struct block *b = malloc(size);
	LAUNDER(b);
	if (!b) return 0;
	b->size = size;
	b->rest[size - sizeof *b - 1] = size;
	return b;
}

static inline int alloc_block_torn(const struct mix *m, const struct block *b)
{
	return b->size - m->least > m->most - m->least
		|| b->rest[b->size - sizeof *b - 1] != (unsigned char)b->size;
}

#endif
