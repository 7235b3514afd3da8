/* malloc and free of 64 bytes while one block of that size is live. */
#include <errno.h>
#include <stdlib.h>

#include "loop.h"

/*
 * gcc deletes a block that nobody sees.  These two are volatile: the size
 * could be any, and each block is seen.
 */
static volatile size_t size = 64;
static void *volatile block;

static void *live;

int prepare(void)
{
	live = malloc(size);
	return live ? 0 : ENOMEM;
}

int run(unsigned long n)
{
	while (n--) {
		void *p = malloc(size);
		block = p;
		if (!p) return ENOMEM;
		free(p);
	}
	return 0;
}
