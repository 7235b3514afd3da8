/* pthread_mutex_lock and unlock of a default mutex that nobody else wants. */
#include <pthread.h>

#include "loop.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count;

int prepare(void)
{
	return 0;
}

int run(unsigned long n)
{
	while (n--) {
		int err = pthread_mutex_lock(&lock);
		if (err) return err;
		count++;
		err = pthread_mutex_unlock(&lock);
		if (err) return err;
	}
	return 0;
}
