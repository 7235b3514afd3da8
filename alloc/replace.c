#include "shim.h"

enum { SMALLEST = 16, SIZES = 1024, LIVE = 1024 };

/*
 * A block begins with its size and ends with it, so that a block which
 * overlaps another, or is handed out twice, is found when it is freed.
 */
struct block {
	size_t size;
	unsigned char rest[];
};

struct replace {
	int threads;
	struct seat {
		uint64_t seed;
		unsigned long done, torn;
		struct block *live[LIVE];
	} seat[];
};

static size_t alloc_replace_bytes(int threads)
{
	return sizeof(struct replace) + threads * sizeof(struct seat);
}

static struct block *alloc_replace_block(size_t size)
{
	LAUNDER(size);
	struct block *b = malloc(size);
	LAUNDER(b);
	if (!b) return 0;
	b->size = size;
	b->rest[size - sizeof *b - 1] = size;
	return b;
}

static int alloc_replace_torn(const struct block *b)
{
	return b->size - SMALLEST >= SIZES
		|| b->rest[b->size - sizeof *b - 1] != (unsigned char)b->size;
}

static size_t alloc_replace_size(uint64_t random)
{
	return SMALLEST + (random >> 32) % SIZES;
}

int alloc_replace_new(const struct shape *s, void **state)
{
	struct replace *r = gang_map(alloc_replace_bytes(s->threads));
	if (!r) return GANG_ENOMEM;
	r->threads = s->threads;
	for (int t = 0; t < s->threads; t++) r->seat[t].seed = t + 1;
	*state = r;
	return 0;
}

int alloc_replace_sit(void *state, int t)
{
	struct seat *s = &((struct replace *)state)->seat[t];
	for (int i = 0; i < LIVE; i++)
		if (!(s->live[i] = alloc_replace_block(alloc_replace_size(gang_random(&s->seed)))))
			return GANG_ENOMEM;
	return 0;
}

int alloc_replace_op(void *state, int t, unsigned long n)
{
	struct seat *s = &((struct replace *)state)->seat[t];
	uint64_t seed = s->seed;
	unsigned long torn = 0;
	for (unsigned long i = 0; i < n; i++) {
		uint64_t random = gang_random(&seed);
		struct block **slot = &s->live[random % LIVE];
		torn += alloc_replace_torn(*slot);
		free(*slot);
		if (!(*slot = alloc_replace_block(alloc_replace_size(random))))
			return GANG_ENOMEM;
	}
	s->seed = seed;
	s->torn += torn;
	s->done += n;
	return 0;
}

int alloc_replace_check(void *state, unsigned long n, uint64_t *digest)
{
	struct replace *r = state;
	unsigned long done = 0, torn = 0;
	*digest = GANG_DIGEST;
	for (int t = 0; t < r->threads; t++) {
		done += r->seat[t].done;
		torn += r->seat[t].torn;
		*digest = gang_digest(*digest, r->seat[t].seed);
	}
	return done == n && !torn ? 0 : GANG_EWRONG;
}

void alloc_replace_free(void *state)
{
	struct replace *r = state;
	for (int t = 0; t < r->threads; t++)
		for (int i = 0; i < LIVE; i++) free(r->seat[t].live[i]);
	gang_unmap(r, alloc_replace_bytes(r->threads));
}
