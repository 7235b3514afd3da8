#include "shim.h"

int memops_copy_new(const struct shape *s, void **state)
{
	struct memops *m = memops_map(s, sizeof *m, "dst", "src");
	if (!m) return GANG_ENOMEM;
	memops_write(&m->src, m->size);
	memops_write(&m->dst, 0);
	*state = m;
	return 0;
}

int memops_memcpy_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	unsigned char *dst = m->dst.at, *src = m->src.at;
	size_t size = m->size;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = memcpy(dst, src, size);
		LAUNDER(p);
		right += p == dst;
	}
	return memops_ran(m, memops_memcpy_op, right);
}

int memops_copy_check(void *state, unsigned long n, uint64_t *digest)
{
	struct memops *m = state;
	int err = memops_check(m, n, digest);
	return memops_holds(&m->dst, m->size) ? err : GANG_EWRONG;
}
