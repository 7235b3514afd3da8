/*
 *	wrong ROW...
 *
 * Runs the room's kernels on functions that make a mistake, and prints what
 * check says, "ROW right MISTAKE" or "ROW wrong MISTAKE", for each row and
 * each mistake that it can suffer.
 *
 * The functions stand in for libc's in the whole program, so they are right
 * but for the time that a kernel runs.
 */
#include <stdio.h>

#include "testdata/find.h"

static enum { NONE, SHORT, LONG, BESIDE, NOTHING, ANSWER, SMALL, ORDER, BEFORE, PASSING, MISTAKES } mistake;
static const char *const names[] = {
	"none", "a byte short", "a byte long", "a byte beside", "does nothing", "wrong answer", "a byte short of a few",
	"wrong order", "a byte before", "does nothing until checked",
};

/* How many bytes a function looks at that was asked for n. */
static size_t count(size_t n)
{
	if (!n || mistake == NOTHING || mistake == PASSING) return 0;
	if (mistake == SHORT || (mistake == SMALL && n < 32)) return n - 1;
	return n + (mistake == LONG);
}

static size_t length(const char *s)
{
	size_t n = 0;
	while (s[n]) n++;
	return n;
}

static void *copy(unsigned char *d, const unsigned char *s, size_t n, int down)
{
	unsigned char *to = d + (mistake == BESIDE);
	if (mistake == BEFORE) d[-1] = 0;
	n = count(n);
	for (size_t i = 0; i < n; i++) {
		size_t at = down ? n - 1 - i : i;
		to[at] = s[at];
	}
	return d + (mistake == ANSWER);
}

void *memcpy(void *d, const void *s, size_t n)
{
	return copy(d, s, n, 0);
}

void *memmove(void *d, const void *s, size_t n)
{
	return copy(d, s, n, (d > s) ^ (mistake == ORDER));
}

void *memset(void *d, int c, size_t n)
{
	unsigned char *p = d;
	if (mistake == BEFORE) p[-1] = 0;
	n = count(n);
	for (size_t i = 0; i < n; i++) p[i + (mistake == BESIDE)] = c;
	return p + (mistake == ANSWER);
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;
	if (mistake == ANSWER) return 1;
	if (mistake == BESIDE) p++;
	for (n = count(n); n && *p == *q; n--) p++, q++;
	return n ? *p - *q : 0;
}

int bcmp(const void *a, const void *b, size_t n)
{
	return memcmp(a, b, n);
}

void *memchr(const void *s, int c, size_t n)
{
	const unsigned char *p = s;
	if (mistake == ANSWER) return (void *)p;
	if (mistake == BESIDE) p++;
	for (n = count(n); n && *p != (unsigned char)c; n--) p++;
	return n ? (void *)p : 0;
}

void *memrchr(const void *s, int c, size_t n)
{
	const unsigned char *first = s, *p = first + n;
	if (mistake == ANSWER) return (void *)first;
	if (mistake == BESIDE) p--;
	for (n = count(n); n && *--p != (unsigned char)c; n--);
	return n ? (void *)p : 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;
	if (mistake == ANSWER) return -1;
	if (mistake == BESIDE) s++;
	while (s[n]) n++;
	return count(n);
}

size_t strnlen(const char *s, size_t n)
{
	size_t i = 0;
	if (mistake == ANSWER) return n + 1;
	if (mistake == BESIDE) s++;
	for (n = count(n); i < n && s[i]; i++);
	return i;
}

static int fold(int c, int folds)
{
	return folds && c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

/* n is what strncmp was asked for; of the others, the longest there is. */
static int order(const char *a, const char *b, size_t n, int folds)
{
	if (mistake == ANSWER) return 1;
	if (mistake == BESIDE) a++;
	for (n = count(n); n && *a && fold(*a, folds) == fold(*b, folds); n--) a++, b++;
	return n ? fold((unsigned char)*a, folds) - fold((unsigned char)*b, folds) : 0;
}

int strncmp(const char *a, const char *b, size_t n)
{
	return order(a, b, n, 0);
}

int strcmp(const char *a, const char *b)
{
	return order(a, b, length(b), 0);
}

int strcasecmp(const char *a, const char *b)
{
	return order(a, b, length(b), 1);
}

static int among(char c, const char *set)
{
	for (; *set; set++)
		if (c == *set) return 1;
	return 0;
}

/* How far a string goes on with letters of the set, or with others. */
static size_t span(const char *s, const char *set, int in)
{
	size_t n = 0, end = count(length(s));
	if (mistake == ANSWER) return 0;
	if (mistake == BESIDE) s++;
	while (n < end && among(s[n], set) == in) n++;
	return n;
}

size_t strcspn(const char *s, const char *set)
{
	return span(s, set, 0);
}

size_t strspn(const char *s, const char *set)
{
	return span(s, set, 1);
}

char *strpbrk(const char *s, const char *set)
{
	size_t end = count(length(s));
	size_t n = span(s, set, 0);
	if (mistake == ANSWER) return (char *)s;
	return n < end ? (char *)s + n : 0;
}

char *strchr(const char *s, int c)
{
	char set[2] = { c, 0 };
	return strpbrk(s, set);
}

char *strrchr(const char *s, int c)
{
	size_t end = count(length(s));
	if (mistake == ANSWER) return (char *)s;
	if (mistake == BESIDE) s++;
	while (end && s[end - 1] != c) end--;
	return end ? (char *)s + end - 1 : 0;
}

void *memmem(const void *s, size_t n, const void *needle, size_t length)
{
	const char *p = s;
	if (mistake == ANSWER) return (void *)p;
	if (mistake == BESIDE) p++;
	for (n = count(n); n >= length; n--, p++)
		if (gang_same(p, needle, length)) return (void *)p;
	return 0;
}

char *strstr(const char *s, const char *needle)
{
	return memmem(s, length(s), needle, length(needle));
}

static char *copy_string(char *d, const char *s, size_t n)
{
	copy((void *)d, (const void *)s, n, 0);
	if (mistake != NOTHING && mistake != PASSING) d[n] = 0;
	return d + (mistake == ANSWER);
}

char *strcpy(char *d, const char *s)
{
	return copy_string(d, s, length(s));
}

char *stpcpy(char *d, const char *s)
{
	size_t n = length(s);
	return copy_string(d, s, n) + n;
}

char *strncpy(char *d, const char *s, size_t size)
{
	size_t n = length(s) < size ? length(s) : size;
	char *end = d + size + (mistake == LONG) - (mistake == SHORT);
	if (mistake == NOTHING || mistake == PASSING) return d;
	copy((void *)d, (const void *)s, n, 0);
	for (char *p = d + n; p < end; p++) *p = 0;
	return d + (mistake == ANSWER);
}

char *strcat(char *d, const char *s)
{
	copy_string(d + length(d), s, length(s));
	return d + (mistake == ANSWER);
}

/* Whether a mistake is one in the row's shape. */
static int matters(const char *row, int m)
{
	long size = gang_num(row, "size", 0), by = memops_by(row, size);
	int strings = gang_same(row, "St", 2) && !gang_same(row, "Strn", 4);
	/* A string says itself where it ends, and further on lies another place that is written or not looked at. */
	if (m == LONG && (strings || gang_same(row, "Key", 3) || gang_same(row, "Split", 5) || gang_key(row, "cache"))) return 0;
	if (m == BEFORE && gang_same(row, "Memset", 6) && gang_key(row, "cache")) return 0;
	/* What is written before the second element is the first one, which the insertion writes itself. */
	if (m == BEFORE && gang_same(row, "Insert", 6)) return 0;
	if (m == SMALL) return size < 32;
	if (m == ORDER) return by && by < size;
	if (m == BEFORE || m == PASSING) return by || gang_key(row, "dst");
	return 1;
}

/* A few passes over a small buffer, and one over a large one. */
static unsigned long ops(long size)
{
	return size < 1024 ? 300 : size < 65536 ? 20 : size < 4 << 20 ? 3 : 1;
}

static const char *check(const char *row, int m)
{
	const struct kernel *k = memops_find_row(row);
	struct shape s = { .row = row, .threads = 1, .n = ops(gang_num(row, "size", 0)),
		.l1 = 32 << 10, .l2 = 256 << 10, .llc = 1 << 20 };
	void *state;
	uint64_t digest;
	if (!k->name || k->new(&s, &state)) return "failed";
	mistake = m;
	k->op(state, 0, s.n);
	if (m == PASSING) mistake = NONE;
	int err = k->check(state, s.n, &digest);
	mistake = NONE;
	k->free(state);
	return err == GANG_EWRONG ? "wrong" : err ? "failed" : "right";
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (int m = NONE; m < MISTAKES; m++)
			if (matters(argv[i], m)) printf("%s %s %s\n", argv[i], check(argv[i], m), names[m]);
}
