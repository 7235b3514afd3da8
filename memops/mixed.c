#include "shim.h"

enum { LENGTHS = 4096 };

struct mixed {
	struct memops m;
	unsigned long next;
	unsigned short length[LENGTHS];
};

/*
 * Sizes of memcpy in Google's fleet: of 10000 calls so many copy that many
 * bytes or fewer.  Up to 128 bytes added up from fleetbench's
 * MemcpyGoogleFleet.csv (github.com/google/fleetbench, f4b8e2e); the 6 % above
 * stand here in steps of doubling.
 */
static const struct { unsigned short calls, bytes; } memops_fleet[] = {
	{ 587, 0 }, { 1127, 1 }, { 1495, 2 }, { 1795, 3 }, { 2370, 4 }, { 3172, 7 }, { 4276, 8 },
	{ 4458, 9 }, { 4943, 10 }, { 5301, 12 }, { 6018, 16 }, { 6923, 24 }, { 7662, 32 },
	{ 8387, 48 }, { 8801, 64 }, { 9220, 96 }, { 9412, 128 }, { 9720, 256 }, { 9840, 512 },
	{ 9920, 1024 }, { 9960, 2048 }, { 10000, 4096 },
};

static size_t memops_fleet_size(uint64_t *seed)
{
	size_t call = gang_random(seed) % 10000, i = 0;
	while (call >= memops_fleet[i].calls) i++;
	if (!i) return 0;
	size_t below = memops_fleet[i - 1].bytes;
	return below + 1 + gang_random(seed) % (memops_fleet[i].bytes - below);
}

static struct mixed *memops_mixed_map(const struct shape *s, const char *dst, const char *src)
{
	struct mixed *x = (void *)memops_map(s, sizeof *x, dst, src);
	int fleet = gang_is(s->row, "sizes", "fleet");
	size_t first = gang_num(s->row, "sizes", 0);
	uint64_t seed = 1;
	for (int i = 0; x && i < LENGTHS; i++)
		x->length[i] = fleet ? memops_fleet_size(&seed) : first + gang_random(&seed) % (x->m.size - first + 1);
	return x;
}

int memops_mixed_new(const struct shape *s, void **state)
{
	struct mixed *x = memops_mixed_map(s, "dst", "src");
	if (!x) return GANG_ENOMEM;
	memops_write(&x->m.src, x->m.size);
	memops_write(&x->m.dst, 0);
	*state = x;
	return 0;
}

int memops_mixed_fill_new(const struct shape *s, void **state)
{
	return memops_mixed_new(s, state);
}

int memops_mixed_compare_new(const struct shape *s, void **state)
{
	struct mixed *x = memops_mixed_map(s, "a", "b");
	if (!x) return GANG_ENOMEM;
	memops_write(&x->m.src, x->m.size);
	memops_write(&x->m.dst, x->m.size);
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

int memops_mixed_memmove_op(void *state, int t, unsigned long n)
{
	struct mixed *x = state;
	unsigned char *dst = x->m.dst.at, *src = x->m.src.at;
	uint64_t right = 0;
	for (unsigned long i = x->next, end = i + n; i < end; i++) {
		size_t size = x->length[i % LENGTHS];
		LAUNDER(size);
		unsigned char *p = memmove(dst, src, size);
		LAUNDER(p);
		right += p == dst;
	}
	x->next += n;
	return memops_ran(&x->m, memops_mixed_memmove_op, right);
}

int memops_mixed_memset_op(void *state, int t, unsigned long n)
{
	struct mixed *x = state;
	unsigned char *dst = x->m.dst.at;
	uint64_t right = 0;
	for (unsigned long i = x->next, end = i + n; i < end; i++) {
		size_t size = x->length[i % LENGTHS];
		LAUNDER(size);
		unsigned char *p = memset(dst, 0, size);
		LAUNDER(p);
		right += p == dst;
	}
	x->next += n;
	return memops_ran(&x->m, memops_mixed_memset_op, right);
}

int memops_mixed_memcmp_op(void *state, int t, unsigned long n)
{
	struct mixed *x = state;
	const unsigned char *a = x->m.dst.at, *b = x->m.src.at;
	uint64_t sum = 0;
	for (unsigned long i = x->next, end = i + n; i < end; i++) {
		size_t size = x->length[i % LENGTHS];
		LAUNDER(size);
		int order = memcmp(a, b, size);
		LAUNDER(order);
		sum += memops_order(order);
	}
	x->next += n;
	return memops_ran(&x->m, memops_mixed_memcmp_op, sum);
}

/* How every check of this file begins; *longest is of the lengths that ran. */
static int memops_mixed_ran(struct mixed *x, unsigned long n, uint64_t *digest, size_t *longest)
{
	int err = memops_check(&x->m, n, digest);
	*longest = 0;
	for (unsigned long i = 0; i < LENGTHS; i++) {
		if (i < n && x->length[i] > *longest) *longest = x->length[i];
		*digest = gang_digest(*digest, x->length[i]);
	}
	return err || x->next != n ? GANG_EWRONG : 0;
}

/*
 * All copies go to the same place, where the longest hides the others.  So
 * the next ones, as many as there are lengths, are looked at one by one.
 */
int memops_mixed_check(void *state, unsigned long n, uint64_t *digest)
{
	struct mixed *x = state;
	struct memops *m = &x->m;
	size_t longest;
	if (memops_mixed_ran(x, n, digest, &longest) || !memops_holds(&m->dst, longest)) return GANG_EWRONG;
	for (size_t i = 0; i < m->size; i++) {
		size_t length = x->length[x->next % LENGTHS];
		memops_write(&m->dst, 0);
		m->op(m, 0, 1);
		if (!memops_holds(&m->dst, length)) return GANG_EWRONG;
	}
	return 0;
}

static int memops_mixed_zeros(const struct buffer *b, size_t n)
{
	for (const unsigned char *p = b->from; p < b->to; p++)
		if (*p != ((size_t)(p - b->at) < n ? 0 : b->guard)) return 0;
	return 1;
}

int memops_mixed_fill_check(void *state, unsigned long n, uint64_t *digest)
{
	struct mixed *x = state;
	struct memops *m = &x->m;
	size_t longest;
	if (memops_mixed_ran(x, n, digest, &longest) || !memops_mixed_zeros(&m->dst, longest)) return GANG_EWRONG;
	for (size_t i = 0; i < m->size; i++) {
		size_t length = x->length[x->next % LENGTHS];
		memops_write(&m->dst, 0);
		m->op(m, 0, 1);
		if (!memops_mixed_zeros(&m->dst, length)) return GANG_EWRONG;
	}
	return 0;
}

/* With the last byte of a length different the op must say so, and with the next one must not. */
int memops_mixed_compare_check(void *state, unsigned long n, uint64_t *digest)
{
	struct mixed *x = state;
	struct memops *m = &x->m;
	size_t longest;
	if (memops_mixed_ran(x, n, digest, &longest)) return GANG_EWRONG;
	for (size_t i = 0; i < m->size; i++) {
		size_t length = x->length[x->next % LENGTHS], at = i % 2 && length ? length - 1 : length;
		unsigned char was = m->src.at[at];
		uint64_t sum = m->sum + (at < length ? LESS : EQUAL);
		m->src.at[at] = MARK;
		m->op(m, 0, 1);
		m->src.at[at] = was;
		if (m->sum != sum) return GANG_EWRONG;
	}
	return 0;
}
