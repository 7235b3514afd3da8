#include "shim.h"

enum { COUNT = 4096 };

struct batch {
	size_t size;
	unsigned long count;
	int threads;
	unsigned order[COUNT];
	struct seat {
		unsigned long done, torn;
		unsigned *block[COUNT];
	} seat[];
};

static size_t alloc_batch_bytes(int threads)
{
	return sizeof(struct batch) + threads * sizeof(struct seat);
}

static void alloc_batch_shuffle(unsigned *order, unsigned long n)
{
	uint64_t seed = 1;
	while (n > 1) {
		unsigned long other = gang_random(&seed) % n--;
		unsigned last = order[n];
		order[n] = order[other];
		order[other] = last;
	}
}

int alloc_batch_new(const struct shape *s, void **state)
{
	unsigned long count = gang_num(s->row, "count", 0);
	int newest = gang_is(s->row, "order", "lifo");
	if (!count || count > COUNT) return GANG_EINVAL;
	struct batch *b = gang_map(alloc_batch_bytes(s->threads));
	if (!b) return GANG_ENOMEM;
	b->size = gang_num(s->row, "size", 0);
	b->count = count;
	b->threads = s->threads;
	for (unsigned long i = 0; i < count; i++) b->order[i] = newest ? count - 1 - i : i;
	if (gang_is(s->row, "order", "random")) alloc_batch_shuffle(b->order, count);
	*state = b;
	return 0;
}

/* A block holds its number, until all have been written. */
static int alloc_batch_fill(struct seat *s, size_t size, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned *block = malloc(size);
		LAUNDER(block);
		if (!block) {
			while (i) free(s->block[--i]);
			return GANG_ENOMEM;
		}
		*block = i;
		s->block[i] = block;
	}
	return 0;
}

int alloc_batch_op(void *state, int t, unsigned long n)
{
	struct batch *b = state;
	struct seat *s = &b->seat[t];
	while (n) {
		unsigned long now = n < b->count ? n : b->count;
		int err = alloc_batch_fill(s, b->size, now);
		if (err) return err;
		for (unsigned long i = 0; i < b->count; i++) {
			unsigned which = b->order[i];
			if (which >= now) continue;
			s->torn += *s->block[which] != which;
			free(s->block[which]);
			s->done++;
		}
		n -= now;
	}
	return 0;
}

int alloc_batch_check(void *state, unsigned long n, uint64_t *digest)
{
	struct batch *b = state;
	unsigned long done = 0, torn = 0;
	for (int t = 0; t < b->threads; t++) {
		done += b->seat[t].done;
		torn += b->seat[t].torn;
	}
	*digest = gang_digest(gang_digest(GANG_DIGEST, b->size), done);
	for (unsigned long i = 0; i < b->count; i++) *digest = gang_digest(*digest, b->order[i]);
	return done == n && !torn ? 0 : GANG_EWRONG;
}

void alloc_batch_free(void *state)
{
	struct batch *b = state;
	gang_unmap(b, alloc_batch_bytes(b->threads));
}
