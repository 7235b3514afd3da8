#include "shim.h"

/*
 * slots, a power of two, of stride bytes; an op takes the one that lies step,
 * an odd number, further on: so all are visited before one is again.
 */
struct ring {
	struct memops m;
	unsigned char *dst, *src;
	size_t slots, stride, step, next;
};

enum { KIB = 1 << 10, MIB = 1 << 20, GUARD = 0xdd };

static size_t memops_ring_half(size_t bytes, size_t unknown)
{
	return bytes ? bytes / 2 : unknown;
}

/*
 * Bytes of all slots: half of the cache.  Virtual machines report the whole
 * host's last level, of which a guest gets an unknown part: no more than
 * 32 MiB of it are believed, and half a GiB is taken for cold at most.
 */
static size_t memops_ring_bytes(const struct shape *s)
{
	size_t llc = memops_ring_half(s->llc, 32 * MIB), cold = 2 * s->llc;
	if (gang_is(s->row, "cache", "L1")) return memops_ring_half(s->l1, 16 * KIB);
	if (gang_is(s->row, "cache", "L2")) return memops_ring_half(s->l2, 256 * KIB);
	if (gang_is(s->row, "cache", "LLC")) return llc < 32 * MIB ? llc : 32 * MIB;
	return cold && cold < 512 * MIB ? cold : 512 * MIB;
}

size_t memops_ring_need(const struct shape *s)
{
	return memops_ring_bytes(s) + 64 * KIB;
}

static void memops_ring_text(const struct ring *r, unsigned char *p)
{
	for (size_t slot = 0; slot < r->slots; slot++, p += r->stride)
		for (size_t i = 0; i < r->stride; i++) p[i] = memops_text(i);
}

static void memops_ring_guard(const struct ring *r, unsigned char *p)
{
	for (size_t i = 0; i < r->slots * r->stride; i++) p[i] = GUARD;
}

int memops_ring_new(const struct shape *s, void **state)
{
	size_t size = gang_num(s->row, "size", 1), stride = (size + 63) & -64UL, slots = 1;
	int buffers = gang_key(s->row, "src") && gang_key(s->row, "dst") ? 2 : gang_key(s->row, "a") ? 2 : 1;
	while (2 * slots * stride * buffers <= memops_ring_bytes(s)) slots *= 2;
	size_t state_bytes = (sizeof(struct ring) + 4095) & -4096UL;
	size_t bytes = state_bytes + slots * stride * buffers + 64;
	struct ring *r = gang_map(bytes);
	if (!r) return GANG_ENOMEM;

	r->m.bytes = bytes;
	r->m.size = size;
	r->m.each = gang_is(s->row, "needle", "absent") ? ABSENT : 1;
	r->slots = slots;
	r->stride = stride;
	r->step = slots * 5 / 8 | 1;
	r->src = (unsigned char *)r + state_bytes;
	r->dst = r->src + (buffers - 1) * slots * stride;
	if (gang_key(s->row, "a") || gang_key(s->row, "needle")) memops_ring_text(r, r->dst);
	else memops_ring_guard(r, r->dst);
	if (r->src != r->dst) memops_ring_text(r, r->src);
	*state = r;
	return 0;
}

static inline size_t memops_ring_next(const struct ring *r, size_t slot)
{
	return (slot + r->step) & (r->slots - 1);
}

int memops_ring_memcpy_op(void *state, int t, unsigned long n)
{
	struct ring *r = state;
	size_t size = r->m.size, slot = r->next;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		unsigned char *dst = r->dst + slot * r->stride;
		LAUNDER(size);
		unsigned char *p = memcpy(dst, r->src + slot * r->stride, size);
		LAUNDER(p);
		right += p == dst;
		slot = memops_ring_next(r, slot);
	}
	r->next = slot;
	return memops_ran(&r->m, memops_ring_memcpy_op, right);
}

int memops_ring_memset_op(void *state, int t, unsigned long n)
{
	struct ring *r = state;
	size_t size = r->m.size, slot = r->next;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		unsigned char *dst = r->dst + slot * r->stride;
		LAUNDER(size);
		unsigned char *p = memset(dst, 0, size);
		LAUNDER(p);
		right += p == dst;
		slot = memops_ring_next(r, slot);
	}
	r->next = slot;
	return memops_ran(&r->m, memops_ring_memset_op, right);
}

int memops_ring_memcmp_op(void *state, int t, unsigned long n)
{
	struct ring *r = state;
	size_t size = r->m.size, slot = r->next;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		int order = memcmp(r->dst + slot * r->stride, r->src + slot * r->stride, size);
		LAUNDER(order);
		sum += memops_order(order);
		slot = memops_ring_next(r, slot);
	}
	r->next = slot;
	return memops_ran(&r->m, memops_ring_memcmp_op, sum);
}

int memops_ring_memchr_op(void *state, int t, unsigned long n)
{
	struct ring *r = state;
	size_t size = r->m.size, slot = r->next;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		const unsigned char *src = r->src + slot * r->stride;
		LAUNDER(size);
		unsigned char *p = memchr(src, MARK, size);
		LAUNDER(p);
		sum += p ? p - src : ABSENT;
		slot = memops_ring_next(r, slot);
	}
	r->next = slot;
	return memops_ran(&r->m, memops_ring_memchr_op, sum);
}

/* Whether the slots that n ops wrote, and no other, hold what they wrote. */
static int memops_ring_wrote(const struct ring *r, unsigned long n, int zeros)
{
	size_t slot = 0;
	for (size_t i = 0; i < r->slots; i++, slot = memops_ring_next(r, slot))
		for (size_t at = 0; at < r->stride; at++) {
			unsigned char want = i >= n || at >= r->m.size ? GUARD : zeros ? 0 : memops_text(at);
			if (r->dst[slot * r->stride + at] != want) return 0;
		}
	return 1;
}

/* One more op of a function that only reads has to see the last byte of its slot, and another none further on. */
static int memops_ring_read(struct ring *r)
{
	unsigned char *last = r->src + r->next * r->stride + r->m.size - 1;
	uint64_t want = r->m.sum + (r->m.op == memops_ring_memcmp_op ? LESS : r->m.size - 1) + r->m.each;
	*last = MARK;
	r->m.op(r, 0, 1);
	r->src[r->next * r->stride + r->m.size] = MARK;
	r->m.op(r, 0, 1);
	return r->m.sum == want;
}

int memops_ring_check(void *state, unsigned long n, uint64_t *digest)
{
	struct ring *r = state;
	size_t slots = r->slots;
	int right;
	if (memops_check(&r->m, n, digest) || r->next != (n * r->step & (slots - 1))) return GANG_EWRONG;
	if (r->m.op == memops_ring_memcpy_op || r->m.op == memops_ring_memset_op)
		right = memops_ring_wrote(r, n, r->m.op == memops_ring_memset_op);
	else
		right = memops_ring_read(r);
	return right ? 0 : GANG_EWRONG;
}
