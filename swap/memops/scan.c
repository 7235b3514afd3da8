#include "memops.h"

/*
 * All of these read aligned blocks, from the one that the start lies in.  Four
 * at a time only from a multiple of 64, so that what is read before a match
 * never crosses into another page.
 */
static inline const byte *align(const void *p) { return (const byte *)((address)p & -(address)BLOCK); }
static inline unsigned skew(const void *p) { return (address)p % BLOCK; }

size_t strlen(const char *s)
{
	const byte *p = align(s);
	unsigned m = mask(peek(p) == 0) >> skew(s);
	if (m) return first(m);
	for (p += BLOCK; (address)p % 64; p += BLOCK)
		if ((m = mask(peek(p) == 0))) return (const char *)p + first(m) - s;
	for (;; p += 64) {
		truth a = peek(p) == 0, b = peek(p + 16) == 0, c = peek(p + 32) == 0, d = peek(p + 48) == 0;
		if (mask(a | b | c | d)) break;
	}
	while (!(m = mask(peek(p) == 0))) p += BLOCK;
	return (const char *)p + first(m) - s;
}

void *memchr(const void *s, int wanted, size_t n)
{
	block c = fill(wanted);
	const byte *p = align(s);
	size_t room = BLOCK - skew(s);
	unsigned m;
	if (!n) return 0;
	m = mask(peek(p) == c) >> skew(s);
	if (m) return first(m) < n ? (byte *)s + first(m) : 0;
	for (p += BLOCK; n > room && (address)p % 64; p += BLOCK) {
		n -= room;
		room = BLOCK;
		if ((m = mask(peek(p) == c))) return first(m) < n ? (byte *)p + first(m) : 0;
	}
	if (n <= room) return 0;
	n -= room;
	for (; n > 64; n -= 64, p += 64) {
		truth w = peek(p) == c, x = peek(p + 16) == c, y = peek(p + 32) == c, z = peek(p + 48) == c;
		if (mask(w | x | y | z)) break;
	}
	for (;; n -= BLOCK, p += BLOCK) {
		if ((m = mask(peek(p) == c))) return first(m) < n ? (byte *)p + first(m) : 0;
		if (n <= BLOCK) return 0;
	}
}

void *memrchr(const void *s, int wanted, size_t n)
{
	const byte *p = (const byte *)s + n;
	block c = fill(wanted);
	unsigned m;
	for (; n >= BLOCK; n -= BLOCK) {
		p -= BLOCK;
		if ((m = mask(load(p) == c))) return (byte *)p + last(m);
	}
	while (n--)
		if (*--p == (byte)wanted) return (byte *)p;
	return 0;
}

size_t strnlen(const char *s, size_t n)
{
	const char *end = memchr(s, 0, n);
	return end ? (size_t)(end - s) : n;
}

/* The first c, or the end. */
static inline const byte *find(const char *s, int wanted)
{
	block c = fill(wanted);
	const byte *p = align(s);
	block x = peek(p);
	unsigned m = mask((x == c) | (x == 0)) >> skew(s);
	if (m) return (const byte *)s + first(m);
	do {
		p += BLOCK;
		x = peek(p);
	} while (!(m = mask((x == c) | (x == 0))));
	return p + first(m);
}

char *strchr(const char *s, int c)
{
	const byte *p = find(s, c);
	return *p == (byte)c ? (char *)p : 0;
}

char *strrchr(const char *s, int wanted)
{
	block c = fill(wanted);
	const byte *p = align(s), *found = 0;
	unsigned keep = 0xffffu << skew(s);
	for (;; p += BLOCK, keep = 0xffff) {
		block x = peek(p);
		unsigned at = mask(x == c) & keep, end = mask(x == 0) & keep;
		if (end) at &= end ^ (end - 1);
		if (at) found = p + last(at);
		if (end) return (char *)found;
	}
}

/* glibc's strchr and index are one member of its archive, strrchr and rindex too. */
char *index(const char *, int) __attribute__((alias("strchr")));
char *rindex(const char *, int) __attribute__((alias("strrchr")));
