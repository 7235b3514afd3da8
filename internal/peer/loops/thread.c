/* pthread_create with default attributes and pthread_join. */
#include <errno.h>
#include <pthread.h>

#include "loop.h"

static unsigned long count;

static void *start(void *arg)
{
	count++;
	return arg;
}

int prepare(void)
{
	return 0;
}

int run(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		pthread_t thread;
		int err = pthread_create(&thread, 0, start, 0);
		if (!err) err = pthread_join(thread, 0);
		if (err) return err;
	}
	return count == n ? 0 : ENOTRECOVERABLE;
}
