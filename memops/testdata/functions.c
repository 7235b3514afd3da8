/*
 *	functions
 *
 * Calls each function that the room measures with lengths from 0 to 300 at
 * 16 by 16 alignments, with what it reads or writes once in the middle of a
 * page and once ending at one that nobody may touch.  What it should answer
 * is worked out byte by byte.  Prints the calls that answer otherwise.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "shim.h"

enum { LONGEST = 300, ALIGNS = 16, PAGES = 4 * 4096 };

static unsigned char *one, *two;	/* PAGES each, and then no more */
static unsigned long calls, wrong;

static void *guarded(void)
{
	unsigned char *p = mmap(0, PAGES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(p + PAGES, 4096, PROT_NONE);
	return p;
}

static void expect(const char *call, int right, size_t n, const void *a, const void *b)
{
	calls++;
	if (right) return;
	if (wrong++ < 20) printf("%s: length %zu, at %zu and %zu\n", call, n, (size_t)a % 4096, (size_t)b % 4096);
}

static void text(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) p[i] = memops_text(i);
}

/* Whether p holds the text with fill for m bytes on either side of it, as far as the buffer goes. */
static int holds(const unsigned char *base, const unsigned char *p, size_t n, int fill)
{
	for (const unsigned char *q = p - 64; q < p + n + 64 && q < base + PAGES; q++)
		if (*q != (q >= p && q < p + n ? memops_text(q - p) : fill)) return 0;
	return 1;
}

static void around(const unsigned char *base, unsigned char *p, size_t n, int fill)
{
	for (unsigned char *q = p - 64; q < p + n + 64 && q < base + PAGES; q++) *q = fill;
}

static void copies(unsigned char *d, unsigned char *s, size_t n)
{
	text(s, n);
	around(one, d, n, 0xdd);
	expect("memcpy", memcpy(d, s, n) == d && holds(one, d, n, 0xdd), n, d, s);
	around(one, d, n, 0xdd);
	expect("memmove", memmove(d, s, n) == d && holds(one, d, n, 0xdd), n, d, s);
	around(one, d, n, 0xdd);
	memset(d, 0xee, n);
	int right = 1;
	for (unsigned char *q = d - 64; q < d + n + 64 && q < one + PAGES; q++) right &= *q == (q >= d && q < d + n ? 0xee : 0xdd);
	expect("memset", right, n, d, s);
}

/* A string takes n bytes and its end, so it begins a byte earlier. */
static void string_copies(char *d, char *s, size_t n)
{
	text((void *)s, n);
	s[n] = 0;
	for (int f = 0; f < 4; f++) {
		static const char *const names[] = { "strcpy", "stpcpy", "strncpy", "strcat" };
		around(one, (void *)d, n + 1, 0xdd);
		char *want = f == 1 ? d + n : d, *got;
		if (f == 3) *d = 0;
		got = f == 0 ? strcpy(d, s) : f == 1 ? stpcpy(d, s) : f == 2 ? strncpy(d, s, n + 1) : strcat(d, s);
		int end = d[n];
		d[n] = 0xdd;
		expect(names[f], got == want && !end && holds(one, (void *)d, n, 0xdd), n, d, s);
	}
	/* Not long enough for the end, and longer than the string. */
	around(one, (void *)d, n, 0xdd);
	strncpy(d, s, n);
	expect("strncpy of a part", holds(one, (void *)d, n, 0xdd), n, d, s);
	s[n / 2] = 0;
	strncpy(d, s, n);
	int zeros = 1;
	for (size_t i = n / 2; i < n; i++) zeros &= !d[i];
	expect("strncpy of more", zeros, n, d, s);
}

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static void compares(unsigned char *a, unsigned char *b, size_t n)
{
	for (int where = 0; where < 4; where++) {
		size_t at = where == 0 ? 0 : where == 1 ? n / 2 : n - 1;
		int differ = where < 3 && n;
		text(a, n);
		text(b, n);
		if (differ) b[at] = 0xf0;	/* greater than all, as unsigned bytes are compared */
		int want = differ ? -1 : 0;
		expect("memcmp", sign(memcmp(a, b, n)) == want && sign(memcmp(b, a, n)) == -want, n, a, b);
		expect("bcmp", !memops_bcmp(a, b, n) == !want, n, a, b);
		expect("strncmp", sign(strncmp((char *)a, (char *)b, n)) == want, n, a, b);
	}
}

static void string_compares(char *a, char *b, size_t n)
{
	for (int where = 0; where < 4; where++) {
		size_t at = where == 0 ? 0 : where == 1 ? n / 2 : n - 1;
		int differ = where < 3 && n;
		text((void *)a, n);
		text((void *)b, n);
		a[n] = b[n] = 0;
		if (differ) b[at] = MARK;
		int want = differ ? -1 : 0;
		expect("strcmp", sign(strcmp(a, b)) == want && sign(strcmp(b, a)) == -want, n, a, b);
		for (size_t i = 0; i < n; i++)
			if (b[i] >= 'A' && b[i] <= 'Z') b[i] += 'a' - 'A';
		expect("strcasecmp", sign(strcasecmp(a, b)) == want && sign(strcasecmp(b, a)) == -want, n, a, b);
	}
}

static void scans(unsigned char *s, size_t n)
{
	size_t places[] = { 0, n / 2, n - 1 };
	text(s, n);
	expect("memchr of none", !memchr(s, MARK, n), n, s, s);
	expect("memrchr of none", !memrchr(s, MARK, n), n, s, s);
	expect("strnlen", strnlen((char *)s, n) == n, n, s, s);
	for (int i = 0; i < 3 && n; i++) {
		text(s, n);
		s[places[i]] = MARK;
		expect("memchr", memchr(s, MARK, n) == s + places[i], n, s, s);
		expect("memrchr", memrchr(s, MARK, n) == s + places[i], n, s, s);
		s[places[i]] = 0;
		expect("strnlen", strnlen((char *)s, n) == places[i], n, s, s);
	}
}

static void string_scans(char *s, size_t n)
{
	size_t places[] = { 0, n / 2, n - 1 };
	char all[65] = "";
	text((void *)s, n);
	s[n] = 0;
	for (int i = 0; i < 64; i++) all[i] = ' ' + i;
	expect("strlen", strlen(s) == n, n, s, s);
	expect("strchr of none", !strchr(s, MARK) && !strrchr(s, MARK) && !strpbrk(s, "|}~"), n, s, s);
	expect("strchr of the end", strchr(s, 0) == s + n && strrchr(s, 0) == s + n, n, s, s);
	expect("strcspn of none", strcspn(s, "|}~") == n && strcspn(s, "") == n, n, s, s);
	expect("strspn of all", strspn(s, all) == n && strspn(s, "") == 0, n, s, s);
	for (int i = 0; i < 3 && n; i++) {
		text((void *)s, n);
		s[places[i]] = MARK;
		char *p = s + places[i];
		expect("strchr", strchr(s, MARK) == p && strrchr(s, MARK) == p, n, s, s);
		expect("strcspn", strcspn(s, "|}~") == places[i] && strpbrk(s, "|}~") == p, n, s, s);
		expect("strspn", strspn(s, all) == places[i], n, s, s);
	}
}

static void finds(char *s, size_t n)
{
	for (size_t length = 1; length <= 40 && length <= n; length += length < 5 ? 1 : 7) {
		char needle[41];
		for (size_t i = 0; i < length; i++) needle[i] = i == length - 1 ? 'z' : 'A';
		needle[length] = 0;
		for (size_t i = 0; i < n; i++) s[i] = 'A';
		s[n] = 0;
		expect("memmem of none", !memmem(s, n, needle, length) && !strstr(s, needle), n, s, s);
		s[n - 1] = 'z';
		char *p = s + n - length;
		expect("memmem", memmem(s, n, needle, length) == p && strstr(s, needle) == p, n, s, s);
		expect("memmem before the end", !memmem(s, n - 1, needle, length), n, s, s);
	}
	expect("memmem of nothing", memmem(s, n, "", 0) == s, n, s, s);
}

static void overlaps(size_t n)
{
	for (size_t by = 1; by <= LONGEST; by += by < 70 ? 1 : 46)
		for (int up = 0; up < 2; up++)
			for (int align = 0; align < ALIGNS; align++) {
				unsigned char *s = one + PAGES - n - (up ? by : 0) - align, *d = up ? s + by : s - by;
				around(one, d < s ? d : s, n + by, 0xdd);
				text(s, n);
				int right = memmove(d, s, n) == d;
				for (size_t i = 0; i < n; i++) right &= d[i] == memops_text(i);
				expect(up ? "memmove up" : "memmove down", right, n, d, s);
			}
}

int main(void)
{
	one = guarded();
	two = guarded();
	for (size_t n = 0; n <= LONGEST; n++) {
		for (int a = 0; a < ALIGNS; a++)
			for (int b = 0; b < ALIGNS; b++) {
				/* a and b behind a line, or before the page that nobody may touch. */
				unsigned char *p = one + 4096 + a, *q = two + 4096 + b;
				unsigned char *r = one + PAGES - n - a, *s = two + PAGES - n - b;
				copies(p, q, n), copies(r, s, n);
				compares(p, q, n), compares(r, s, n);
				string_copies((char *)p, (char *)q, n), string_copies((char *)r - 1, (char *)s - 1, n);
				string_compares((char *)p, (char *)q, n), string_compares((char *)r - 1, (char *)s - 1, n);
			}
		for (int a = 0; a < ALIGNS; a++) {
			unsigned char *p = one + 4096 + a, *r = one + PAGES - n - a;
			scans(p, n), scans(r, n);
			string_scans((char *)p, n), string_scans((char *)r - 1, n);
			finds((char *)p, n), finds((char *)r - 1, n);
		}
		overlaps(n);
	}
	printf("%lu of %lu wrong\n", wrong, calls);
	return !!wrong;
}
