/*
 * Whether the kernels' own declarations are right for this libc, by its real
 * headers, and whether the measured functions give the right answers.  Prints
 * what is wrong.
 */
#define _GNU_SOURCE
#include <iconv.h>
#include <limits.h>
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* shim.h: struct regex, and what the kernels give in place of the headers' names. */
_Static_assert(sizeof(regex_t) <= 4096, "a kernel's regex is too small");
_Static_assert(_Alignof(regex_t) <= 64, "a kernel's regex is not aligned");
_Static_assert(sizeof(regmatch_t) <= 2 * sizeof(long), "a kernel's match is too small");
_Static_assert(sizeof(regoff_t) == sizeof(int) || sizeof(regoff_t) == sizeof(long), "a kernel can't read a match");
_Static_assert(sizeof(iconv_t) == sizeof(void *), "a kernel's iconv_t is no pointer");
_Static_assert(sizeof(wchar_t) == sizeof(int), "a kernel's wide character is no int");
_Static_assert(REG_EXTENDED == 1 && LC_CTYPE == 0 && _IOFBF == 0 && EOF < 0, "a kernel's constant is wrong");

static int bad;

static void expect(int right, const char *what, long detail)
{
	if (right) return;
	printf("%s: %ld\n", what, detail);
	bad = 1;
}

static void strtods(void)
{
	static const struct { const char *text; double want; } list[] = {
		{ "0.1", 0x1.999999999999ap-4 },
		{ "1e23", 0x1.52d02c7e14af6p+76 },
		{ "8.5e-324", 0x0.0000000000002p-1022 },
		{ "2.2250738585072012e-308", 0x1p-1022 },
		{ "2.2250738585072011e-308", 0x0.fffffffffffffp-1022 },
		{ "1.7976931348623157e308", 0x1.fffffffffffffp+1023 },
		{ "9007199254740993", 0x1p+53 },		/* half way: to even */
		{ "9007199254740993.00000000000000000001", 0x1.0000000000001p+53 },
		{ "0.30000000000000004", 0x1.3333333333334p-2 },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		expect(strtod(list[i].text, 0) == list[i].want, "strtod", i);
}

static void prints(void)
{
	static const double list[] = { 0.1, 1e23, 0x1p-1022, 0x1.fffffffffffffp+1023, 0x1p-1074, 1.0 / 3, 0 };
	static const char *const want[] = { "0.10000000000000001", "9.9999999999999992e+22", "2.2250738585072014e-308",
		"1.7976931348623157e+308", "4.9406564584124654e-324", "0.33333333333333331", "0" };
	char out[64];
	for (int i = 0; i < 7; i++) {
		int length = snprintf(out, sizeof out, "%.17g", list[i]);
		expect(length == (int)strlen(want[i]) && !strcmp(out, want[i]), "snprintf %.17g", i);
	}
	expect(snprintf(out, sizeof out, "%d", INT_MIN) == 11 && !strcmp(out, "-2147483648"), "snprintf %d", 0);
	expect(snprintf(out, 4, "%s", "abcdef") == 6 && !strcmp(out, "abc"), "snprintf %s, cut off", 0);
	for (int length = 0; length < 60; length++) {
		char text[64] = {0};
		memset(text, 'x', length);
		expect(snprintf(out, sizeof out, "%s", text) == length && !strcmp(out, text), "snprintf %s", length);
	}
	expect(strtol("9223372036854775807", 0, 10) == LONG_MAX && strtol("-1", 0, 10) == -1, "strtol", 0);
}

static size_t width;

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, width < 2 ? width : 2);	/* equal ones among many */
}

/* Every length from 0 to 300, each element width and start: sorted, none lost, found again. */
static void sorts(void)
{
	static const size_t widths[] = { 1, 2, 4, 8, 12, 64 };
	static unsigned char space[16 + 300 * 64 + 16];
	unsigned random = 1;
	for (int n = 0; n <= 300; n++)
		for (int w = 0; w < 6; w++) {
			width = widths[w];
			size_t bytes = n * width;
			unsigned char *a = space + n % 16;
			unsigned sum = 0, after = 0;
			memset(space, 0xdd, sizeof space);
			for (size_t i = 0; i < bytes; i++)
				sum += a[i] = (random = random * 1103515245 + 12345) >> 24;
			qsort(a, n, width, compare);
			for (size_t i = 0; i < bytes; i++) after += a[i];
			int right = sum == after && a[bytes] == 0xdd && (a == space || a[-1] == 0xdd);
			for (int i = 1; i < n; i++) right &= compare(a + (i - 1) * width, a + i * width) <= 0;
			for (int i = 0; i < n; i++) {
				unsigned char *p = bsearch(a + i * width, a, n, width, compare);
				right &= p && !compare(p, a + i * width);
			}
			expect(right, "qsort, bsearch", n);
		}
}

static void streams(void)
{
	char text[300];
	FILE *f = fmemopen(text, sizeof text, "w+");
	expect(f != 0, "fmemopen", 0);
	for (int i = 0; f && i < 100; i++) putc('a' + i % 26, f), putc_unlocked('A' + i % 26, f);
	expect(f && fwrite("12345678", 1, 8, f) == 8, "fwrite", 0);
	if (f) rewind(f);
	for (int i = 0; f && i < 100; i++)
		expect(getc(f) == 'a' + i % 26 && getc_unlocked(f) == 'A' + i % 26, "getc", i);
	for (int i = 1; f && i < 9; i++) expect(getc(f) == '0' + i, "getc", i);
	if (f) fclose(f);
}

static void match(const char *pattern, const char *text, long from, long to)
{
	regex_t re;
	regmatch_t m;
	expect(!regcomp(&re, pattern, REG_EXTENDED), "regcomp", from);
	expect(regexec(&re, text, 1, &m, 0) == (from < 0 ? REG_NOMATCH : 0), pattern, from);
	expect(from < 0 || (m.rm_so == from && m.rm_eo == to), pattern, m.rm_eo);
	regfree(&re);
}

/* Every code point there is, through both decoders. */
static void decodes(void)
{
	expect(setlocale(LC_CTYPE, "C.UTF-8") != 0, "setlocale C.UTF-8", 0);
	iconv_t cd = iconv_open("UCS-4LE", "UTF-8");
	expect(cd != (iconv_t)-1, "iconv_open", 0);
	for (unsigned c = 1; c < 0x110000 && !bad; c++) {
		char text[5] = {0}, *from = text, *to;
		wchar_t wide[2];
		unsigned got = 0;
		if (c >= 0xd800 && c < 0xe000) continue;
		if (c < 0x80) text[0] = c;
		else if (c < 0x800) text[0] = 0xc0 | c >> 6, text[1] = 0x80 | (c & 63);
		else if (c < 0x10000) text[0] = 0xe0 | c >> 12, text[1] = 0x80 | (c >> 6 & 63), text[2] = 0x80 | (c & 63);
		else text[0] = 0xf0 | c >> 18, text[1] = 0x80 | (c >> 12 & 63), text[2] = 0x80 | (c >> 6 & 63), text[3] = 0x80 | (c & 63);
		size_t left = strlen(text), room = 4;
		to = (char *)&got;
		expect(mbstowcs(wide, text, 2) == 1 && (unsigned)wide[0] == c, "mbstowcs", c);
		expect(!iconv(cd, &from, &left, &to, &room) && !left && !room && got == c, "iconv", c);
	}
	expect(mbstowcs(0, "\xc3(", 0) == (size_t)-1, "mbstowcs of what is not UTF-8", 0);
	iconv_close(cd);
}

int main(void)
{
	strtods();
	prints();
	sorts();
	streams();
	match("x[0-9]+y", "abx1x17yz", 4, 8);
	match("x[0-9]+y", "abxyx17", -1, 0);
	match("((a|b)*c)*d", "zabcabccd", 1, 9);
	match("((a|b)*c)*d", "abc", -1, 0);
	setenv("LIBCOST_A", "1", 1);
	expect(getenv("LIBCOST_A") && *getenv("LIBCOST_A") == '1' && !getenv("LIBCOST_") && !getenv("LIBCOST_AB"), "getenv", 0);
	decodes();
	return bad;
}
