#include "shim.h"

struct pingpong {
	struct mutex lock;
	struct cond changed;
	int inside, turn;
	unsigned long had[2];
};

int syscalls_pingpong_new(const struct shape *s, void **state)
{
	struct pingpong *p = gang_map(sizeof *p);
	if (!p) return GANG_ENOMEM;
	p->inside = gang_is(s->row, "signal", "inside");
	*state = p;
	int err = pthread_mutex_init(&p->lock, 0);
	return err ? err : pthread_cond_init(&p->changed, 0);
}

/* Waits for the turn of thread t and gives it to the other one. */
int syscalls_pingpong_op(void *state, int t, unsigned long n)
{
	struct pingpong *p = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_mutex_lock(&p->lock);
		if (err) return err;
		while (p->turn != t)
			if ((err = pthread_cond_wait(&p->changed, &p->lock))) return err;
		p->had[t] += p->turn == t;
		p->turn = !t;
		if (p->inside && (err = pthread_cond_signal(&p->changed))) return err;
		if ((err = pthread_mutex_unlock(&p->lock))) return err;
		if (!p->inside && (err = pthread_cond_signal(&p->changed))) return err;
	}
	return 0;
}

int syscalls_pingpong_check(void *state, unsigned long n, uint64_t *digest)
{
	struct pingpong *p = state;
	*digest = gang_digest(gang_digest(gang_digest(GANG_DIGEST, p->inside), p->had[0]), p->had[1]);
	return p->had[0] == n && p->had[1] == n ? 0 : GANG_EWRONG;
}

void syscalls_pingpong_free(void *state)
{
	struct pingpong *p = state;
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	gang_unmap(p, sizeof *p);
}
