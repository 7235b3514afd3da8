#include "shim.h"

void *malloc(size_t);
void free(void *);

static int make(const struct shape *s, void **state)
{
	*state = gang_map(sizeof(unsigned long));
	return *state ? 0 : GANG_ENOMEM;
}

static int op(void *state, int t, unsigned long n)
{
	unsigned long *done = state;
	for (unsigned long i = 0; i < n; i++) {
		void *p = malloc(64);
		LAUNDER(p);
		*done += !!p;
		free(p);
	}
	return 0;
}

static int check(void *state, unsigned long n, uint64_t *digest)
{
	unsigned long *done = state;
	*digest = gang_digest(GANG_DIGEST, *done);
	return *done == n ? 0 : GANG_EWRONG;
}

static void unmap(void *state) { gang_unmap(state, sizeof(unsigned long)); }

const struct kernel tiny_kernels[] = {
	{ "Pair", "threads=1", "malloc free", .new = make, .op = op, .check = check, .free = unmap },
	{ "Pair", "threads=1 proc=plain", "malloc free", .new = make, .op = op, .check = check, .free = unmap },
	{ 0 }
};
