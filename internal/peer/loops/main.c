/*
 * An ordinary C program that times one loop: PROGRAM N prints the ns of one of
 * N ops.
 *
 * It is here to disagree.  The rows with proc=plain claim to be what a
 * single-threaded C program pays, and libcost's own program for them shares
 * its clock, its state and its tricks against the optimizer with all other
 * rows.  Nothing in this directory is taken from there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loop.h"

static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	char *end = "";
	unsigned long n = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
	if (!n || *end) {
		fprintf(stderr, "usage: %s N\n", argv[0]);
		return 2;
	}

	int err = prepare();
	double start = now();
	if (!err) err = run(n);
	double took = now() - start;
	if (err) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(err));
		return 1;
	}
	printf("%.4f\n", took / n);
	return 0;
}
