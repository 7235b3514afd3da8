#include "shim.h"

enum { LIVE = 64 };

struct pair {
	size_t size;
	long live;
	int threads;
	struct seat {
		unsigned long done;
		void *block[LIVE];
	} seat[];
};

static size_t alloc_pair_bytes(int threads)
{
	return sizeof(struct pair) + threads * sizeof(struct seat);
}

int alloc_pair_new(const struct shape *s, void **state)
{
	long live = gang_num(s->row, "live", 0);
	if (live > LIVE) return GANG_EINVAL;
	struct pair *p = gang_map(alloc_pair_bytes(s->threads));
	if (!p) return GANG_ENOMEM;
	p->size = gang_num(s->row, "size", 0);
	p->live = live;
	p->threads = s->threads;
	*state = p;
	return 0;
}

/* The live blocks come from the thread that runs the ops: its arena, its cache. */
int alloc_pair_sit(void *state, int t)
{
	struct pair *p = state;
	for (long i = 0; i < p->live; i++)
		if (!(p->seat[t].block[i] = malloc(p->size))) return GANG_ENOMEM;
	return 0;
}

int alloc_pair_op(void *state, int t, unsigned long n)
{
	struct pair *p = state;
	size_t size = p->size;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		void *block = malloc(size);
		LAUNDER(block);
		if (!block) return GANG_ENOMEM;
		free(block);
	}
	p->seat[t].done += n;
	return 0;
}

int alloc_pair_check(void *state, unsigned long n, uint64_t *digest)
{
	struct pair *p = state;
	unsigned long done = 0;
	for (int t = 0; t < p->threads; t++) done += p->seat[t].done;
	*digest = gang_digest(gang_digest(GANG_DIGEST, p->size), done);
	return done == n ? 0 : GANG_EWRONG;
}

void alloc_pair_free(void *state)
{
	struct pair *p = state;
	for (int t = 0; t < p->threads; t++)
		for (long i = 0; i < p->live; i++) free(p->seat[t].block[i]);
	gang_unmap(p, alloc_pair_bytes(p->threads));
}
