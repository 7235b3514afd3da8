#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "server.h"

/* What a client that reads no answers may leave here. */
enum { OUT_MAX = 16 << 20, AT_ONCE = 1024 };

struct conn *conn_new(int fd, int epoll)
{
	struct conn *c = calloc(1, sizeof *c);
	if (!c) return 0;
	c->fd = fd;
	c->epoll = epoll;
	c->refs = 1;
	pthread_mutex_init(&c->lock, 0);
	return c;
}

static void hold(struct conn *c)
{
	__atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
}

/* Only the last to hold it closes: its number must not become another's before. */
void conn_drop(struct conn *c)
{
	if (__atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL)) return;
	close(c->fd);
	pthread_mutex_destroy(&c->lock);
	free(c->in);
	free(c->out);
	free(c);
}

static void kill_locked(struct conn *c)
{
	if (c->dead) return;
	c->dead = 1;
	shutdown(c->fd, SHUT_RDWR);
}

void conn_kill(struct conn *c)
{
	pthread_mutex_lock(&c->lock);
	kill_locked(c);
	pthread_mutex_unlock(&c->lock);
}

long conn_read(struct conn *c)
{
	if (c->in_at == c->in_len) c->in_at = c->in_len = 0;
	if (c->in_len == c->in_cap && c->in_at) {
		memmove(c->in, c->in + c->in_at, c->in_len - c->in_at);
		c->in_len -= c->in_at;
		c->in_at = 0;
	}
	if (c->in_len == c->in_cap) {
		char *in = grow(c->in, &c->in_cap, c->in_cap ? 2 * c->in_cap : 4096, 1);
		if (!in) return 0;
		c->in = in;
	}
	ssize_t n = recv(c->fd, c->in + c->in_len, c->in_cap - c->in_len, 0);
	if (n < 0) return errno == EAGAIN || errno == EINTR ? -1 : 0;
	c->in_len += n;
	return n;
}

/* Why the head is none, or 0. */
static const char *look(const struct conn *c, const struct wire_request *h, char *text, size_t size)
{
	size_t max = c->leader ? WIRE_RECORD_MAX : WIRE_VALUE_MAX;
	if (h->magic != WIRE_REQUEST) return "not a request";
	if (h->op < OP_GET || h->op > OP_RECORD) return "no such operation";
	if (h->key > WIRE_KEY_MAX) {
		snprintf(text, size, "a key of %u bytes, %d at most", h->key, WIRE_KEY_MAX);
		return text;
	}
	if (h->value > max) {
		snprintf(text, size, "a value of %u bytes, %zu at most", h->value, max);
		return text;
	}
	if (h->op <= OP_UPSERT && !h->key) return "no key";
	if (h->op == OP_RECORD && !c->leader) return "a record from none that leads";
	if (__atomic_load_n(&c->refs, __ATOMIC_RELAXED) > AT_ONCE) return "more than 1024 requests at once";
	return 0;
}

static void send_answer(struct conn *, struct wire_answer *, const void *, size_t);

static int refuse(struct conn *c, const char *why)
{
	struct wire_answer a = { .status = STATUS_ERROR };
	say("client: %s", why);
	send_answer(c, &a, why, strlen(why));
	return -1;
}

int conn_next(struct conn *c, struct request **out, int64_t read)
{
	struct wire_request h;
	size_t left = c->in_len - c->in_at;
	char text[80];
	if (left < sizeof h) return 0;
	memcpy(&h, c->in + c->in_at, sizeof h);
	const char *why = look(c, &h, text, sizeof text);
	if (why) return refuse(c, why);
	size_t size = (size_t)h.key + h.value;
	if (left < sizeof h + size) return 0;
	struct request *r = malloc(sizeof *r + size);
	if (!r) return refuse(c, "out of memory");
	memset(r, 0, sizeof *r);
	memcpy(r->bytes, c->in + c->in_at + sizeof h, size);
	c->in_at += sizeof h + size;
	r->conn = c;
	r->op = h.op;
	r->id = h.id;
	r->key = h.key;
	r->value = h.value;
	r->at[AT_READ] = read;
	hold(c);
	*out = r;
	return 1;
}

/* Keeps what the socket did not take. */
static void keep(struct conn *c, const struct iovec *v, size_t sent)
{
	size_t all = v[0].iov_len + v[1].iov_len, left = c->out_len - c->out_at;
	if (c->out_at) memmove(c->out, c->out + c->out_at, left);
	c->out_at = 0;
	c->out_len = left;
	char *p = left + all > OUT_MAX ? 0 : grow(c->out, &c->out_cap, left + all, 1);
	if (!p) {
		kill_locked(c);
		return;
	}
	c->out = p;
	for (int i = 0; i < 2; i++) {
		size_t skip = sent < v[i].iov_len ? sent : v[i].iov_len;
		if (v[i].iov_len > skip) memcpy(c->out + c->out_len, (char *)v[i].iov_base + skip, v[i].iov_len - skip);
		c->out_len += v[i].iov_len - skip;
		sent -= skip;
	}
}

static void watch(struct conn *c, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = c };
	if (c->epoll >= 0) epoll_ctl(c->epoll, EPOLL_CTL_MOD, c->fd, &e);
}

static void send_answer(struct conn *c, struct wire_answer *a, const void *value, size_t size)
{
	a->magic = WIRE_ANSWER;
	a->value = size;
	struct iovec v[2] = { { a, sizeof *a }, { (void *)value, size } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = size ? 2 : 1 };
	size_t sent = 0;
	pthread_mutex_lock(&c->lock);
	if (!c->dead && c->out_len == c->out_at) {
		a->at[AT_REPLY] = wire_now();
		ssize_t n = sendmsg(c->fd, &m, MSG_NOSIGNAL);
		if (n >= 0) sent = n;
		/* A thread's own client: whoever takes nothing for seconds is gone. */
		if (n < 0 && (c->epoll < 0 || (errno != EAGAIN && errno != EINTR))) kill_locked(c);
	}
	if (!c->dead && sent < sizeof *a + size) {
		int had = c->out_len > c->out_at;
		keep(c, v, sent);
		if (!c->dead && !had) watch(c, EPOLLIN | EPOLLOUT);
	}
	pthread_mutex_unlock(&c->lock);
	if (c->epoll < 0) conn_flush(c);
}

void conn_flush(struct conn *c)
{
	pthread_mutex_lock(&c->lock);
	while (!c->dead && c->out_at < c->out_len) {
		ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);
		if (n > 0) {
			c->out_at += n;
			continue;
		}
		if (c->epoll < 0 || (errno != EAGAIN && errno != EINTR)) kill_locked(c);
		else break;
	}
	if (!c->dead && c->out_len && c->out_at == c->out_len) {
		c->out_at = c->out_len = 0;
		watch(c, EPOLLIN);
	}
	pthread_mutex_unlock(&c->lock);
}

void conn_answer(struct request *r, int status, const void *value, size_t size)
{
	struct conn *c = r->conn;
	struct wire_answer a = { .status = status, .id = r->id, .version = r->version };
	for (int i = 1; i < ATS; i++)
		if (r->at[i] < r->at[i - 1]) r->at[i] = r->at[i - 1];
	memcpy(a.at, r->at, sizeof a.at);
	send_answer(c, &a, value, size);
	free(r);
	conn_drop(c);
}

void conn_refuse(struct request *r, const char *why)
{
	conn_answer(r, STATUS_ERROR, why, strlen(why));
}
