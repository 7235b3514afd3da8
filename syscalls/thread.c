#include "shim.h"

struct threads {
	unsigned long ran, joined;
	struct attr attr, *given;	/* what each thread is made with, 0 the default */
};

static void *syscalls_thread_start(void *arg)
{
	((struct threads *)arg)->ran++;
	return arg;
}

int syscalls_thread_new(const struct shape *s, void **state)
{
	long stack = gang_num(s->row, "stack", 0);
	struct threads *p = gang_map(sizeof *p);
	if (!p) return GANG_ENOMEM;
	int err = pthread_attr_init(&p->attr);
	if (!err && stack) {
		p->given = &p->attr;
		err = pthread_attr_setstacksize(&p->attr, stack);
	}
	if (err) gang_unmap(p, sizeof *p);
	else *state = p;
	return err;
}

int syscalls_thread_op(void *state, int t, unsigned long n)
{
	struct threads *s = state;
	for (unsigned long i = 0; i < n; i++) {
		void *thread, *value = 0;
		int err = pthread_create(&thread, s->given, syscalls_thread_start, s);
		if (err) return err;
		if ((err = pthread_join(thread, &value))) return err;
		s->joined += value == s;
	}
	return 0;
}

int syscalls_thread_check(void *state, unsigned long n, uint64_t *digest)
{
	struct threads *s = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, s->ran), s->joined);
	return s->ran == n && s->joined == n ? 0 : GANG_EWRONG;
}

void syscalls_thread_free(void *state)
{
	pthread_attr_destroy(&((struct threads *)state)->attr);
	gang_unmap(state, sizeof(struct threads));
}
