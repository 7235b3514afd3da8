/*
 * The plain worker: one row in a program that never had a second thread.
 *
 *	worker -attest
 *	worker -sample ROW -n N [-dir DIR] [-count ID,ID,...]
 *
 * A Go program always has several threads, and a libc knows: musl takes a
 * lock for each malloc once there is a second thread.  This program is
 * compiled from the same kernels and prints what a room's test binary prints,
 * a benchmark line and a line of JSON.
 *
 * ROOM_TABLE is the room's table and BUILD the hash of what went in, by -D.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest.h"
#include "run.h"

extern const struct kernel ROOM_TABLE[];

enum { EXIT_LACKING = 3 };

#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

static int fail(const char *row, const char *what, const char *why)
{
	printf("{\"error\":\"%s: %s: %s\"}\n", row, what, why);
	return 1;
}

static int counted;

/* -count's list of ids; 0 or an errno. */
static int count(const char *list)
{
	uint64_t ids[GANG_TRACEPOINTS];
	char *end = (char *)list;
	while (*list && counted < GANG_TRACEPOINTS) {
		ids[counted++] = strtoull(list, &end, 10);
		if (end == list || (*end && *end != ',')) return EINVAL;
		list = *end ? end + 1 : end;
	}
	return gang_count(ids, counted);
}

static void print(const struct kernel *k, const struct shape *s, const struct gang_result *r)
{
	double n = s->n;
	long size = gang_num(s->row, "size", 0);
	printf("Benchmark%s\t%lu\t%.5g ns/op\t%.5g cpu-ns/op", s->row, s->n, r->elapsed_ns / n, r->cpu_ns / n);
	if (k->unit) printf("\t%.5g %s", r->value, k->unit);
	if (k->flags & KERNEL_BYTES) printf("\t%.5g MB/s", size * n / r->elapsed_ns * 1e3);
	printf("\n{\"result\":{\"n\":%lu,\"elapsed_ns\":%lld,\"cpu_ns\":%lld,\"minflt\":%lld,\"majflt\":%lld,"
		"\"nvcsw\":%lld,\"nivcsw\":%lld,\"run_delay_ns\":%lld,\"digest\":\"%016llx\"",
		s->n, (long long)r->elapsed_ns, (long long)r->cpu_ns, (long long)r->minflt, (long long)r->majflt,
		(long long)r->nvcsw, (long long)r->nivcsw, (long long)r->run_delay_ns, (unsigned long long)r->digest);
	if (k->unit) printf(",\"value\":%.17g", r->value);
	for (int i = 0; i < counted; i++) printf("%s%lld", i ? "," : ",\"calls\":[", (long long)r->calls[i]);
	puts(counted ? "]}}" : "}}");
}

static int sample(struct shape *s)
{
	const struct kernel *k = gang_find(ROOM_TABLE, s->row);
	struct gang_result r;
	if (!k) return fail(s->row, "look up", "no such row in this worker");
	s->threads = gang_num(s->row, "threads", 1);
	struct shape run = *s;
	run.n = gang_ops(s->n);
	gang_run(k, &run, s->threads == 1, &r);
	if (run.n != s->n && !r.err) {
		/* The digest tells the work that was asked for. */
		struct gang_result asked;
		gang_run(k, s, s->threads == 1, &asked);
		r.err = asked.err, r.phase = asked.phase, r.digest = asked.digest;
	}
	if (!r.err) {
		print(k, s, &r);
		return 0;
	}
	fail(s->row, r.phase, strerror(r.err));
	if (!strcmp(r.phase, "start thread") && r.err == EAGAIN) return EXIT_LACKING;
	if (!strcmp(r.phase, "set up") && (r.err == EOPNOTSUPP || r.err == ENOSYS)) return EXIT_LACKING;
	return 1;
}

int main(int argc, char **argv)
{
	struct shape s = { .dir = "." };
	char facts[8192];
	int err = 0;
	for (int i = 1; i < argc; i += 2) {
		if (!strcmp(argv[i], "-attest")) {
			attest_json(facts, sizeof facts, TEXT_OF(BUILD));
			fputs(facts, stdout);
			return 0;
		}
		if (i + 1 == argc) break;
		if (!strcmp(argv[i], "-sample")) s.row = argv[i + 1];
		if (!strcmp(argv[i], "-n")) s.n = strtoul(argv[i + 1], 0, 10);
		if (!strcmp(argv[i], "-dir")) s.dir = argv[i + 1];
		if (!strcmp(argv[i], "-count")) err = count(argv[i + 1]);
	}
	if (!s.row || !s.n) {
		fputs("usage: worker -attest | worker -sample ROW -n N [-dir DIR] [-count ID,ID,...]\n", stderr);
		return 2;
	}
	if (err) {
		fail(s.row, "open a counter", strerror(err));
		return EXIT_LACKING;
	}
	return sample(&s);
}
