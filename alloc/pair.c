#include "shim.h"

enum { LIVE = 64, OTHERS = 4 };

struct pair {
	size_t size, align;
	long live, others;
	int threads;
	struct seat {
		unsigned long done, wrong;
		void *block[LIVE];
		void *other[OTHERS];
	} seat[];
};

static size_t alloc_pair_bytes(int threads)
{
	return sizeof(struct pair) + threads * sizeof(struct seat);
}

size_t alloc_pair_need(const struct shape *s)
{
	return alloc_pair_bytes(s->threads) + s->threads * gang_num(s->row, "size", 0);
}

int alloc_pair_new(const struct shape *s, void **state)
{
	long live = gang_num(s->row, "live", 0), others = gang_num(s->row, "other", 0);
	if (live > LIVE || others > OTHERS) return GANG_EINVAL;
	struct pair *p = gang_map(alloc_pair_bytes(s->threads));
	if (!p) return GANG_ENOMEM;
	p->size = gang_num(s->row, "size", 0);
	p->align = gang_num(s->row, "align", 1);
	p->live = live;
	p->others = others;
	p->threads = s->threads;
	*state = p;
	return 0;
}

/* The live blocks come from the thread that runs the ops: its arena, its cache. */
int alloc_pair_sit(void *state, int t)
{
	struct pair *p = state;
	struct seat *s = &p->seat[t];
	for (long i = 0; i < p->live; i++) {
		s->block[i] = p->align > 1 ? aligned_alloc(p->align, p->size) : malloc(p->size);
		if (!s->block[i]) return GANG_ENOMEM;
	}
	for (long i = 0; i < p->others; i++)
		if (!(s->other[i] = malloc(4 * p->size))) return GANG_ENOMEM;
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

int alloc_pair_aligned_op(void *state, int t, unsigned long n)
{
	struct pair *p = state;
	size_t size = p->size, align = p->align;
	unsigned long wrong = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		void *block = aligned_alloc(align, size);
		LAUNDER(block);
		if (!block) return GANG_ENOMEM;
		wrong += ((size_t)block & (align - 1)) != 0;
		free(block);
	}
	p->seat[t].wrong += wrong;
	p->seat[t].done += n;
	return 0;
}

/* Ops are pages, so that a few of them need not be gigabytes. */
int alloc_pair_touched_op(void *state, int t, unsigned long n)
{
	struct pair *p = state;
	struct seat *s = &p->seat[t];
	size_t size = p->size;
	while (n) {
		unsigned long pages = (size + PAGE - 1) / PAGE;
		if (pages > n) pages = n;
		LAUNDER(size);
		unsigned char *block = malloc(size);
		LAUNDER(block);
		if (!block) return GANG_ENOMEM;
		for (unsigned long i = 0; i < pages; i++) block[i * PAGE] = n;
		LAUNDER(block);
		s->wrong += block[0] != (unsigned char)n || block[(pages - 1) * PAGE] != (unsigned char)n;
		free(block);
		s->done += pages;
		n -= pages;
	}
	return 0;
}

int alloc_pair_check(void *state, unsigned long n, uint64_t *digest)
{
	struct pair *p = state;
	unsigned long done = 0, wrong = 0;
	for (int t = 0; t < p->threads; t++) {
		done += p->seat[t].done;
		wrong += p->seat[t].wrong;
	}
	*digest = gang_digest(gang_digest(GANG_DIGEST, p->size), done);
	return done == n && !wrong ? 0 : GANG_EWRONG;
}

void alloc_pair_free(void *state)
{
	struct pair *p = state;
	for (int t = 0; t < p->threads; t++) {
		for (long i = 0; i < p->live; i++) free(p->seat[t].block[i]);
		for (long i = 0; i < p->others; i++) free(p->seat[t].other[i]);
	}
	gang_unmap(p, alloc_pair_bytes(p->threads));
}
