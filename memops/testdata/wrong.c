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

#include "shim.h"

static enum { NONE, SHORT, LONG, BESIDE, NOTHING, ANSWER, SMALL, ORDER, BEFORE, PASSING, MISTAKES } mistake;
static const char *const names[] = {
	"none", "a byte short", "a byte long", "a byte beside", "does nothing", "wrong answer", "a byte short of a few",
	"wrong order", "a byte before", "does nothing until checked",
};

/* How many bytes a function looks at that was asked for n. */
static size_t count(size_t n)
{
	if (mistake == NOTHING || mistake == PASSING) return 0;
	if (mistake == SHORT || (mistake == SMALL && n < 32)) return n - 1;
	return n + (mistake == LONG);
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

size_t strlen(const char *s)
{
	size_t n = 0;
	if (mistake == ANSWER) return -1;
	if (mistake == BESIDE) s++;
	while (s[n]) n++;
	return count(n);
}

/* The line of the table that a row comes from has its name and its first key. */
static const struct kernel *find(const char *row)
{
	const struct kernel *k = memops_kernels;
	for (; k->name; k++) {
		size_t name = 0, key = 0;
		while (k->name[name]) name++;
		while (k->grid[key] != '=') key++;
		if (gang_same(row, k->name, name) && row[name] == '/' && gang_same(row + name + 1, k->grid, key + 1)) break;
	}
	return k;
}

/* Whether a mistake is one in the row's shape. */
static int matters(const char *row, int m)
{
	long size = gang_num(row, "size", 0), by = gang_num(row, "by", 0);
	if (m == SMALL) return size < 32;
	if (m == ORDER) return by && by < size;
	if (m == BEFORE || m == PASSING) return by || gang_key(row, "dst");
	return 1;
}

static const char *check(const char *row, int m)
{
	const struct kernel *k = find(row);
	struct shape s = { .row = row, .threads = 1, .n = gang_num(row, "size", 0) < 65536 ? 300 : 3 };
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
