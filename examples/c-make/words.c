/*
 * Counts words in a hash table of strings, and prints what libcost explain
 * reads: a digest of the result, the time that set-up took, and one line in
 * Go's benchmark format for the ops alone.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BUCKETS = 1 << 12, KINDS = 5000, LONGEST = 24 };

struct word {
	struct word *next;
	unsigned long count;
	char text[];
};

static struct word *table[BUCKETS];

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return *seed >> 33;
}

static unsigned hash(const char *s)
{
	unsigned h = 5381;
	while (*s) h = h * 33 + (unsigned char)*s++;
	return h % BUCKETS;
}

static int count(const char *text)
{
	struct word **at = &table[hash(text)];
	while (*at && strcmp((*at)->text, text)) at = &(*at)->next;
	if (!*at) {
		size_t size = strlen(text) + 1;
		if (!(*at = malloc(sizeof **at + size))) return -1;
		(*at)->next = 0;
		(*at)->count = 0;
		memcpy((*at)->text, text, size);
	}
	(*at)->count++;
	return 0;
}

/* A word of a text is drawn like the words of a language: a few are most of it. */
static void draw(char (*words)[LONGEST + 1], char *text, uint64_t *seed)
{
	unsigned kind = next_random(seed) % KINDS;
	strcpy(text, words[kind * (next_random(seed) % KINDS) / KINDS]);
}

int main(int argc, char **argv)
{
	double begun = now(CLOCK_MONOTONIC);
	unsigned long n = argc > 1 ? strtoul(argv[1], 0, 10) : 0;
	if (!n) {
		fputs("usage: words N\n", stderr);
		return 2;
	}
	uint64_t seed = 1, digest = 0;
	char (*words)[LONGEST + 1] = malloc(KINDS * sizeof *words);
	if (!words) return 1;
	for (int i = 0; i < KINDS; i++) {
		size_t length = 2 + next_random(&seed) % (LONGEST - 1);
		for (size_t j = 0; j < length; j++) words[i][j] = 'a' + next_random(&seed) % 26;
		words[i][length] = 0;
	}

	char text[LONGEST + 1];
	double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned long i = 0; i < n; i++) {
		draw(words, text, &seed);
		if (count(text)) return 1;
	}
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	double took = now(CLOCK_MONOTONIC) - start;

	unsigned long all = 0;
	for (int i = 0; i < BUCKETS; i++) {
		for (struct word *w = table[i]; w; w = w->next) {
			digest = digest * 31 + w->count;
			all += w->count;
		}
	}
	if (all != n) {
		fprintf(stderr, "words: counted %lu of %lu\n", all, n);
		return 1;
	}
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	printf("digest: %016llx\nsetup-ns: %.0f\n", (unsigned long long)digest, start - begun);
	printf("BenchmarkWords %lu %.6g ns/op %.6g cpu-ns/op %.6g minflt/op\n", n, took / n, cpu / n, (double)used.ru_minflt / n);
	return 0;
}
