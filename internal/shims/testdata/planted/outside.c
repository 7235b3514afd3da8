#include "shim.h"

/* One pair for all the ops. */
int alloc_outside_op(void *state, int t, unsigned long n)
{
	void *block = malloc(64);
	LAUNDER(block);
	while (n--) LAUNDER(block);
	free(block);
	return 0;
}
