#include "shim.h"

/*
 * The linker turns every model into local-exec where the variable is the
 * program's own.  So the other two are done here as a shared library's code does
 * them: the offset from a table, or the address by a call.
 */
static __thread __attribute__((tls_model("local-exec"))) uint64_t counted;

/* psABI, Thread-Local Storage: the module's number and the offset in its block. */
struct index { unsigned long module, offset; };

enum { PROGRAM = 1, FAR = 1 << 20 };

struct local {
	long offset;			/* from the thread's pointer */
	struct index index;
	void *(*get)(struct index *);
	unsigned long count;
};

static inline char *syscalls_local_thread(void)
{
	char *p;
#if defined(__x86_64__)
	__asm__ volatile("mov %%fs:0, %0" : "=r"(p));
#elif defined(__aarch64__)
	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(p));
#endif
	return p;
}

/* 0 where there is no function to ask, or the block is not the program's. */
static int syscalls_local_find(struct local *l)
{
	l->index.module = PROGRAM;
	/* The loader's: a static program has neither. */
	l->get = (void *(*)(struct index *))syscalls_symbol((void *)getauxval(AT_BASE), "__tls_get_addr");
	if (!l->get) return 0;
	l->index.offset = (char *)&counted - (char *)l->get(&l->index);
	return l->index.offset < FAR;
}

int syscalls_local_new(const struct shape *s, void **state)
{
	struct local *l = gang_map(sizeof *l);
	if (!l) return GANG_ENOMEM;
	l->offset = (char *)&counted - syscalls_local_thread();
	if (gang_is(s->row, "model", "global-dynamic") && !syscalls_local_find(l)) {
		gang_unmap(l, sizeof *l);
		return GANG_EOPNOTSUPP;
	}
	*state = l;
	return 0;
}

int syscalls_local_op(void *state, int t, unsigned long n)
{
	struct local *l = state;
	for (unsigned long i = 0; i < n; i++) {
		counted++;
		__asm__ volatile("" : "+m"(counted));
	}
	l->count = counted;
	return 0;
}

int syscalls_local_initial_op(void *state, int t, unsigned long n)
{
	struct local *l = state;
	volatile long *offset = &l->offset;
	for (unsigned long i = 0; i < n; i++) {
		uint64_t *at = (void *)(syscalls_local_thread() + *offset);
		LAUNDER(at);
		++*at;
	}
	l->count = counted;
	return 0;
}

int syscalls_local_dynamic_op(void *state, int t, unsigned long n)
{
	struct local *l = state;
	for (unsigned long i = 0; i < n; i++) {
		uint64_t *at = l->get(&l->index);
		LAUNDER(at);
		++*at;
	}
	l->count = counted;
	return 0;
}

int syscalls_local_check(void *state, unsigned long n, uint64_t *digest)
{
	struct local *l = state;
	*digest = gang_digest(GANG_DIGEST, l->count);
	return l->count == n ? 0 : GANG_EWRONG;
}

void syscalls_local_free(void *state)
{
	gang_unmap(state, sizeof(struct local));
}
