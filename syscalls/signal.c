#include "shim.h"

struct signalled {
	struct cond cond;
	unsigned long sent;
};

int syscalls_signal_new(const struct shape *s, void **state)
{
	struct signalled *c = gang_map(sizeof *c);
	if (!c) return GANG_ENOMEM;
	int err = pthread_cond_init(&c->cond, 0);
	if (err) gang_unmap(c, sizeof *c);
	else *state = c;
	return err;
}

int syscalls_signal_op(void *state, int t, unsigned long n)
{
	struct signalled *c = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_cond_signal(&c->cond);
		if (err) return err;
		c->sent++;
	}
	return 0;
}

int syscalls_signal_check(void *state, unsigned long n, uint64_t *digest)
{
	struct signalled *c = state;
	*digest = gang_digest(GANG_DIGEST, c->sent);
	return c->sent == n ? 0 : GANG_EWRONG;
}

void syscalls_signal_free(void *state)
{
	struct signalled *c = state;
	pthread_cond_destroy(&c->cond);
	gang_unmap(c, sizeof *c);
}
