#include "shim.h"

struct parent {
	int pid;
	unsigned long right;
};

int syscalls_getppid_new(const struct shape *s, void **state)
{
	struct parent *p = gang_map(sizeof *p);
	if (!p) return GANG_ENOMEM;
	p->pid = gang_syscall(SYS_GETPPID, 0, 0, 0, 0, 0, 0);
	*state = p;
	return 0;
}

int syscalls_getppid_op(void *state, int t, unsigned long n)
{
	struct parent *p = state;
	for (unsigned long i = 0; i < n; i++)
		p->right += getppid() == p->pid;
	return 0;
}

int syscalls_getppid_raw_op(void *state, int t, unsigned long n)
{
	struct parent *p = state;
	for (unsigned long i = 0; i < n; i++)
		p->right += gang_syscall(SYS_GETPPID, 0, 0, 0, 0, 0, 0) == p->pid;
	return 0;
}

int syscalls_getppid_check(void *state, unsigned long n, uint64_t *digest)
{
	struct parent *p = state;
	*digest = gang_digest(GANG_DIGEST, p->right);
	return p->right == n ? 0 : GANG_EWRONG;
}

void syscalls_getppid_free(void *state)
{
	gang_unmap(state, sizeof(struct parent));
}
