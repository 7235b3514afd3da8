/*
 * The measured functions themselves, on the libc that this is linked with: all
 * sizes to 300, all alignments that are powers of two to a page.  Prints what is
 * wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 300 };

static int wrong;

static void expect(int good, const char *what, size_t a, size_t b)
{
	if (good) return;
	printf("%s, %zu and %zu\n", what, a, b);
	wrong = 1;
}

static int all(const unsigned char *p, size_t n, int byte)
{
	while (n--) if (*p++ != byte) return 0;
	return 1;
}

/* Neighbours must not overlap: each block keeps its byte while others are written. */
static void apart(void)
{
	unsigned char *p[LONGEST];
	for (size_t n = 0; n < LONGEST; n++) {
		expect((p[n] = malloc(n)) || !n, "malloc: no block", n, 0);
		expect((uintptr_t)p[n] % 16 == 0, "malloc: not aligned", n, 16);
		memset(p[n], (int)n & 255, n);
	}
	for (size_t n = 0; n < LONGEST; n++) {
		expect(all(p[n], n, (int)n & 255), "malloc: overwritten", n, 0);
		free(p[n]);
	}
}

static void zeroed(void)
{
	for (size_t n = 1; n < LONGEST; n++) {
		unsigned char *p = malloc(n), *q;
		memset(p, 0xa5, n);
		free(p);
		expect((q = calloc(n, 1)) && all(q, n, 0), "calloc: not zero", n, 1);
		free(q);
	}
}

static void resized(void)
{
	for (size_t a = 1; a < LONGEST; a++)
		for (size_t b = 1; b < LONGEST; b++) {
			unsigned char *p = malloc(a), *q;
			memset(p, 0x5a, a);
			expect((q = realloc(p, b)) && all(q, a < b ? a : b, 0x5a), "realloc: content lost", a, b);
			free(q);
		}
}

static void aligned(void)
{
	for (size_t align = 16; align <= 4096; align *= 2)
		for (size_t n = align; n <= 16 * align; n += align) {
			unsigned char *p = aligned_alloc(align, n);
			expect(p && (uintptr_t)p % align == 0, "aligned_alloc: not aligned", align, n);
			memset(p, 1, n);
			free(p);
		}
}

int main(void)
{
	apart();
	zeroed();
	resized();
	aligned();
	return wrong;
}
