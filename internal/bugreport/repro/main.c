/*
 * Runs one row and prints what an op takes: the loop that libcost measured,
 * without libcost.  ROW, N, TABLE and PLAIN stand in row.h.
 *
 *	cc -O2 -static -pthread *.c -o repro && ./repro
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "row.h"

extern const struct kernel TABLE[];

static void *idle(void *arg)
{
	for (;;) pause();
	return arg;
}

/* To the last CPU that this process may use, as libcost does. */
static void pin(void)
{
	cpu_set_t set;
	int last = -1;
	if (sched_getaffinity(0, sizeof set, &set)) return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set)) last = cpu;
	CPU_ZERO(&set);
	CPU_SET(last, &set);
	sched_setaffinity(0, sizeof set, &set);
}

int main(void)
{
	struct shape shape = { .row = ROW, .dir = ".", .threads = 1, .n = N };
	struct gang_result r;
	pthread_t thread;
	const struct kernel *k = gang_find(TABLE, ROW);
	if (!k) {
		fprintf(stderr, "no kernel for %s\n", ROW);
		return 1;
	}
	shape.threads = gang_num(ROW, "threads", 1);
	if (shape.threads == 1) pin();
	/* libcost's process is a Go program and never has one thread alone; libcs know. */
	if (!PLAIN && pthread_create(&thread, 0, idle, 0)) {
		fprintf(stderr, "no second thread\n");
		return 1;
	}
	gang_run(k, &shape, shape.threads == 1, &r);
	if (r.err) {
		fprintf(stderr, "%s: %s: %s\n", ROW, r.phase, strerror(r.err));
		return 1;
	}
	printf("%s: %.5g ns/op, %.5g cpu-ns/op, %d ops\n", ROW, (double)r.elapsed_ns / N, (double)r.cpu_ns / N, N);
	return 0;
}
