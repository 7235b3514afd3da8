#include "memops.h"

static inline int differ_at(const byte *a, const byte *b, unsigned i) { return a[i] - b[i]; }
static inline unsigned unequal(block a, block b) { return mask(a == b) ^ 0xffff; }

/* The first byte in memory is the most significant one. */
static inline int order(unsigned long long a, unsigned long long b)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	a = __builtin_bswap64(a);
	b = __builtin_bswap64(b);
#endif
	return (a > b) - (a < b);
}

static inline unsigned long long ends(const byte *p, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (unsigned long long)*(const loose_4 *)(p + n - 4) << 32 | *(const loose_4 *)p;
#else
	return (unsigned long long)*(const loose_4 *)p << 32 | *(const loose_4 *)(p + n - 4);
#endif
}

static inline int compare_small(const byte *a, const byte *b, size_t n)
{
	if (n >= 8) {
		int d = order(*(const loose_8 *)a, *(const loose_8 *)b);
		return d ? d : order(*(const loose_8 *)(a + n - 8), *(const loose_8 *)(b + n - 8));
	}
	if (n >= 4) return order(ends(a, n), ends(b, n));
	for (; n; n--, a++, b++)
		if (*a != *b) return *a - *b;
	return 0;
}

int memcmp(const void *left, const void *right, size_t n)
{
	const byte *a = left, *b = right;
	unsigned m;
	if (n < 16) return compare_small(a, b, n);
	for (; n >= 64; n -= 64, a += 64, b += 64) {
		truth same = (load(a) == load(b)) & (load(a + 16) == load(b + 16)) &
			(load(a + 32) == load(b + 32)) & (load(a + 48) == load(b + 48));
		if (mask(same) != 0xffff) break;
	}
	for (; n > 16; n -= 16, a += 16, b += 16)
		if ((m = unequal(load(a), load(b)))) return differ_at(a, b, first(m));
	if (!n) return 0;
	/* At least 16 bytes were there: go back. */
	a += n - 16;
	b += n - 16;
	m = unequal(load(a), load(b));
	return m ? differ_at(a, b, first(m)) : 0;
}

int bcmp(const void *, const void *, size_t) __attribute__((alias("memcmp")));

/* How many whole blocks follow at p before one crosses into another page. */
static inline size_t blocks(const void *p) { return (PAGE - (address)p % PAGE) / BLOCK; }

/*
 * Strings are read 16 bytes at a time from wherever they lie; where a block
 * would cross into a page that may not be there, byte by byte.
 */
int strcmp(const char *left, const char *right)
{
	const byte *a = (const byte *)left, *b = (const byte *)right;
	for (;;) {
		size_t i = blocks(a), k = blocks(b);
		if (i < k) k = i;
		for (; k; k--, a += BLOCK, b += BLOCK) {
			block x = peek(a), y = peek(b);
			unsigned m = mask((x == y) & (x != 0)) ^ 0xffff;
			if (m) return differ_at(a, b, first(m));
		}
		for (i = 0; i < BLOCK; i++, a++, b++)
			if (*a != *b || !*a) return *a - *b;
	}
}

int strncmp(const char *left, const char *right, size_t n)
{
	const byte *a = (const byte *)left, *b = (const byte *)right;
	for (;;) {
		size_t i = blocks(a), k = blocks(b);
		if (i < k) k = i;
		for (; k && n >= BLOCK; k--, n -= BLOCK, a += BLOCK, b += BLOCK) {
			block x = peek(a), y = peek(b);
			unsigned m = mask((x == y) & (x != 0)) ^ 0xffff;
			if (m) return differ_at(a, b, first(m));
		}
		for (i = 0; i < BLOCK; i++, n--, a++, b++) {
			if (!n) return 0;
			if (*a != *b || !*a) return *a - *b;
		}
	}
}

static inline int lower(byte c) { return c >= 'A' && c <= 'Z' ? c | 32 : c; }
static inline block lower_block(block x) { return x | ((block)((x >= 'A') & (x <= 'Z')) & 32); }

/* The letters of the C locale, which are all that musl ever folds. */
int strcasecmp(const char *left, const char *right)
{
	const byte *a = (const byte *)left, *b = (const byte *)right;
	for (;;) {
		size_t i = blocks(a), k = blocks(b);
		if (i < k) k = i;
		for (; k; k--, a += BLOCK, b += BLOCK) {
			block x = peek(a), y = peek(b);
			unsigned m = mask((lower_block(x) == lower_block(y)) & (x != 0)) ^ 0xffff;
			if (m) return lower(a[first(m)]) - lower(b[first(m)]);
		}
		for (i = 0; i < BLOCK; i++, a++, b++)
			if (lower(*a) != lower(*b) || !*a) return lower(*a) - lower(*b);
	}
}

/* musl's strcasecmp and this one are one member of its archive. */
int strcasecmp_l(const char *a, const char *b, void *locale)
{
	(void)locale;
	return strcasecmp(a, b);
}
