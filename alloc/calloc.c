#include "shim.h"

struct zeroed {
	size_t size, step;
	unsigned long done, dirty;
};

int alloc_calloc_new(const struct shape *s, void **state)
{
	struct zeroed *z = gang_map(sizeof *z);
	if (!z) return GANG_ENOMEM;
	z->size = gang_num(s->row, "size", 0);
	z->step = gang_is(s->row, "touched", "pages") ? PAGE : z->size;
	*state = z;
	return 0;
}

/*
 * What is touched, the first byte, the last, or one in each page, is read and
 * then written: memory that comes back without having been cleared shows.
 */
int alloc_calloc_op(void *state, int t, unsigned long n)
{
	struct zeroed *z = state;
	size_t size = z->size;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = calloc(1, size);
		LAUNDER(p);
		if (!p) return GANG_ENOMEM;
		z->dirty += p[size - 1];
		for (size_t at = 0; at < size; at += z->step) {
			z->dirty += p[at];
			p[at] = 1;
		}
		p[size - 1] = 1;
		free(p);
	}
	z->done += n;
	return 0;
}

int alloc_calloc_check(void *state, unsigned long n, uint64_t *digest)
{
	struct zeroed *z = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, z->size), z->done);
	return z->done == n && !z->dirty ? 0 : GANG_EWRONG;
}

void alloc_calloc_free(void *state)
{
	gang_unmap(state, sizeof(struct zeroed));
}
