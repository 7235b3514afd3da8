/* Threads that each serve their share of the connections. */
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, HOT = 16 };

struct connection {
	struct connection *next;	/* of those without a request */
	int fd, busy;
	int64_t op, intended, sent;
	size_t got;
	char *in;	/* an answer's head and value */
};

struct acked {
	int64_t op;
	uint64_t version;
};

struct crew {
	struct load *load;
	pthread_t thread;
	struct connection *conns, *idle;
	int nconns, epoll, busy;
	char *out;
	struct tally tally;
	struct acked *acked;
	int64_t nacked, cap;
};

struct load {
	struct outcome *o;
	struct crew *crews;
	int64_t next;	/* request */
	int64_t start, acked;
	int stop, killing;
	pthread_t killer;
};

static uint64_t draw(int64_t op, uint64_t salt)
{
	return wire_mix(op * 0x9e3779b97f4a7c15 + salt);
}

static int is_read(int64_t op)
{
	return config.reads && draw(op, 1) % 100 < (uint64_t)config.reads;
}

/* Nine of ten hot requests go to a few keys, spread over the map. */
static uint64_t key_number(int64_t op)
{
	uint64_t r = draw(op, 2);
	if (config.order == KEYS_INCREASING && !is_read(op)) return (config.filled ? config.keys : 0) + op;
	if (config.order == KEYS_HOT && draw(op, 3) % 10 < 9) return r % HOT * config.keys / HOT;
	return r % config.keys;
}

static size_t in_size(void)
{
	size_t value = config.reads ? config.value : 0;
	return sizeof(struct wire_answer) + (value < 512 ? 512 : value);
}

static int halted(struct load *l)
{
	return __atomic_load_n(&l->stop, __ATOMIC_ACQUIRE);
}

static void halt(struct load *l)
{
	__atomic_store_n(&l->stop, 1, __ATOMIC_RELEASE);
}

/* A connection broke: what a kill must do to it, or an error. */
static void broken(struct load *l)
{
	int killing = __atomic_load_n(&l->killing, __ATOMIC_ACQUIRE);
	if (killing == KILL_LEADER || killing == KILL_ALL) halt(l);
	else if (!halted(l)) die("the server closed a connection");
}

static void issue(struct crew *w, struct connection *c, int64_t op, int64_t intended)
{
	int read = is_read(op);
	struct wire_request h = { WIRE_REQUEST, read ? OP_GET : OP_UPSERT, 0, WIRE_KEY, read ? 0 : config.value, op };
	size_t size = sizeof h + WIRE_KEY + h.value;
	memcpy(w->out, &h, sizeof h);
	wire_key(w->out + sizeof h, key_number(op));
	if (!read) wire_value(w->out + sizeof h + WIRE_KEY, h.value, op);
	c->op = op;
	c->got = 0;
	c->busy = 1;
	w->busy++;
	c->sent = wire_now();
	c->intended = intended ? intended : c->sent;
	for (size_t at = 0; at < size; ) {
		ssize_t n = send(c->fd, w->out + at, size - at, MSG_NOSIGNAL);
		if (n > 0) at += n;
		else if (errno != EINTR) {
			broken(w->load);
			return;
		}
	}
}

/* The next request, -1 after the last. */
static int64_t draw_op(struct load *l)
{
	int64_t op = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
	return op < config.n ? op : -1;
}

static void note(struct crew *w, int64_t op, uint64_t version)
{
	if (w->nacked == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 1024;
		w->acked = realloc(w->acked, w->cap * sizeof *w->acked);
		if (!w->acked) die("note what was acknowledged: out of memory");
	}
	w->acked[w->nacked++] = (struct acked){ op, version };
}

static void count(struct tally *t, const struct connection *c, const struct wire_answer *a, int64_t now)
{
	struct slow s = { .op = c->op, .latency = now - c->intended, .intended = c->intended, .read = is_read(c->op) };
	s.stage[STAGE_LATE] = c->sent - c->intended;
	s.stage[STAGE_ARRIVE] = a->at[AT_READ] - c->sent;
	for (int i = AT_TAKEN; i < ATS; i++) s.stage[STAGE_QUEUE + i - AT_TAKEN] = a->at[i] - a->at[i - 1];
	s.stage[STAGE_REPLY] = now - a->at[AT_REPLY];
	memcpy(s.at, a->at, sizeof s.at);
	histogram_add(&t->latency, s.latency);
	t->latency_ns += s.latency;
	for (int i = config.rate ? STAGE_LATE : STAGE_ARRIVE; i < STAGES; i++) {
		if (s.read && i >= STAGE_APPEND && i <= STAGE_REPLICATE) continue;
		histogram_add(&t->stage[i], s.stage[i]);
		t->stage_ns[i] += s.stage[i];
	}
	slow_add(t, &s);
}

/* What the work was and how it ended, in any order. */
static uint64_t digest(int64_t op, int status)
{
	return wire_mix(wire_mix(op * 4 + status) ^ wire_mix(key_number(op) * 2 + is_read(op)) ^ config.value);
}

/* Right after an answer the server does always the same: a delay finds it anywhere. */
static void *killer(void *arg)
{
	struct load *l = arg;
	struct timespec ts = { config.kill_delay / 1000000, config.kill_delay % 1000000 * 1000 };
	nanosleep(&ts, 0);
	nodes_kill(l->o, config.kill);
	return 0;
}

static void maybe_kill(struct load *l)
{
	int64_t acked = __atomic_add_fetch(&l->acked, 1, __ATOMIC_RELAXED);
	if (!config.kill || acked != config.kill_after) return;
	__atomic_store_n(&l->killing, config.kill, __ATOMIC_RELEASE);
	int err = pthread_create(&l->killer, 0, killer, l);
	if (err) die("start a thread: %s", strerror(err));
}

static void settle(struct crew *w, struct connection *c, const struct wire_answer *a, int64_t now)
{
	struct tally *t = &w->tally;
	int read = is_read(c->op);
	const char *value = c->in + sizeof *a;
	if (a->status == STATUS_ERROR) {
		if (!t->failed++ && !halted(w->load)) complain("the server: %.*s", (int)a->value, value);
		halt(w->load);
		return;
	}
	if (a->status == STATUS_OK && read && !config.echo && (a->value != config.value || wire_value_op(value, a->value) < 0))
		die("request %lld: got a value that nobody wrote", (long long)c->op);
	count(t, c, a, now);
	t->done++;
	t->digest += digest(c->op, a->status);
	if (!read && config.acked) note(w, c->op, a->version);
	maybe_kill(w->load);
}

static int done(const struct connection *c, struct wire_answer *a)
{
	if (c->got < sizeof *a) return 0;
	memcpy(a, c->in, sizeof *a);
	if (a->magic != WIRE_ANSWER || a->value > in_size() - sizeof *a || a->id != (uint32_t)c->op)
		die("request %lld: the answer is none", (long long)c->op);
	return c->got >= sizeof *a + a->value;
}

static void receive(struct crew *w, struct connection *c)
{
	struct wire_answer a;
	ssize_t n = recv(c->fd, c->in + c->got, in_size() - c->got, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
	if (n <= 0) {
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, c->fd, 0);
		broken(w->load);
		return;
	}
	int64_t now = wire_now();
	c->got += n;
	if (!done(c, &a)) return;
	c->busy = 0;
	w->busy--;
	settle(w, c, &a, now);
	c->next = w->idle;
	w->idle = c;
}

static struct connection *idle(struct crew *w)
{
	struct connection *c = w->idle;
	if (c) w->idle = c->next;
	return c;
}

/* As soon as a client is free it has a request. */
static void closed(struct crew *w)
{
	struct connection *c;
	while (!halted(w->load) && (c = idle(w))) {
		int64_t op = draw_op(w->load);
		if (op < 0) return;
		issue(w, c, op, 0);
	}
}

/* Requests that are due, and the ns until the next one is; -1 after the last. */
static int64_t open_loop(struct crew *w, int64_t *op)
{
	struct connection *c;
	for (;;) {
		if (*op < 0) *op = draw_op(w->load);
		if (*op < 0 || halted(w->load)) return -1;
		int64_t due = w->load->start + *op * 1000000000LL / config.rate, left = due - wire_now();
		if (left > 0) return left;
		if (!(c = idle(w))) return 1000000000;
		issue(w, c, *op, due);
		*op = -1;
	}
}

static void wait_for(struct crew *w, int64_t ns)
{
	struct epoll_event e[EVENTS];
	struct pollfd p = { .fd = w->epoll, .events = POLLIN };
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };
	/* epoll_wait knows milliseconds only. */
	if (ns >= 0 && ppoll(&p, 1, &ts, 0) <= 0) return;
	int n = epoll_wait(w->epoll, e, EVENTS, ns >= 0 ? 0 : halted(w->load) ? 100 : -1);
	for (int i = 0; i < n; i++) receive(w, e[i].data.ptr);
}

/* After an error or a kill nobody waits for what will not come. */
static int going_on(struct crew *w, int64_t op)
{
	if (halted(w->load)) return 0;
	return w->busy || op >= 0 || __atomic_load_n(&w->load->next, __ATOMIC_RELAXED) < config.n;
}

static void *run(void *arg)
{
	struct crew *w = arg;
	int64_t op = -1;
	prctl(PR_SET_TIMERSLACK, 1L);
	while (going_on(w, op)) {
		int64_t ns = -1;
		if (config.rate) ns = open_loop(w, &op);
		else closed(w);
		if (w->busy || ns > 0) wait_for(w, ns);
	}
	return 0;
}

static void prepare(struct load *l, struct crew *w, int nconns)
{
	w->load = l;
	w->nconns = nconns;
	w->conns = reserve(nconns * sizeof *w->conns);
	w->out = reserve(sizeof(struct wire_request) + WIRE_KEY + config.value);
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll < 0) die("epoll: %s", strerror(errno));
	for (int i = 0; i < nconns; i++) {
		struct connection *c = &w->conns[i];
		struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };
		c->in = reserve(in_size());
		c->fd = dial(l->o->node[0].port);
		if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, c->fd, &e)) die("epoll: %s", strerror(errno));
		c->next = w->idle;
		w->idle = c;
	}
}

struct load *load_new(struct outcome *o)
{
	struct load *l = reserve(sizeof *l);
	l->o = o;
	l->crews = reserve(config.threads * sizeof *l->crews);
	for (int t = 0; t < config.threads; t++)
		prepare(l, &l->crews[t], config.clients / config.threads + (t < config.clients % config.threads));
	return l;
}

static void merge(struct tally *into, struct tally *t)
{
	histogram_merge(&into->latency, &t->latency);
	into->latency_ns += t->latency_ns;
	for (int i = 0; i < STAGES; i++) {
		histogram_merge(&into->stage[i], &t->stage[i]);
		into->stage_ns[i] += t->stage_ns[i];
	}
	for (int i = 0; i < t->nslow; i++) slow_add(into, &t->slow[i]);
	into->done += t->done;
	into->failed += t->failed;
	into->digest += t->digest;
}

void load_run(struct load *l)
{
	l->start = wire_now();
	for (int t = 1; t < config.threads; t++) {
		int err = pthread_create(&l->crews[t].thread, 0, run, &l->crews[t]);
		if (err) die("start a thread: %s", strerror(err));
	}
	run(&l->crews[0]);
	for (int t = 1; t < config.threads; t++) pthread_join(l->crews[t].thread, 0);
	if (l->killing) pthread_join(l->killer, 0);
	for (int t = 1; t < config.threads; t++) merge(&l->crews[0].tally, &l->crews[t].tally);
	l->o->all = &l->crews[0].tally;
	l->o->killed = l->killing;
}

void load_acked(struct load *l, const char *file)
{
	char key[WIRE_KEY];
	FILE *f = fopen(file, "w");
	if (!f) die("write %s: %s", file, strerror(errno));
	for (int t = 0; t < config.threads; t++) {
		struct crew *w = &l->crews[t];
		for (int64_t i = 0; i < w->nacked; i++) {
			wire_key(key, key_number(w->acked[i].op));
			fprintf(f, "%lld %llu %.*s\n", (long long)w->acked[i].op, (unsigned long long)w->acked[i].version, WIRE_KEY, key);
		}
	}
	if (fclose(f)) die("write %s: %s", file, strerror(errno));
}

void load_free(struct load *l)
{
	for (int t = 0; t < config.threads; t++) {
		struct crew *w = &l->crews[t];
		for (int i = 0; i < w->nconns; i++) {
			close(w->conns[i].fd);
			free(w->conns[i].in);
		}
		close(w->epoll);
		free(w->conns);
		free(w->out);
		free(w->acked);
	}
	free(l->crews);
	free(l);
}
