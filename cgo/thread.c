#include "shim.h"

struct threads { unsigned long calls, done; };

int cgo_thread_new(const struct shape *s, void **state)
{
	struct threads *c = gang_map(sizeof *c);
	if (!c) return GANG_ENOMEM;
	c->calls = gang_num(s->row, "calls", 1);
	*state = c;
	return 0;
}

static void *cgo_thread_start(void *arg)
{
	struct threads *c = arg;
	for (unsigned long i = 0; i < c->calls; i++) cgo_back(&c->done);
	return 0;
}

int cgo_thread_op(void *state, int t, unsigned long n)
{
	while (n--) {
		void *thread;
		int err = pthread_create(&thread, 0, cgo_thread_start, state);
		if (err) return err;
		if ((err = pthread_join(thread, 0))) return err;
	}
	return 0;
}

int cgo_thread_check(void *state, unsigned long n, uint64_t *digest)
{
	struct threads *c = state;
	*digest = gang_digest(GANG_DIGEST, c->done);
	return c->done == n * c->calls ? 0 : GANG_EWRONG;
}

void cgo_thread_free(void *state)
{
	gang_unmap(state, sizeof(struct threads));
}
