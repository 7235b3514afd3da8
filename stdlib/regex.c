#include "shim.h"

enum { EXTENDED = 1 };

struct regex_state {
	struct stdlib s;
	struct regex compiled;
	long from, to;		/* of the match */
	union { int narrow[2]; long wide[2]; } match;	/* int in glibc, long in musl */
	size_t size;
	char text[];
};

static void stdlib_regex_write(struct regex_state *x, int nested)
{
	uint64_t seed = 1;
	for (size_t i = 0; i < x->size; i++)
		x->text[i] = nested ? 'a' + gang_random(&seed) % 3 : 'a' + gang_random(&seed) % 26;
	if (nested) {
		x->text[x->size - 2] = 'c';
		x->text[x->size - 1] = 'd';
	} else {
		for (int i = 0; i < 4; i++) x->text[x->size - 4 + i] = "x17y"[i];
		x->from = x->size - 4;
	}
	x->to = x->size;
}

int stdlib_regex_new(const struct shape *s, void **state)
{
	size_t size = gang_num(s->row, "size", 0);
	int nested = gang_is(s->row, "pattern", "nested");
	if (size < 8) return GANG_EINVAL;
	struct regex_state *x = stdlib_map(sizeof *x + size + 1);
	if (!x) return GANG_ENOMEM;
	x->size = size;
	stdlib_regex_write(x, nested);
	if (regcomp(&x->compiled, nested ? "((a|b)*c)*d" : "x[0-9]+y", EXTENDED)) {
		gang_unmap(x, x->s.bytes);
		return GANG_EINVAL;
	}
	*state = x;
	return 0;
}

int stdlib_regexec_op(void *state, int t, unsigned long n)
{
	struct regex_state *x = state;
	const char *text = x->text;
	uint64_t found = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(text);
		int no = regexec(&x->compiled, text, 1, &x->match, 0);
		LAUNDER(no);
		found += !no;
	}
	return stdlib_ran(&x->s, n, found);
}

int stdlib_regex_check(void *state, unsigned long n, uint64_t *digest)
{
	struct regex_state *x = state;
	int narrow = x->match.narrow[0] == x->from && x->match.narrow[1] == x->to;
	int wide = x->match.wide[0] == x->from && x->match.wide[1] == x->to;
	int err = stdlib_right(&x->s, n, n, digest);
	return err || !(narrow || wide) ? GANG_EWRONG : 0;
}

void stdlib_regex_free(void *state)
{
	struct regex_state *x = state;
	regfree(&x->compiled);
	gang_unmap(x, x->s.bytes);
}
