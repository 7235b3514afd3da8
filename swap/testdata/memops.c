/*
 * Each function of the part, under the prefix part_, against libc's own of the
 * same name: all lengths and alignments, between pages that may not be touched.
 * Prints what differs.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

void *part_memcpy(void *, const void *, size_t);
void *part_memmove(void *, const void *, size_t);
void *part_memset(void *, int, size_t);
int part_memcmp(const void *, const void *, size_t);
int part_bcmp(const void *, const void *, size_t);
void *part_memchr(const void *, int, size_t);
void *part_memrchr(const void *, int, size_t);
void *part_memmem(const void *, size_t, const void *, size_t);
size_t part_strlen(const char *);
size_t part_strnlen(const char *, size_t);
int part_strcmp(const char *, const char *);
int part_strncmp(const char *, const char *, size_t);
int part_strcasecmp(const char *, const char *);
int part_strcasecmp_l(const char *, const char *, void *);
char *part_strchr(const char *, int);
char *part_strrchr(const char *, int);
char *part_index(const char *, int);
char *part_rindex(const char *, int);
size_t part_strcspn(const char *, const char *);
size_t part_strspn(const char *, const char *);
char *part_strpbrk(const char *, const char *);
char *part_strstr(const char *, const char *);
char *part_strcpy(char *, const char *);
char *part_stpcpy(char *, const char *);
char *part_strncpy(char *, const char *, size_t);
char *part_strcat(char *, const char *);

enum { LENGTHS = 301, ALIGNS = 16, PAGE = 4096, ROOM = 2 * PAGE };

static int wrong;

static void differs(const char *what, size_t n, size_t a, size_t b, long got, long want)
{
	if (wrong++ < 20) printf("%s: length %zu, alignments %zu and %zu: %ld, want %ld\n", what, n, a, b, got, want);
}

/* ROOM bytes whose neighbours fault. */
static unsigned char *guarded(void)
{
	unsigned char *p = mmap(0, ROOM + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + PAGE, ROOM, PROT_READ | PROT_WRITE)) {
		perror("mmap");
		exit(1);
	}
	return p + PAGE;
}

static unsigned char *one, *two, *three;

static void fresh(unsigned char *p, unsigned seed)
{
	for (size_t i = 0; i < ROOM; i++) p[i] = (seed = seed * 1103515245 + 12345) >> 16;
}

/* Where n bytes begin: at an alignment after the first guard, or so that they end before the last. */
static size_t place(size_t n, size_t align, int at_end) { return at_end ? ROOM - n - align : align; }

static int sign(int x) { return (x > 0) - (x < 0); }

/* The whole room is compared, so that a byte too many is seen. */
static void check_copy(size_t n, size_t a, size_t b, int end)
{
	size_t to = place(n, a, end), from = place(n, b, end);
	fresh(one, n);
	for (size_t i = 0; i < ROOM; i++) two[i] = three[i] = 0x55;
	if (part_memcpy(two + to, one + from, n) != two + to) differs("memcpy's result", n, a, b, 0, 0);
	memcpy(three + to, one + from, n);
	if (memcmp(two, three, ROOM)) differs("memcpy", n, a, b, 0, 0);
	for (size_t i = 0; i < ROOM; i++) two[i] = three[i] = 0x55;
	if (part_memmove(two + to, one + from, n) != two + to) differs("memmove's result", n, a, b, 0, 0);
	memmove(three + to, one + from, n);
	if (memcmp(two, three, ROOM)) differs("memmove", n, a, b, 0, 0);
	for (int c = 0; c < 512; c += 170) {
		if (part_memset(two + to, c, n) != two + to) differs("memset's result", n, a, b, 0, 0);
		memset(three + to, c, n);
		if (memcmp(two, three, ROOM)) differs("memset", n, a, b, 0, 0);
	}
}

static void check_overlap(size_t n, long by, size_t a)
{
	size_t from = ROOM / 2 + a, to = from + by;
	fresh(two, n + by);
	for (size_t i = 0; i < ROOM; i++) three[i] = two[i];
	part_memmove(two + to, two + from, n);
	memmove(three + to, three + from, n);
	if (memcmp(two, three, ROOM)) differs("memmove of what overlaps", n, a, by, 0, 0);
}

static void check_compare(size_t n, size_t a, size_t b, int end)
{
	unsigned char *x = one + place(n, a, end), *y = two + place(n, b, end);
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	fresh(one, n);
	for (size_t i = 0; i < n; i++) y[i] = x[i];
	if (part_memcmp(x, y, n)) differs("memcmp of equals", n, a, b, 1, 0);
	if (part_bcmp(x, y, n)) differs("bcmp of equals", n, a, b, 1, 0);
	for (size_t at = 0; at < n; at += n < 40 ? 1 : 1 + n / 16) {
		unsigned char keep = y[at];
		for (size_t v = 0; v < sizeof values; v++) {
			y[at] = values[v];
			int got = sign(part_memcmp(x, y, n)), want = sign(memcmp(x, y, n));
			if (got != want) differs("memcmp", n, a, b, got, want);
			if (!part_bcmp(x, y, n) != !want) differs("bcmp", n, a, b, got, want);
		}
		y[at] = keep;
	}
}

static void check_search(size_t n, size_t a, int end)
{
	unsigned char *x = one + place(n, a, end);
	for (size_t i = 0; i < ROOM; i++) one[i] = 'n';
	for (size_t i = 0; i < n; i++) x[i] = 'x';
	size_t places[] = { 0, n / 2, n ? n - 1 : 0 };
	for (int c = 0; c < 2; c++) {
		if (part_memchr(x, c ? 'n' : 256 + 'n', n)) differs("memchr of an absent byte", n, a, 0, 1, 0);
		if (part_memrchr(x, 'n', n)) differs("memrchr of an absent byte", n, a, 0, 1, 0);
	}
	for (int p = 0; n && p < 3; p++) {
		x[places[p]] = 0xe4;
		for (int more = 0; more < 2; more++) {
			if (more) x[places[(p + 1) % 3]] = 0xe4;
			if (part_memchr(x, 0xe4, n) != memchr(x, 0xe4, n)) differs("memchr", n, a, places[p], 0, 0);
			if (part_memrchr(x, -28, n) != memrchr(x, -28, n)) differs("memrchr", n, a, places[p], 0, 0);
		}
		for (int q = 0; q < 3; q++) x[places[q]] = 'x';
	}
}

/* Two strings of n bytes that end at a guard or begin at one. */
static void check_strings(size_t n, size_t a, size_t b, int end)
{
	char *x = (char *)one + place(n + 1, a, end), *y = (char *)two + place(n + 1, b, end);
	for (size_t i = 0; i < ROOM; i++) one[i] = two[i] = 'g';
	for (size_t i = 0; i < n; i++) x[i] = y[i] = "abcdefgABCDXYZ[@`{\xe4\xc4"[i % 20];
	x[n] = y[n] = 0;
	if (part_strlen(x) != n) differs("strlen", n, a, b, part_strlen(x), n);
	for (size_t max = n > 2 ? n - 2 : 0; max < n + 3; max++)
		if (part_strnlen(x, max) != strnlen(x, max)) differs("strnlen", n, a, max, part_strnlen(x, max), strnlen(x, max));
	if (part_strnlen(x, -1) != n) differs("strnlen without end", n, a, b, 0, n);
	if (part_strcmp(x, y)) differs("strcmp of equals", n, a, b, 1, 0);
	for (size_t at = 0; at <= n; at += n < 40 ? 1 : 1 + n / 12) {
		char keep = y[at];
		for (int v = 0; v < 5; v++) {
			y[at] = "\0\x01zZ\xff"[v];
			int got = sign(part_strcmp(x, y)), want = sign(strcmp(x, y));
			if (at < n && got != want) differs("strcmp", n, a, b, got, want);
			if (at < n) got = sign(part_strcasecmp(x, y)), want = sign(strcasecmp(x, y));
			if (got != want) differs("strcasecmp", n, a, b, got, want);
			if (at < n && sign(part_strcasecmp_l(x, y, 0)) != want) differs("strcasecmp_l", n, a, b, got, want);
			for (size_t max = at ? at - 1 : 0; at < n && max < at + 3; max++) {
				got = sign(part_strncmp(x, y, max)), want = sign(strncmp(x, y, max));
				if (got != want) differs("strncmp", n, a, b, got, want);
			}
			if (at == n) break;
		}
		y[at] = keep;
	}
	for (size_t i = 0; i < n; i++) y[i] ^= y[i] >= 'A' && y[i] <= 'Z' ? 32 : 0;
	if (part_strcasecmp(x, y)) differs("strcasecmp of other letters", n, a, b, 1, 0);
	static const int wanted[] = { 'a', 'd', 'Z', 0xe4, -28, 'q', 0, 256 + 'a' };
	for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
		int c = wanted[w];
		if (part_strchr(x, c) != strchr(x, c)) differs("strchr", n, a, c, 0, 0);
		if (part_index(x, c) != strchr(x, c)) differs("index", n, a, c, 0, 0);
		if (part_strrchr(x, c) != strrchr(x, c)) differs("strrchr", n, a, c, 0, 0);
		if (part_rindex(x, c) != strrchr(x, c)) differs("rindex", n, a, c, 0, 0);
	}
	static const char *const sets[] = { "", "q", "d", "\xc4", "qd", "q\xe4", "qrZ", "\xc4qr", "qrst", "qrstuv\xc4", "abcdefg", "abcdefgABCD", "abcdefgABCDXYZ[@`{\xe4\xc4" };
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		if (part_strcspn(x, sets[i]) != strcspn(x, sets[i])) differs("strcspn", n, a, i, part_strcspn(x, sets[i]), strcspn(x, sets[i]));
		if (part_strspn(x, sets[i]) != strspn(x, sets[i])) differs("strspn", n, a, i, part_strspn(x, sets[i]), strspn(x, sets[i]));
		if (part_strpbrk(x, sets[i]) != strpbrk(x, sets[i])) differs("strpbrk", n, a, i, 0, 0);
	}
}

static void check_string_copies(size_t n, size_t a, size_t b, int end)
{
	char *from = (char *)one + place(n + 1, b, end);
	size_t to = place(n + 4, a, end);
	for (size_t i = 0; i < ROOM; i++) one[i] = 'g';
	for (size_t i = 0; i < n; i++) from[i] = 'a' + i % 26;
	from[n] = 0;
	for (int f = 0; f < 6; f++) {
		char *x = (char *)two + to, *y = (char *)three + to, *got = 0, *want = 0;
		for (size_t i = 0; i < ROOM; i++) two[i] = three[i] = 0x55;
		x[3] = y[3] = 0;
		switch (f) {
		case 0: got = part_strcpy(x, from), want = strcpy(y, from); break;
		case 1: got = part_stpcpy(x, from), want = stpcpy(y, from); break;
		case 2: got = part_strcat(x, from), want = strcat(y, from); break;
		case 3: got = part_strncpy(x, from, n + 4), want = strncpy(y, from, n + 4); break;
		case 4: got = part_strncpy(x, from, n / 2), want = strncpy(y, from, n / 2); break;
		case 5: got = part_strncpy(x, from, n), want = strncpy(y, from, n); break;
		}
		if (got - x != want - y || memcmp(two, three, ROOM)) differs("a copy of a string", n, a, b, f, f);
	}
}

static void *plainly(const char *hay, size_t h, const char *needle, size_t n)
{
	for (size_t i = 0; i + n <= h; i++)
		if (!memcmp(hay + i, needle, n)) return (void *)(hay + i);
	return 0;
}

/* Texts of two letters, so that much of a needle is found often. */
static void check_find(size_t h, size_t n, unsigned seed, int letters)
{
	char *hay = (char *)one + ROOM - h - 1, *needle = (char *)two + ROOM - n - 1;
	for (size_t i = 0; i < h; i++) hay[i] = 'a' + (seed = seed * 1103515245 + 12345) / 65536 % letters;
	hay[h] = 0;
	for (size_t i = 0; i < n; i++) needle[i] = 'a' + (seed = seed * 1103515245 + 12345) / 65536 % letters;
	if (seed & 0x10000 && n <= h)
		for (size_t i = 0; i < n; i++) needle[i] = hay[seed / 131072 % (h - n + 1) + i];
	needle[n] = 0;
	void *want = plainly(hay, h, needle, n);
	if (part_memmem(hay, h, needle, n) != want) differs("memmem", h, n, letters, 0, 0);
	if (part_strstr(hay, needle) != want) differs("strstr", h, n, letters, 0, 0);
	/* The same at the page's very end: without the terminator. */
	for (size_t i = h + 1; i-- > 1;) hay[i] = hay[i - 1];
	if (part_memmem(hay + 1, h, needle, n) != (want ? (char *)want + 1 : 0)) differs("memmem before a guard", h, n, letters, 0, 0);
}

/* A needle that is nearly everywhere: 10^13 steps where each place is compared, which no timeout waits for. */
static void check_repeats(size_t h, size_t n)
{
	char *hay = malloc(h + 1), *needle = malloc(n + 1);
	if (!hay || !needle) exit(1);
	for (size_t i = 0; i < h; i++) hay[i] = 'a';
	for (size_t i = 0; i < n; i++) needle[i] = 'a';
	hay[h] = needle[n] = 0;
	for (int where = 0; where < 3; where++) {
		size_t at = where == 0 ? 0 : where == 1 ? n / 2 : n - 1;
		needle[at] = 'b';
		if (part_memmem(hay, h, needle, n)) differs("memmem of repeats", h, n, at, 1, 0);
		if (part_strstr(hay, needle)) differs("strstr of repeats", h, n, at, 1, 0);
		hay[h - n + at] = 'b';
		if (part_memmem(hay, h, needle, n) != hay + h - n) differs("memmem of repeats", h, n, at, 0, 1);
		if (part_strstr(hay, needle) != hay + h - n) differs("strstr of repeats", h, n, at, 0, 1);
		hay[h - n + at] = needle[at] = 'a';
	}
	free(hay);
	free(needle);
}

int main(void)
{
	one = guarded(), two = guarded(), three = guarded();
	for (size_t n = 0; n < LENGTHS; n++) {
		for (size_t a = 0; a < ALIGNS; a++) {
			/* Of the pairs of alignments, a diagonal that moves with the length: all within 16 lengths. */
			size_t b = (a + n) % ALIGNS, c = (3 * a + n / 16) % ALIGNS;
			for (int end = 0; end < 2; end++) {
				check_copy(n, a, b, end);
				check_compare(n, a, b, end);
				check_compare(n, a, c, end);
				check_search(n, a, end);
				check_strings(n, a, b, end);
				check_strings(n, a, c, end);
				check_string_copies(n, a, b, end);
			}
			for (int by = 1; by <= 130; by = by < 18 ? by + 1 : by * 3 / 2) {
				check_overlap(n, by, a);
				check_overlap(n, -by, a);
			}
		}
	}
	for (size_t n = 700; n < 4000; n += 333) {
		check_copy(n, n % 16, n / 16 % 16, n % 2);
		check_compare(n, n % 16, n / 16 % 16, n % 2);
		check_search(n, n % 16, n % 2);
		check_overlap(n / 2, n / 3, 1);
		check_overlap(n / 2, -(long)n / 3, 2);
		check_strings(n, n % 16, n / 16 % 16, n % 2);
	}
	for (unsigned seed = 0; seed < 200; seed++) {
		for (size_t n = 0; n < 40; n++)
			check_find(n + seed * 7 % 300, n, seed * 40 + n, 1 + seed % 4);
		check_find(3000 + seed, 200 + seed, seed, 1 + seed % 3);
	}
	check_repeats(4 << 20, 2 << 20);
	check_repeats(1 << 20, 20);
	if (wrong) printf("%d wrong\n", wrong);
	return wrong != 0;
}
