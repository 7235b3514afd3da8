/* One thread that waits for all sockets; a thread a client in the other mode. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "server.h"

enum { EVENTS = 256 };

static int epoll, waker = -1;
static struct conn *conns;

int listen_on(int *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
	if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (fd < 0 || bind(fd, (void *)&a, sizeof a) || listen(fd, 4096) || getsockname(fd, (void *)&a, &len)) {
		say("listen on port %d: %s", *port, reason(errno));
		if (fd >= 0) close(fd);
		return -1;
	}
	waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*port = ntohs(a.sin_port);
	return fd;
}

void loop_stop(void)
{
	int err = errno;
	uint64_t one = 1;
	if (write(waker, &one, sizeof one) < 0) errno = err;
}

static void add(int fd, void *p)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = p };
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

static void link_conn(struct conn *c)
{
	c->next = conns;
	if (conns) conns->prev = c;
	conns = c;
}

static void leave(struct conn *c)
{
	if (c->prev) c->prev->next = c->next;
	else conns = c->next;
	if (c->next) c->next->prev = c->prev;
	if (!options.threads) epoll_ctl(epoll, EPOLL_CTL_DEL, c->fd, 0);
	conn_kill(c);
	conn_drop(c);
}

/* Serves all that is complete in what was read. */
static int take(struct conn *c, int64_t read)
{
	struct request *r;
	int got;
	while ((got = conn_next(c, &r, read)) > 0) {
		if (options.workers && r->op <= OP_UPSERT) work_push(r);
		else serve(r);
	}
	return got;
}

static void *client(void *arg)
{
	struct conn *c = arg;
	while (conn_read(c) > 0 && take(c, wire_now()) >= 0);
	conn_kill(c);
	__atomic_store_n(&c->finished, 1, __ATOMIC_RELEASE);
	return 0;
}

static void reap(int all)
{
	for (struct conn *c = conns, *next; c; c = next) {
		next = c->next;
		if (!all && !__atomic_load_n(&c->finished, __ATOMIC_ACQUIRE)) continue;
		conn_kill(c);
		pthread_join(c->thread, 0);
		leave(c);
	}
}

static void greet(struct conn *c)
{
	int err = 0;
	if (options.threads) {
		struct timeval limit = { 10, 0 };
		setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
		reap(0);
		err = start_thread(&c->thread, client, c);
	} else {
		add(c->fd, c);
	}
	if (err) {
		say("start a client's thread: %s", reason(err));
		conn_drop(c);
	} else {
		link_conn(c);
	}
}

static void welcome(int listener)
{
	for (;;) {
		int fd = accept4(listener, 0, 0, SOCK_CLOEXEC | (options.threads ? 0 : SOCK_NONBLOCK)), on = 1;
		if (fd < 0) {
			if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
				say("accept: %s", reason(errno));
				usleep(10000);
			}
			return;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		struct conn *c = conn_new(fd, options.threads ? -1 : epoll);
		if (c) greet(c);
		else close(fd);
	}
}

/* One client's turn. */
static void turn(struct conn *c, uint32_t events)
{
	if (events & EPOLLOUT) conn_flush(c);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
	long n = conn_read(c);
	if (n > 0) n = take(c, wire_now()) < 0 ? 0 : n;
	if (!n) leave(c);
}

static int round_of(struct epoll_event *e, int n, int listener)
{
	int go_on = 1;
	for (int i = 0; i < n; i++) {
		void *p = e[i].data.ptr;
		if (p == &waker) go_on = 0;
		else if (p == &conns) welcome(listener);
		else turn(p, e[i].events);
	}
	return go_on;
}

int loop_run(int listener)
{
	struct epoll_event e[EVENTS];
	int go_on = 1;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || waker < 0) {
		say("epoll: %s", reason(errno));
		return -1;
	}
	add(listener, &conns);
	add(waker, &waker);
	while (go_on) {
		int n = epoll_wait(epoll, e, EVENTS, -1);
		serve_round_begins();
		go_on = round_of(e, n, listener);
		serve_round_ends();
	}
	work_stop();
	if (options.threads) reap(1);
	while (conns) leave(conns);
	close(epoll);
	close(waker);
	waker = -1;
	return 0;
}
