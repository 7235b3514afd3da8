#include "memops.h"

/* A set of bytes, a bit for each. */
struct set { unsigned long long bits[4]; };

static inline void add(struct set *s, byte c) { s->bits[c / 64] |= 1ULL << c % 64; }
static inline int has(const struct set *s, byte c) { return s->bits[c / 64] >> c % 64 & 1; }

/* Up to three bytes to stop at and the end, 16 bytes at a time. */
static size_t until(const char *s, const char *stop)
{
	const byte *p = (const byte *)((address)s & -(address)BLOCK);
	block a = fill(stop[0]), b = a, c = a;
	unsigned skew = (address)s % BLOCK, m;
	if (stop[0] && stop[1]) {
		b = fill(stop[1]);
		if (stop[2]) c = fill(stop[2]);
	}
	block x = peek(p);
	m = mask((x == a) | (x == b) | (x == c) | (x == 0)) >> skew;
	if (m) return first(m);
	do {
		p += BLOCK;
		x = peek(p);
	} while (!(m = mask((x == a) | (x == b) | (x == c) | (x == 0))));
	return (const char *)p + first(m) - s;
}

size_t strcspn(const char *s, const char *reject)
{
	struct set stop = { { 1 } };	/* the end */
	const byte *p = (const byte *)s, *r = (const byte *)reject;
	if (!r[0] || !r[1] || !r[2] || !r[3]) return until(s, reject);
	for (; *r; r++) add(&stop, *r);
	while (!has(&stop, *p)) p++;
	return (const char *)p - s;
}

size_t strspn(const char *s, const char *accept)
{
	struct set go = { { 0 } };
	const byte *p = (const byte *)s, *a = (const byte *)accept;
	for (; *a; a++) add(&go, *a);
	while (has(&go, *p)) p++;
	return (const char *)p - s;
}

char *strpbrk(const char *s, const char *accept)
{
	s += strcspn(s, accept);
	return *s ? (char *)s : 0;
}
