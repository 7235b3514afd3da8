/*
 * malloc and free of 64 bytes while one block of that size is live.
 *
 * Nothing is done with the block, and a compiler may delete the pair:
 * -fno-builtin forbids it.  To store each pointer in a volatile object would be
 * the other way, and other work: glibc's pair becomes 0.5 ns (6 %) faster by it.
 */
#include <errno.h>
#include <stdlib.h>

#include "loop.h"

static void *live;

int prepare(void)
{
	live = malloc(64);
	return live ? 0 : ENOMEM;
}

int run(unsigned long n)
{
	while (n--) {
		void *p = malloc(64);
		if (!p) return ENOMEM;
		free(p);
	}
	return 0;
}
