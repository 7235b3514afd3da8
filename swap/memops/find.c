#include "memops.h"

/*
 * The greatest suffix of needle in the order of bytes, or in its reverse:
 * where it begins, and its period.
 */
static size_t greatest_suffix(const byte *needle, size_t n, int reverse, size_t *period)
{
	size_t start = 0, other = 1, k = 0, p = 1;
	while (other + k < n) {
		byte a = needle[start + k], b = needle[other + k];
		if (a == b) {
			if (++k == p) {
				other += p;
				k = 0;
			}
		} else if ((b < a) != reverse) {
			other += k + 1;
			k = 0;
			p = other - start;
		} else {
			start = other++;
			k = 0;
			p = 1;
		}
	}
	*period = p;
	return start;
}

/*
 * Crochemore and Perrin, Two-way string-matching, Journal of the ACM 38 (1991):
 * at most 2 h comparisons and no memory, whatever the needle repeats.
 */
static void *two_way(const byte *hay, size_t h, const byte *needle, size_t n)
{
	size_t period, other, known = 0, keep = 0;
	size_t cut = greatest_suffix(needle, n, 0, &period), cut2 = greatest_suffix(needle, n, 1, &other);
	if (cut2 > cut) {
		cut = cut2;
		period = other;
	}
	if (!memcmp(needle, needle + period, cut))
		keep = n - period;
	else
		period = (cut > n - cut ? cut : n - cut) + 1;
	for (; h >= n;) {
		size_t i = cut > known ? cut : known, shift;
		while (i < n && needle[i] == hay[i]) i++;
		if (i < n) {
			shift = i - cut + 1;
			known = 0;
		} else {
			for (i = cut; i > known && needle[i - 1] == hay[i - 1]; i--);
			if (i <= known) return (void *)hay;
			shift = period;
			known = keep;
		}
		if (shift > h) return 0;
		hay += shift;
		h -= shift;
	}
	return 0;
}

static size_t common(const byte *a, const byte *b, size_t n)
{
	size_t i = 0;
	while (i < n && a[i] == b[i]) i++;
	return i;
}

/* Bytes that may be compared in vain before two_way takes over, for each byte passed and at first. */
enum { PATIENCE = 4, START = 256 };

/*
 * Places where the needle's first and last byte are right are looked at.  In a
 * text of few letters these are many, and two_way finishes.
 */
void *memmem(const void *haystack, size_t h, const void *wanted, size_t n)
{
	const byte *hay = haystack, *needle = wanted;
	size_t spent = 0, i = 0, places;
	block a, b;
	if (!n) return (void *)hay;
	if (h < n) return 0;
	if (n == 1) return memchr(hay, *needle, h);
	places = h - n + 1;
	a = fill(needle[0]);
	b = fill(needle[n - 1]);
	for (; places - i >= BLOCK; i += BLOCK) {
		unsigned m = mask((load(hay + i) == a) & (load(hay + i + n - 1) == b));
		for (; m; m &= m - 1) {
			size_t at = i + first(m), same = common(hay + at, needle, n);
			if (same == n) return (void *)(hay + at);
			spent += same;
			if (spent > START + PATIENCE * i) return two_way(hay + at + 1, h - at - 1, needle, n);
		}
	}
	for (; i < places; i++)
		if (common(hay + i, needle, n) == n) return (void *)(hay + i);
	return 0;
}

/* Not past what it finds: a loop over a text's matches would else read the text each time. */
char *strstr(const char *hay, const char *needle)
{
	size_t n = strlen(needle), window = n + 256;
	if (!n) return (char *)hay;
	if (!(hay = strchr(hay, *needle))) return 0;
	for (;; window *= 2) {
		size_t h = strnlen(hay, window);
		char *at = memmem(hay, h, needle, n);
		if (at || h < window) return at;
		hay += h - n + 1;
	}
}
