#include "shim.h"

int cgo_floor_new(const struct shape *s, void **state)
{
	*state = gang_map(sizeof(unsigned long));
	return *state ? 0 : GANG_ENOMEM;
}

int cgo_empty_op(void *state, int t, unsigned long n)
{
	unsigned long *done = state, i;
	for (i = 0; i < n; i++) LAUNDER(i);
	*done += i;
	return 0;
}

/* The empty asm keeps gcc from finding out that the call has no effect. */
__attribute__((noinline)) static void cgo_nothing(void)
{
	__asm__ volatile("");
}

int cgo_call_op(void *state, int t, unsigned long n)
{
	unsigned long *done = state, i;
	for (i = 0; i < n; i++) cgo_nothing();
	*done += i;
	return 0;
}

int cgo_pointer_op(void *state, int t, unsigned long n)
{
	unsigned long *done = state, i;
	void (*nothing)(void) = cgo_nothing;
	for (i = 0; i < n; i++) {
		LAUNDER(nothing);
		nothing();
	}
	*done += i;
	return 0;
}

/* Counts the calls, not the ops: they are as many only if each op was a call. */
int cgo_nop_op(void *state, int t, unsigned long n)
{
	unsigned long *done = state;
	++*done;
	return 0;
}

int cgo_callback_op(void *state, int t, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) cgo_back(state);
	return 0;
}

int cgo_floor_check(void *state, unsigned long n, uint64_t *digest)
{
	unsigned long *done = state;
	*digest = gang_digest(GANG_DIGEST, *done);
	return *done == n ? 0 : GANG_EWRONG;
}

void cgo_floor_free(void *state)
{
	gang_unmap(state, sizeof(unsigned long));
}
