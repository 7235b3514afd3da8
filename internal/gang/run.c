#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

/*
 * musl gives a thread 128 KiB and glibc 8 MiB; what a kernel's thread gets
 * must not depend on that.
 */
enum { STACK = 256 << 10 };

struct gang {
	const struct kernel *kernel;
	const struct shape *shape;
	void *state;
	unsigned seats, arrived, gate;
};

enum { GATE_SHUT, GATE_OPEN, GATE_GIVE_UP };

struct seat {
	struct gang *gang;
	pthread_t thread;
	int t, err;
	const char *phase;
	unsigned long n;
	struct gang_span span;
	struct phases { int64_t ns, cpu_ns; } phases;
	struct histogram *ops;
};

static __thread struct phases *phases;	/* of this thread's seat */

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* This thread's time in the run queue so far, or -1. */
static int64_t run_delay(void)
{
	char buf[96], *end;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf - 1);
	if (fd >= 0) close(fd);
	if (n <= 0) return -1;
	buf[n] = 0;
	strtoll(buf, &end, 10);
	return strtoll(end, 0, 10);
}

/* Adds sign times the counters of this thread, or of all. */
static void count(struct gang_span *s, int sign)
{
	struct rusage ru;
	/* The kernel keeps no sum over threads of which some are gone. */
	int64_t delay = s->whole ? -1 : run_delay();
	getrusage(s->whole ? RUSAGE_SELF : RUSAGE_THREAD, &ru);
	s->minflt += sign * ru.ru_minflt;
	s->majflt += sign * ru.ru_majflt;
	s->nvcsw += sign * ru.ru_nvcsw;
	s->nivcsw += sign * ru.ru_nivcsw;
	s->run_delay_ns = delay < 0 ? -1 : s->run_delay_ns + sign * delay;
}

static struct { int n; uint64_t id[GANG_TRACEPOINTS]; } counted;

/* A counter of this thread, and of those that it makes: -1 and errno if there is none. */
static int open_counter(uint64_t id)
{
	/* perf_event_open(2), the attributes' first version; musl-gcc has no kernel headers. */
	struct {
		uint32_t type, size;
		uint64_t config, period, sample_type, read_format, flags;
		uint32_t wakeup, bp_type;
		uint64_t bp_addr;
	} attr = { .type = 2 /* tracepoint */, .size = sizeof attr, .config = id, .flags = 1 << 1 /* inherit */ };
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 8L /* close on exec */);
}

int gang_count(const uint64_t *ids, int n)
{
	for (int i = 0; i < n && i < GANG_TRACEPOINTS; i++) {
		int fd = open_counter(ids[i]);
		if (fd < 0) return errno;
		close(fd);
		counted.id[counted.n++] = ids[i];
	}
	return 0;
}

static void open_counters(struct gang_span *s)
{
	for (int i = 0; i < counted.n; i++) s->tracepoint[i] = open_counter(counted.id[i]);
}

static void close_counters(struct gang_span *s)
{
	for (int i = 0; i < counted.n; i++) {
		uint64_t calls = 0;
		if (s->tracepoint[i] < 0 || read(s->tracepoint[i], &calls, sizeof calls) != sizeof calls) s->calls[i] = -1;
		else s->calls[i] = calls;
		close(s->tracepoint[i]);
	}
}

static int64_t cpu_ns(const struct gang_span *s)
{
	return clock_ns(s->whole ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID);
}

void gang_begin(struct gang_span *s)
{
	*s = (struct gang_span){ .whole = s->whole };
	open_counters(s);
	count(s, -1);
	s->cpu_ns = -cpu_ns(s);
	s->start_ns = clock_ns(CLOCK_MONOTONIC);
}

void gang_end(struct gang_span *s)
{
	s->end_ns = clock_ns(CLOCK_MONOTONIC);
	s->cpu_ns += cpu_ns(s);
	close_counters(s);
	count(s, +1);
}

void gang_resume(void)
{
	phases->cpu_ns -= clock_ns(CLOCK_THREAD_CPUTIME_ID);
	phases->ns -= clock_ns(CLOCK_MONOTONIC);
}

void gang_pause(void)
{
	phases->ns += clock_ns(CLOCK_MONOTONIC);
	phases->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * Its own barrier, on the bare futex: a libc's would be part of the start.
 * The last thread opens the gate.
 */
static int wait_for_all(struct gang *g)
{
	if (__atomic_add_fetch(&g->arrived, 1, __ATOMIC_ACQ_REL) == g->seats) {
		__atomic_store_n(&g->gate, GATE_OPEN, __ATOMIC_RELEASE);
		gang_syscall(SYS_FUTEX, (long)&g->gate, 1 | 128, INT_MAX, 0, 0, 0);
	}
	unsigned gate;
	while ((gate = __atomic_load_n(&g->gate, __ATOMIC_ACQUIRE)) == GATE_SHUT)
		gang_syscall(SYS_FUTEX, (long)&g->gate, 0 | 128, GATE_SHUT, 0, 0, 0);
	return gate == GATE_OPEN;
}

static void give_up(struct gang *g)
{
	__atomic_store_n(&g->gate, GATE_GIVE_UP, __ATOMIC_RELEASE);
	gang_syscall(SYS_FUTEX, (long)&g->gate, 1 | 128, INT_MAX, 0, 0, 0);
}

static int timed_ops(struct seat *s)
{
	const struct kernel *k = s->gang->kernel;
	void *state = s->gang->state;
	int64_t before = clock_ns(CLOCK_MONOTONIC);
	for (unsigned long i = 0; i < s->n; i++) {
		int err = k->op(state, s->t, 1);
		if (err) return err;
		int64_t after = clock_ns(CLOCK_MONOTONIC);
		histogram_add(s->ops, after - before);
		before = after;
	}
	return 0;
}

/* Puts this thread where the row's place= says; the scheduler's choice without one. */
static int take_place(const char *row, int t)
{
	cpu_set_t allowed, mine;
	int spread = gang_is(row, "place", "spread");
	if (!spread && !gang_is(row, "place", "same")) return 0;
	if (sched_getaffinity(0, sizeof allowed, &allowed)) return errno;
	int nth = spread ? t % CPU_COUNT(&allowed) : CPU_COUNT(&allowed) - 1;
	int cpu = 0;
	while (!CPU_ISSET(cpu, &allowed) || nth--) cpu++;
	CPU_ZERO(&mine);
	CPU_SET(cpu, &mine);
	return sched_setaffinity(0, sizeof mine, &mine) ? errno : 0;
}

static void *sit(void *arg)
{
	struct seat *s = arg;
	const struct kernel *k = s->gang->kernel;
	void *state = s->gang->state;

	/*
	 * A thread that could not sit still goes to the gate: the others wait
	 * for it.  It then runs nothing, and its error is the row's.
	 */
	phases = &s->phases;
	int err = take_place(s->gang->shape->row, s->t);
	if (!err && k->sit) err = k->sit(state, s->t);
	if (err) s->phase = "set up";
	if (!wait_for_all(s->gang)) return 0;
	if (!err) {
		s->phase = "run";
		gang_begin(&s->span);
		err = s->ops ? timed_ops(s) : k->op(state, s->t, s->n);
		gang_end(&s->span);
		if (k->flags & KERNEL_PHASES) s->span.cpu_ns = s->phases.cpu_ns;
	}
	s->err = err;
	return 0;
}

static int start(struct seat *s)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);
	if (err) return err;
	err = pthread_attr_setstacksize(&attr, STACK);
	if (!err) err = pthread_create(&s->thread, &attr, sit, s);
	pthread_attr_destroy(&attr);
	return err;
}

/* One line of the result from all threads' spans. */
static void add_up(struct seat *seats, int n, struct gang_result *r)
{
	int64_t first = INT64_MAX, last = INT64_MIN, phases = 0;
	for (int t = 0; t < n; t++) {
		struct gang_span *s = &seats[t].span;
		if (s->start_ns < first) first = s->start_ns;
		if (s->end_ns > last) last = s->end_ns;
		phases += seats[t].phases.ns;
		r->cpu_ns += s->cpu_ns;
		r->minflt += s->minflt;
		r->majflt += s->majflt;
		r->nvcsw += s->nvcsw;
		r->nivcsw += s->nivcsw;
		if (s->run_delay_ns < 0) r->run_delay_ns = -1;
		if (r->run_delay_ns >= 0) r->run_delay_ns += s->run_delay_ns;
		for (int i = 0; i < counted.n; i++)
			r->calls[i] = s->calls[i] < 0 || r->calls[i] < 0 ? -1 : r->calls[i] + s->calls[i];
		if (seats[t].err && !r->err) {
			r->err = seats[t].err;
			r->phase = seats[t].phase;
		}
	}
	r->elapsed_ns = seats[0].gang->kernel->flags & KERNEL_PHASES ? phases : last - first;
}

static void quantiles(struct seat *seats, int n, struct gang_result *r)
{
	static const double q[GANG_QUANTILES] = { .5, .9, .99, .999 };
	struct histogram *all = seats[0].ops;
	for (int t = 1; t < n; t++) histogram_merge(all, seats[t].ops);
	for (int i = 0; i < GANG_QUANTILES; i++)
		r->quantile_ns[i] = histogram_quantile(all, q[i]);
	r->max_ns = all->max;
	r->ops = all;
	seats[0].ops = 0;
}

static void run_seats(struct gang *g, struct seat *seats, int here, struct gang_result *r)
{
	int started = 0, err = 0;
	if (here) {
		sit(&seats[0]);
	} else {
		while (started < g->shape->threads && !(err = start(&seats[started])))
			started++;
		if (err) give_up(g);
		for (int t = 0; t < started; t++) pthread_join(seats[t].thread, 0);
	}
	if (err) {
		r->err = err;
		r->phase = "start thread";
		return;
	}
	add_up(seats, g->shape->threads, r);
	if (seats[0].ops && !r->err) quantiles(seats, g->shape->threads, r);
}

/* Whether a row has each key of the grid, with one of its values, and no other key. */
static int holds(const char *grid, const char *row)
{
	char copy[512], *rest = copy, *word;
	int keys = 0;
	if (strlen(grid) >= sizeof copy) return 0;
	strcpy(copy, grid);
	while ((word = strtok_r(rest, " ", &rest))) {
		char *values = strchr(word, '='), *value;
		int found = 0;
		if (!values) return 0;
		*values++ = 0;
		while (!found && (value = strtok_r(values, ",", &values))) found = gang_is(row, word, value);
		if (!found) return 0;
		keys++;
	}
	for (; *row; row++) keys -= *row == '/';
	return !keys;
}

const struct kernel *gang_find(const struct kernel *table, const char *row)
{
	size_t n = strcspn(row, "/");
	for (const struct kernel *k = table; k->name; k++)
		if (!strncmp(k->name, row, n) && !k->name[n] && holds(k->grid, row)) return k;
	return 0;
}

void gang_run(const struct kernel *k, const struct shape *shape, int here, struct gang_result *r)
{
	*r = (struct gang_result){0};
	struct gang g = { .kernel = k, .shape = shape, .seats = shape->threads };
	size_t bytes = shape->threads * sizeof(struct seat);
	struct seat *seats = gang_map(bytes);
	r->phase = "set up";
	if (!seats) {
		r->err = ENOMEM;
		return;
	}
	for (int t = 0; t < shape->threads; t++) {
		unsigned long share = shape->n / shape->threads + ((unsigned long)t < shape->n % shape->threads);
		seats[t] = (struct seat){ .gang = &g, .t = t,
			.n = k->flags & KERNEL_TOGETHER ? shape->n : share };
		if (k->flags & KERNEL_LATENCY && !(seats[t].ops = gang_map(sizeof(struct histogram))))
			r->err = ENOMEM;
	}
	if (!r->err && !(r->err = k->new(shape, &g.state))) {
		run_seats(&g, seats, here, r);
		if (!r->err) {
			r->phase = "check";
			r->err = k->check(g.state, shape->n, &r->digest);
			if (k->value) r->value = k->value(g.state);
		}
		k->free(g.state);
	}
	for (int t = 0; t < shape->threads; t++)
		if (seats[t].ops) gang_unmap(seats[t].ops, sizeof(struct histogram));
	gang_unmap(seats, bytes);
}

int gang_check_idle(const struct kernel *k, const struct shape *shape, int *said)
{
	void *state = 0;
	uint64_t digest;
	int err = k->new(shape, &state);
	if (err) return err;
	for (int t = 0; k->sit && !err && t < shape->threads; t++) err = k->sit(state, t);
	if (!err) *said = k->check(state, shape->n, &digest);
	k->free(state);
	return err;
}
