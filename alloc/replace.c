#include "mix.h"

enum { LIVE = 1024 };

struct replace {
	int threads;
	unsigned live;
	struct mix mix;
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

size_t alloc_replace_need(const struct shape *s)
{
	return alloc_replace_bytes(s->threads) + alloc_mix_need(s, s->threads * gang_num(s->row, "live", 0));
}

int alloc_replace_new(const struct shape *s, void **state)
{
	unsigned live = gang_num(s->row, "live", 0);
	/* A power of two, or a division would be part of each op. */
	if (!live || live > LIVE || live & (live - 1)) return GANG_EINVAL;
	struct replace *r = gang_map(alloc_replace_bytes(s->threads));
	if (!r) return GANG_ENOMEM;
	if (alloc_mix(s->row, &r->mix)) {
		gang_unmap(r, alloc_replace_bytes(s->threads));
		return GANG_EINVAL;
	}
	r->threads = s->threads;
	r->live = live;
	for (int t = 0; t < s->threads; t++) r->seat[t].seed = t + 1;
	*state = r;
	return 0;
}

int alloc_replace_sit(void *state, int t)
{
	struct replace *r = state;
	struct seat *s = &r->seat[t];
	for (unsigned i = 0; i < r->live; i++)
		if (!(s->live[i] = alloc_block(&r->mix, gang_random(&s->seed)))) return GANG_ENOMEM;
	return 0;
}

int alloc_replace_op(void *state, int t, unsigned long n)
{
	struct replace *r = state;
	struct seat *s = &r->seat[t];
	uint64_t seed = s->seed;
	unsigned long torn = 0;
	for (unsigned long i = 0; i < n; i++) {
		uint64_t random = gang_random(&seed);
		struct block **slot = &s->live[random & (r->live - 1)];
		torn += alloc_block_torn(&r->mix, *slot);
		free(*slot);
		if (!(*slot = alloc_block(&r->mix, random))) return GANG_ENOMEM;
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
		for (unsigned i = 0; i < r->live; i++) free(r->seat[t].live[i]);
	gang_unmap(r, alloc_replace_bytes(r->threads));
}
