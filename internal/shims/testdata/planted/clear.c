#include "shim.h"

/* gcc makes the inner loop a call of memset. */
int alloc_clear_op(void *state, int t, unsigned long n)
{
	size_t size = *(size_t *)state;
	while (n--) {
		LAUNDER(size);
		unsigned char *block = malloc(size);
		LAUNDER(block);
		for (size_t i = 0; i < size; i++) block[i] = 0;
		LAUNDER(block);
		free(block);
	}
	return 0;
}
