#include "memops.h"

/* Both ends, which overlap in the middle.  All is read before any is written. */
static inline void move_small(byte *d, const byte *s, size_t n)
{
	if (n >= 8) {
		unsigned long long a = *(const loose_8 *)s, b = *(const loose_8 *)(s + n - 8);
		*(loose_8 *)d = a;
		*(loose_8 *)(d + n - 8) = b;
	} else if (n >= 4) {
		unsigned a = *(const loose_4 *)s, b = *(const loose_4 *)(s + n - 4);
		*(loose_4 *)d = a;
		*(loose_4 *)(d + n - 4) = b;
	} else if (n >= 2) {
		unsigned short a = *(const loose_2 *)s, b = *(const loose_2 *)(s + n - 2);
		*(loose_2 *)d = a;
		*(loose_2 *)(d + n - 2) = b;
	} else if (n) {
		*d = *s;
	}
}

static inline void move_128(byte *d, const byte *s, size_t n)
{
	const byte *t = s + n - 64;
	byte *e = d + n - 64;
	block a = load(s), b = load(s + 16), c = load(s + 32), f = load(s + 48);
	block g = load(t), h = load(t + 16), i = load(t + 32), j = load(t + 48);
	store(d, a); store(d + 16, b); store(d + 32, c); store(d + 48, f);
	store(e, g); store(e + 16, h); store(e + 32, i); store(e + 48, j);
}

/*
 * The first block is written last: where the ranges overlap its place may hold
 * what the loop still reads.
 */
static void move_up(byte *d, const byte *s, size_t n)
{
	const byte *t = s + n - 64;
	byte *e = d + n - 64;
	block head = load(s);
	block a = load(t), b = load(t + 16), c = load(t + 32), f = load(t + 48);
	size_t i = BLOCK - (address)d % BLOCK;
	for (; i < n - 64; i += 64) {
		block w = load(s + i), x = load(s + i + 16), y = load(s + i + 32), z = load(s + i + 48);
		store(d + i, w); store(d + i + 16, x); store(d + i + 32, y); store(d + i + 48, z);
	}
	store(e, a); store(e + 16, b); store(e + 32, c); store(e + 48, f);
	store(d, head);
}

static void move_down(byte *d, const byte *s, size_t n)
{
	block tail = load(s + n - 16);
	block a = load(s), b = load(s + 16), c = load(s + 32), f = load(s + 48);
	size_t i = n - (address)(d + n) % BLOCK;
	for (; i > 64; i -= 64) {
		block w = load(s + i - 16), x = load(s + i - 32), y = load(s + i - 48), z = load(s + i - 64);
		store(d + i - 16, w); store(d + i - 32, x); store(d + i - 48, y); store(d + i - 64, z);
	}
	store(d, a); store(d + 16, b); store(d + 32, c); store(d + 48, f);
	store(d + n - 16, tail);
}

void *memmove(void *dst, const void *src, size_t n)
{
	byte *d = dst;
	const byte *s = src;
	if (n < 16) {
		move_small(d, s, n);
	} else if (n <= 32) {
		block a = load(s), b = load(s + n - 16);
		store(d, a);
		store(d + n - 16, b);
	} else if (n <= 64) {
		block a = load(s), b = load(s + 16), c = load(s + n - 32), e = load(s + n - 16);
		store(d, a); store(d + 16, b);
		store(d + n - 32, c); store(d + n - 16, e);
	} else if (n <= 128) {
		move_128(d, s, n);
	} else if ((address)d - (address)s >= n) {
		move_up(d, s, n);
	} else {
		move_down(d, s, n);
	}
	return dst;
}

/* One function, as in glibc: a copy that overlaps by mistake is the same in both libcs. */
void *memcpy(void *restrict, const void *restrict, size_t) __attribute__((alias("memmove")));

char *stpcpy(char *restrict dst, const char *restrict src)
{
	size_t n = strlen(src);
	memcpy(dst, src, n + 1);
	return dst + n;
}

char *strcpy(char *restrict dst, const char *restrict src)
{
	return memcpy(dst, src, strlen(src) + 1);
}

char *strncpy(char *restrict dst, const char *restrict src, size_t size)
{
	size_t n = strnlen(src, size);
	memcpy(dst, src, n);
	memset(dst + n, 0, size - n);
	return dst;
}

char *strcat(char *restrict dst, const char *restrict src)
{
	strcpy(dst + strlen(dst), src);
	return dst;
}
