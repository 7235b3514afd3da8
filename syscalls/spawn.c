#include "shim.h"

/* Linux: include/uapi/linux/fcntl.h. */
enum { AT_FDCWD = -100, X_OK = 1, PATH = 4096 };

struct children {
	char path[PATH];
	unsigned long ended;
};

/* The path of a file beside this program; 0 or an errno. */
static int syscalls_spawn_find(char *path, const char *name)
{
	long end = gang_syscall(SYS_READLINKAT, AT_FDCWD, (long)"/proc/self/exe", (long)path, PATH - 1, 0, 0);
	if (end < 0) return -end;
	while (end && path[end - 1] != '/') end--;
	while (*name && end < PATH - 1) path[end++] = *name++;
	path[end] = 0;
	return *name || gang_syscall(SYS_FACCESSAT, AT_FDCWD, (long)path, X_OK, 0, 0, 0) ? GANG_EOPNOTSUPP : 0;
}

int syscalls_spawn_new(const struct shape *s, void **state)
{
	struct children *c = gang_map(sizeof *c);
	if (!c) return GANG_ENOMEM;
	int err = syscalls_spawn_find(c->path, gang_is(s->row, "link", "static") ? "empty.static" : "empty.dynamic");
	if (err) gang_unmap(c, sizeof *c);
	else *state = c;
	return err;
}

int syscalls_spawn_op(void *state, int t, unsigned long n)
{
	struct children *c = state;
	char *argv[] = { c->path, 0 }, *envp[] = { 0 };
	for (unsigned long i = 0; i < n; i++) {
		int pid, status = -1;
		int err = posix_spawn(&pid, c->path, 0, 0, argv, envp);
		if (err) return err;
		if (waitpid(pid, &status, 0) != pid) return *__errno_location();
		c->ended += !status;
	}
	return 0;
}

int syscalls_spawn_check(void *state, unsigned long n, uint64_t *digest)
{
	struct children *c = state;
	*digest = gang_digest(GANG_DIGEST, c->ended);
	return c->ended == n ? 0 : GANG_EWRONG;
}

void syscalls_spawn_free(void *state)
{
	gang_unmap(state, sizeof(struct children));
}
