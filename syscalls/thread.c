#include "shim.h"

struct threads {
	unsigned long ran, joined;
};

static void *syscalls_thread_start(void *arg)
{
	((struct threads *)arg)->ran++;
	return arg;
}

int syscalls_thread_new(const struct shape *s, void **state)
{
	return (*state = gang_map(sizeof(struct threads))) ? 0 : GANG_ENOMEM;
}

int syscalls_thread_op(void *state, int t, unsigned long n)
{
	struct threads *s = state;
	for (unsigned long i = 0; i < n; i++) {
		void *thread, *value = 0;
		int err = pthread_create(&thread, 0, syscalls_thread_start, s);
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
	gang_unmap(state, sizeof(struct threads));
}
