#include "shim.h"

struct once {
	int control;
	unsigned long passed;
};

static void syscalls_once_first(void) { }

int syscalls_once_new(const struct shape *s, void **state)
{
	struct once *o = gang_map(sizeof *o);
	if (!o) return GANG_ENOMEM;
	int err = pthread_once(&o->control, syscalls_once_first);
	if (err) gang_unmap(o, sizeof *o);
	else *state = o;
	return err;
}

int syscalls_once_op(void *state, int t, unsigned long n)
{
	struct once *o = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_once(&o->control, syscalls_once_first);
		if (err) return err;
		o->passed++;
	}
	return 0;
}

int syscalls_once_check(void *state, unsigned long n, uint64_t *digest)
{
	struct once *o = state;
	*digest = gang_digest(GANG_DIGEST, o->passed);
	return o->passed == n ? 0 : GANG_EWRONG;
}

void syscalls_once_free(void *state)
{
	gang_unmap(state, sizeof(struct once));
}
