#include "server.h"

#include <stdlib.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct request *first, **last;
	int idle, stop, n;
	pthread_t *threads;
} work = { .lock = PTHREAD_MUTEX_INITIALIZER, .some = PTHREAD_COND_INITIALIZER, .last = &work.first };

static struct request *pop(void)
{
	pthread_mutex_lock(&work.lock);
	while (!work.first && !work.stop) {
		work.idle++;
		pthread_cond_wait(&work.some, &work.lock);
		work.idle--;
	}
	struct request *r = work.first;
	if (r && !(work.first = r->next)) work.last = &work.first;
	pthread_mutex_unlock(&work.lock);
	return r;
}

static void *worker(void *arg)
{
	struct request *r;
	while ((r = pop())) serve(r);
	return arg;
}

void work_push(struct request *r)
{
	pthread_mutex_lock(&work.lock);
	r->next = 0;
	*work.last = r;
	work.last = &r->next;
	int wake = work.idle > 0;
	pthread_mutex_unlock(&work.lock);
	if (wake) pthread_cond_signal(&work.some);
}

int work_start(int n)
{
	if (n && !(work.threads = calloc(n, sizeof *work.threads))) {
		say("start the workers: out of memory");
		return -1;
	}
	for (; work.n < n; work.n++) {
		int err = start_thread(&work.threads[work.n], worker, 0);
		if (!err) continue;
		say("start worker %d: %s", work.n + 1, reason(err));
		return -1;
	}
	return 0;
}

/* What is in the queue is served before. */
void work_stop(void)
{
	pthread_mutex_lock(&work.lock);
	work.stop = 1;
	pthread_cond_broadcast(&work.some);
	pthread_mutex_unlock(&work.lock);
	for (int i = 0; i < work.n; i++) pthread_join(work.threads[i], 0);
	free(work.threads);
	work.threads = 0;
	work.n = 0;
}
