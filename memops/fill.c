#include "shim.h"

struct fill {
	struct memops m;
	int byte;
};

int memops_fill_new(const struct shape *s, void **state)
{
	struct fill *f = (void *)memops_map(s, sizeof *f, "dst", "src");
	if (!f) return GANG_ENOMEM;
	f->byte = gang_num(s->row, "byte", 0);
	memops_write(&f->m.dst, 0);
	*state = f;
	return 0;
}

int memops_memset_op(void *state, int t, unsigned long n)
{
	struct fill *f = state;
	unsigned char *dst = f->m.dst.at;
	size_t size = f->m.size;
	int byte = f->byte;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memset(dst, byte, size);
		LAUNDER(p);
		right += p == dst;
	}
	return memops_ran(&f->m, memops_memset_op, right);
}

int memops_fill_check(void *state, unsigned long n, uint64_t *digest)
{
	struct fill *f = state;
	const struct buffer *dst = &f->m.dst;
	int err = memops_check(&f->m, n, digest);
	for (const unsigned char *p = dst->from; p < dst->to; p++)
		if (*p != ((size_t)(p - dst->at) < f->m.size ? f->byte : dst->guard)) err = GANG_EWRONG;
	return err;
}
