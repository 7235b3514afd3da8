/*
 * Takes a block from each function that gives one, libc's callers among them,
 * and hands it back: one that came from another heap than free's dies here.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int use(const char *name, void *p, size_t n, size_t align)
{
	__asm__("" : "+r"(p));
	if (!p || (uintptr_t)p % align || malloc_usable_size(p) < n) {
		printf("%s: %p, %zu bytes of %zu\n", name, p, p ? malloc_usable_size(p) : 0, n);
		return 1;
	}
	memset(p, 0x5a, n);
	free(p);
	return 0;
}

int main(void)
{
	int wrong = 0;
	static const size_t sizes[] = { 1, 24, 1000, 100000, 3 << 20 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t n = sizes[i];
		void *p = 0;
		wrong += use("malloc", malloc(n), n, 8);
		wrong += use("calloc", calloc(n, 2), 2 * n, 8);
		wrong += use("realloc", realloc(malloc(n), 3 * n), 3 * n, 8);
		wrong += use("realloc of 0", realloc(0, n), n, 8);
		wrong += use("reallocarray", reallocarray(malloc(n), n, 2), 2 * n, 8);
		wrong += use("aligned_alloc", aligned_alloc(64, (n + 63) & -64), n, 64);
		wrong += use("memalign", memalign(4096, n), n, 4096);
		wrong += posix_memalign(&p, 128, n);
		wrong += use("posix_memalign", p, n, 128);
		wrong += use("valloc", valloc(n), n, 4096);
#ifdef __GLIBC__
		wrong += use("pvalloc", pvalloc(n), n, 4096);
#endif
	}
	char *line = 0, *text = 0;
	size_t room = 0, size = 0;
	FILE *f = open_memstream(&text, &size);
	if (!f || fprintf(f, "one line\n") < 0 || fclose(f)) return 1;
	f = fmemopen(text, size, "r");
	if (!f || getline(&line, &room, f) != 9 || fclose(f)) return 1;
	wrong += use("open_memstream", text, size, 1);
	wrong += use("getline", line, room, 1);
	wrong += use("strdup", strdup("text"), 5, 1);
	return wrong != 0;
}
