#include "shim.h"

enum { SIZE = 4096 };

struct copy {
	size_t size;
	unsigned long batch, calls, done;
	_Alignas(64) unsigned char src[SIZE], dst[SIZE];
};

int cgo_copy_new(const struct shape *s, void **state)
{
	struct copy *c = gang_map(sizeof *c);
	if (!c) return GANG_ENOMEM;
	c->size = gang_num(s->row, "size", 0);
	c->batch = gang_num(s->row, "batch", 1);
	for (int i = 0; i < SIZE; i++) c->src[i] = 1 + i % 255;
	*state = c;
	return c->size > SIZE ? GANG_EINVAL : 0;
}

int cgo_copy_op(void *state, int t, unsigned long n)
{
	struct copy *c = state;
	unsigned char *dst = c->dst, *src = c->src;
	size_t size = c->size;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		void *p = memcpy(dst, src, size);
		LAUNDER(p);
	}
	c->calls++;
	c->done += n;
	return 0;
}

/* The calls are counted because the batch is the row's point. */
int cgo_copy_check(void *state, unsigned long n, uint64_t *digest)
{
	struct copy *c = state;
	int err = c->done == n && c->calls == (n + c->batch - 1) / c->batch ? 0 : GANG_EWRONG;
	for (size_t i = 0; i < SIZE; i++)
		if (c->dst[i] != (i < c->size ? c->src[i] : 0)) err = GANG_EWRONG;
	*digest = gang_digest(gang_digest(GANG_DIGEST, c->size), c->done);
	return err;
}

void cgo_copy_free(void *state)
{
	gang_unmap(state, sizeof(struct copy));
}
