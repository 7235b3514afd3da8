#include "shim.h"

enum { SIZE = 64 };

struct pair { unsigned long batch, calls, done; };

int cgo_pair_new(const struct shape *s, void **state)
{
	struct pair *p = gang_map(sizeof *p);
	if (!p) return GANG_ENOMEM;
	p->batch = gang_num(s->row, "batch", 1);
	*state = p;
	return 0;
}

int cgo_pair_op(void *state, int t, unsigned long n)
{
	struct pair *p = state;
	unsigned long i;
	for (i = 0; i < n; i++) {
		char *block = malloc(SIZE);
		if (!block) return GANG_ENOMEM;
		block[0] = i;
		LAUNDER(block);
		free(block);
	}
	p->calls++;
	p->done += i;
	return 0;
}

/* The calls are counted because the batch is the row's point. */
int cgo_pair_check(void *state, unsigned long n, uint64_t *digest)
{
	struct pair *p = state;
	*digest = gang_digest(GANG_DIGEST, p->done);
	return p->done == n && p->calls == (n + p->batch - 1) / p->batch ? 0 : GANG_EWRONG;
}

void cgo_pair_free(void *state)
{
	gang_unmap(state, sizeof(struct pair));
}
