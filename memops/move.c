#include "shim.h"

/* src and dst both lie in src's buffer; all is it from the lower one on. */
struct move {
	struct memops m;
	struct buffer all;
	size_t by;
	int up;
};

int memops_move_new(const struct shape *s, void **state)
{
	struct move *v = (void *)memops_map(s, sizeof *v, "dst", "src");
	if (!v) return GANG_ENOMEM;
	v->by = memops_by(s->row, v->m.size);
	v->up = gang_is(s->row, "move", "up");
	v->all = v->m.src;
	if (v->up) {
		v->m.dst.at = v->m.src.at + v->by;
	} else {
		v->m.dst.at = v->all.at = v->m.src.at - v->by;
	}
	memops_write(&v->all, v->m.size + v->by);
	*state = v;
	return v->by ? 0 : GANG_EINVAL;
}

int memops_memmove_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	unsigned char *dst = m->dst.at, *src = m->src.at;
	size_t size = m->size;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memmove(dst, src, size);
		LAUNDER(p);
		right += p == dst;
	}
	return memops_ran(m, memops_memmove_op, right);
}

/*
 * Where byte i stood n moves ago.  Each move brought it by bytes nearer,
 * until it came from the part that no move writes.
 */
static size_t memops_move_origin(const struct move *v, size_t i, unsigned long n)
{
	size_t size = v->m.size, by = v->by;
	size_t steps = v->up ? i / by : i < size ? (size - i + by - 1) / by : 0;
	if (steps > n) steps = n;
	return v->up ? i - steps * by : i + steps * by;
}

static int memops_move_holds(const struct move *v, unsigned long n)
{
	for (const unsigned char *p = v->all.from; p < v->all.to; p++) {
		size_t i = p - v->all.at;
		int inside = i < v->m.size + v->by;
		if (*p != (inside ? memops_text(memops_move_origin(v, i, n)) : v->all.guard)) return 0;
	}
	return 1;
}

/*
 * After size / by moves the text repeats its first or last by bytes, and a
 * memmove that takes the bytes in the wrong order has got there in one.  One
 * more move, of fresh text, tells the two apart.
 */
int memops_move_check(void *state, unsigned long n, uint64_t *digest)
{
	struct move *v = state;
	int err = memops_check(&v->m, n, digest);
	if (err || !memops_move_holds(v, n)) return GANG_EWRONG;
	memops_write(&v->all, v->m.size + v->by);
	v->m.op(v, 0, 1);
	return memops_move_holds(v, 1) ? 0 : GANG_EWRONG;
}
