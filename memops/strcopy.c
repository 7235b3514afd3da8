#include "shim.h"

/* dst holds prefix bytes of the text and src those that follow. */
struct strcopy {
	struct memops m;
	size_t prefix, length, zeros;	/* zeros: how many an op writes behind the text */
};

int memops_strcopy_new(const struct shape *s, void **state)
{
	struct strcopy *c = (void *)memops_map(s, sizeof *c, "dst", "src");
	if (!c) return GANG_ENOMEM;
	struct memops *m = &c->m;
	int bounded = !!gang_key(s->row, "length");
	c->prefix = gang_num(s->row, "prefix", 0);
	c->length = gang_is(s->row, "length", "half") ? m->size / 2 : m->size;
	c->zeros = bounded ? m->size - c->length : 1;
	memops_write(&m->src, 0);
	for (size_t i = 0; i < c->length; i++) m->src.at[i] = memops_text(c->prefix + i);
	m->src.at[c->length] = 0;
	memops_write(&m->dst, c->prefix);
	*state = c;
	return 0;
}

int memops_strcpy_op(void *state, int t, unsigned long n)
{
	struct strcopy *c = state;
	char *dst = (char *)c->m.dst.at, *src = (char *)c->m.src.at;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(src);
		char *p = strcpy(dst, src);
		LAUNDER(p);
		right += p == dst;
	}
	return memops_ran(&c->m, memops_strcpy_op, right);
}

int memops_stpcpy_op(void *state, int t, unsigned long n)
{
	struct strcopy *c = state;
	char *dst = (char *)c->m.dst.at, *src = (char *)c->m.src.at, *end = dst + c->length;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(src);
		char *p = stpcpy(dst, src);
		LAUNDER(p);
		right += p == end;
	}
	return memops_ran(&c->m, memops_stpcpy_op, right);
}

int memops_strncpy_op(void *state, int t, unsigned long n)
{
	struct strcopy *c = state;
	char *dst = (char *)c->m.dst.at, *src = (char *)c->m.src.at;
	size_t size = c->m.size;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		char *p = strncpy(dst, src, size);
		LAUNDER(p);
		right += p == dst;
	}
	return memops_ran(&c->m, memops_strncpy_op, right);
}

int memops_strcat_op(void *state, int t, unsigned long n)
{
	struct strcopy *c = state;
	char *dst = (char *)c->m.dst.at, *src = (char *)c->m.src.at;
	size_t prefix = c->prefix;
	uint64_t right = 0;
	for (unsigned long i = 0; i < n; i++) {
		dst[prefix] = 0;
		LAUNDER(src);
		char *p = strcat(dst, src);
		LAUNDER(p);
		right += p == dst;
	}
	return memops_ran(&c->m, memops_strcat_op, right);
}

int memops_strcopy_check(void *state, unsigned long n, uint64_t *digest)
{
	struct strcopy *c = state;
	struct buffer *dst = &c->m.dst;
	size_t length = c->prefix + c->length;
	int err = memops_check(&c->m, n, digest);
	for (size_t i = 0; i < c->zeros; i++) {
		if (dst->at[length + i]) return GANG_EWRONG;
		dst->at[length + i] = dst->guard;
	}
	return memops_holds(dst, length) ? err : GANG_EWRONG;
}
