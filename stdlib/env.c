#include "shim.h"

enum { VARS = 1024, ENTRY = 64, NAME = 24 };

/* Where environ is, by the same code with -fPIC and without. */
static char ***stdlib_environ(void)
{
	char ***p;
#if defined(__x86_64__)
	__asm__("movq environ@GOTPCREL(%%rip), %0" : "=r"(p));
#elif defined(__aarch64__)
	__asm__("adrp %0, :got:environ\n\tldr %0, [%0, :got_lo12:environ]" : "=r"(p));
#endif
	return p;
}

struct env {
	struct stdlib s;
	char **before, *value, name[NAME];
	char entry[VARS][ENTRY], *list[VARS + 1];
};

/*
 * Names of 8 to 15 capital letters, the last ones the variable's number: no
 * two are equal, and many begin alike only by chance.
 */
static char *stdlib_env_name(char *p, int i, uint64_t random)
{
	for (int letters = 4 + random % 8; letters--; random = random / 26 + 1) *p++ = 'A' + random % 26;
	*p++ = '_';
	return stdlib_digits(p, i, 3);
}

int stdlib_env_new(const struct shape *s, void **state)
{
	int vars = gang_num(s->row, "vars", 1);
	uint64_t seed = 1;
	struct env *e;
	if (vars < 1 || vars > VARS - 1) return GANG_EINVAL;
	if (!(e = stdlib_map(sizeof *e))) return GANG_ENOMEM;
	for (int i = 0; i <= vars; i++) {
		char *p = stdlib_env_name(e->entry[i], i, gang_random(&seed) >> 8);
		int last = i == vars - !gang_is(s->row, "find", "absent");
		for (int c = 0; last && e->entry[i] + c < p; c++) e->name[c] = e->entry[i][c];
		*p++ = '=';
		if (last && i < vars) e->value = p;
		stdlib_digits(p, i, 16);
		if (i < vars) e->list[i] = e->entry[i];
	}
	e->before = *stdlib_environ();
	*stdlib_environ() = e->list;
	*state = e;
	return 0;
}

int stdlib_getenv_op(void *state, int t, unsigned long n)
{
	struct env *e = state;
	const char *name = e->name;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(name);
		char *value = getenv(name);
		LAUNDER(value);
		right += value == e->value;
	}
	return stdlib_ran(&e->s, n, right);
}

int stdlib_env_check(void *state, unsigned long n, uint64_t *digest)
{
	struct env *e = state;
	return stdlib_right(&e->s, n, n, digest);
}

void stdlib_env_free(void *state)
{
	struct env *e = state;
	*stdlib_environ() = e->before;
	gang_unmap(e, e->s.bytes);
}
