/*
 *	rows ROW...
 *
 * Runs rows without Go, one op and then a few, so that a sanitizer sees what
 * the kernels themselves do.
 */
#include <stdio.h>
#include <stdlib.h>

#include "run.h"
#include "testdata/find.h"

static void run(const char *row, unsigned long n)
{
	struct shape s = { .row = row, .threads = 1, .n = n, .l1 = 32 << 10, .l2 = 256 << 10, .llc = 1 << 20 };
	struct gang_result r;
	gang_run(memops_find_row(row), &s, 0, &r);
	if (r.err) {
		printf("%s: n %lu: %s: errno %d\n", row, n, r.phase, r.err);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) run(argv[i], 1), run(argv[i], 7);
	printf("%d rows\n", argc - 1);
}
