/*
 *	small N ROW...
 *
 * Runs N ops of each row and prints the rows that failed, with errno and
 * phase.  Built with the sanitizers, which end it at their first finding.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

extern const struct kernel alloc_kernels[];

/* The table's line of a row: its name, and each of the grid's keys. */
static int is_of(const struct kernel *k, const char *row)
{
	char grid[256];
	size_t n = strlen(k->name), keys = 0;
	if (strncmp(k->name, row, n) || row[n] != '/') return 0;
	snprintf(grid, sizeof grid, "%s", k->grid);
	for (char *key = strtok(grid, " "); key; key = strtok(0, " "), keys++) {
		*strchr(key, '=') = 0;
		if (!gang_key(row, key)) return 0;
	}
	for (; *row; row++) keys -= *row == '/';
	return !keys;
}

int main(int argc, char **argv)
{
	int failed = 0;
	for (int i = 2; i < argc; i++) {
		const struct kernel *k = alloc_kernels;
		struct shape s = { .row = argv[i], .dir = ".", .threads = gang_num(argv[i], "threads", 1), .n = atoi(argv[1]) };
		struct gang_result r;
		while (k->name && !is_of(k, s.row)) k++;
		if (!k->name) return 2;
		gang_run(k, &s, 0, &r);
		if (!r.err) continue;
		printf("%s: %s: %s\n", s.row, r.phase, strerror(r.err));
		failed = 1;
	}
	return failed;
}
