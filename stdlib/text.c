#include "shim.h"

enum { CTYPE = 0 };	/* setlocale's LC_CTYPE */

struct text {
	struct stdlib s;
	size_t size, chars;
	void *to;		/* iconv's, or 0 */
	unsigned *want, *got;	/* wide characters */
	char *utf8;		/* size bytes and a 0 */
};

/* The code point of character i: of 1 to 4 bytes, half of them of one. */
static unsigned stdlib_text_point(uint64_t random, int mixed)
{
	unsigned kind = mixed ? random % 16 : 0;
	random >>= 8;
	if (kind < 8) return ' ' + random % 95;
	if (kind < 12) return 0x80 + random % 0x780;
	if (kind < 15) return 0x3000 + random % 0x7000;
	return 0x10000 + random % 0x10000;
}

static int stdlib_text_length(unsigned c)
{
	return 1 + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
}

static char *stdlib_text_put(char *p, unsigned c)
{
	int length = stdlib_text_length(c);
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (int i = length - 1; i > 0; i--, c >>= 6) p[i] = 0x80 | (c & 0x3f);
	p[0] = lead[length] | c;
	return p + length;
}

/* size bytes to the byte: what would go beyond is a space instead. */
static void stdlib_text_write(struct text *x, int mixed)
{
	uint64_t seed = 1;
	for (char *p = x->utf8, *end = p + x->size; p < end; x->chars++) {
		unsigned c = stdlib_text_point(gang_random(&seed), mixed);
		if (stdlib_text_length(c) > end - p) c = ' ';
		x->want[x->chars] = c;
		p = stdlib_text_put(p, c);
	}
}

/* mbstowcs decodes what the locale says; iconv is told. */
static int stdlib_text_open(struct text *x, int by_iconv)
{
	if (!by_iconv) return setlocale(CTYPE, "C.UTF-8") ? 0 : GANG_EOPNOTSUPP;
	x->to = iconv_open("UCS-4LE", "UTF-8");
	if (x->to != (void *)-1) return 0;
	int err = stdlib_errno();
	return err == GANG_EINVAL ? GANG_EOPNOTSUPP : err;
}

int stdlib_text_new(const struct shape *s, void **state)
{
	size_t size = gang_num(s->row, "size", 0);
	struct text *x = stdlib_map(sizeof *x + 2 * (size + 1) * sizeof *x->want + size + 1);
	if (!x) return GANG_ENOMEM;
	x->size = size;
	x->want = (unsigned *)(x + 1);
	x->got = x->want + size + 1;
	x->utf8 = (char *)(x->got + size + 1);
	stdlib_text_write(x, gang_is(s->row, "text", "mixed"));
	int err = stdlib_text_open(x, !!gang_key(s->row, "to"));
	if (err) {
		gang_unmap(x, x->s.bytes);
		return err;
	}
	*state = x;
	return 0;
}

int stdlib_mbstowcs_op(void *state, int t, unsigned long n)
{
	struct text *x = state;
	size_t room = x->size + 1;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(room);
		size_t chars = mbstowcs((int *)x->got, x->utf8, room);
		LAUNDER(chars);
		sum += chars;
	}
	return stdlib_ran(&x->s, n, sum);
}

int stdlib_iconv_op(void *state, int t, unsigned long n)
{
	struct text *x = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		char *from = x->utf8, *to = (char *)x->got;
		size_t left = x->size, room = x->size * sizeof *x->got;
		if (iconv(x->to, &from, &left, &to, &room) == (size_t)-1) return stdlib_errno();
		sum += (unsigned *)to - x->got;
	}
	return stdlib_ran(&x->s, n, sum);
}

int stdlib_text_check(void *state, unsigned long n, uint64_t *digest)
{
	struct text *x = state;
	int err = stdlib_right(&x->s, n, n * x->chars, digest);
	for (size_t i = 0; i < x->chars; i++) {
		if (x->got[i] != x->want[i]) return GANG_EWRONG;
		*digest = gang_digest(*digest, x->got[i]);
	}
	return err;
}

void stdlib_text_free(void *state)
{
	struct text *x = state;
	if (x->to) iconv_close(x->to);
	else setlocale(CTYPE, "C");
	gang_unmap(x, x->s.bytes);
}
