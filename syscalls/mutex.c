#include "shim.h"

/* Both libcs: pthread.h. */
enum { PTHREAD_MUTEX_RECURSIVE = 1, THREADS = 64 };

/* The counter has a cache line of its own: threads that spin touch the lock only. */
struct locked {
	struct mutex lock;
	unsigned long count, held, think;
	int threads, after;	/* after: whether a thread came and went before */
	unsigned long share[THREADS];
};

/* Steps of three cycles each, one after the other. */
static void syscalls_mutex_busy(unsigned long steps)
{
	uint64_t x = 1;
	for (; steps; steps--) {
		x *= 0x5851f42d4c957f2d;
		LAUNDER(x);
	}
}

static void *syscalls_mutex_nothing(void *arg)
{
	return arg;
}

/* A thread that comes and goes: from then on the process was once threaded. */
static int syscalls_mutex_thread(struct locked *l)
{
	void *thread, *value = 0;
	int err = pthread_create(&thread, 0, syscalls_mutex_nothing, l);
	if (err || (err = pthread_join(thread, &value))) return err;
	l->after = value == l;
	return 0;
}

static int syscalls_mutex_make(const struct shape *s, void **state, const void *attr)
{
	if (s->threads > THREADS) return GANG_EINVAL;
	struct locked *l = gang_map(sizeof *l);
	if (!l) return GANG_ENOMEM;
	l->held = gang_num(s->row, "held", 0);
	l->think = gang_num(s->row, "think", 0);
	l->threads = s->threads;
	int err = gang_is(s->row, "after", "thread") ? syscalls_mutex_thread(l) : 0;
	if (!err) err = pthread_mutex_init(&l->lock, attr);
	if (err) gang_unmap(l, sizeof *l);
	else *state = l;
	return err;
}

int syscalls_mutex_new(const struct shape *s, void **state)
{
	return syscalls_mutex_make(s, state, 0);
}

int syscalls_recursive_new(const struct shape *s, void **state)
{
	struct attr attr;
	int err = pthread_mutexattr_init(&attr);
	if (err) return err;
	if (!(err = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE)))
		err = syscalls_mutex_make(s, state, &attr);
	pthread_mutexattr_destroy(&attr);
	return err;
}

int syscalls_mutex_op(void *state, int t, unsigned long n)
{
	struct locked *l = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_mutex_lock(&l->lock);
		if (err) return err;
		l->count++;
		syscalls_mutex_busy(l->held);
		if ((err = pthread_mutex_unlock(&l->lock))) return err;
		syscalls_mutex_busy(l->think);
	}
	return 0;
}

/* n is the total of all threads here. */
int syscalls_fair_op(void *state, int t, unsigned long n)
{
	struct locked *l = state;
	for (int more = 1; more; ) {
		int err = pthread_mutex_lock(&l->lock);
		if (err) return err;
		if ((more = l->count < n)) {
			l->count++;
			l->share[t]++;
			syscalls_mutex_busy(l->held);
		}
		if ((err = pthread_mutex_unlock(&l->lock))) return err;
		if (more) syscalls_mutex_busy(l->think);
	}
	return 0;
}

double syscalls_fair_value(void *state)
{
	struct locked *l = state;
	unsigned long most = 0;
	for (int t = 0; t < l->threads; t++)
		if (l->share[t] > most) most = l->share[t];
	return l->count ? (double)most * l->threads / l->count : 0;
}

int syscalls_trylock_op(void *state, int t, unsigned long n)
{
	struct locked *l = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_mutex_trylock(&l->lock);
		if (err) return err;
		l->count++;
		if ((err = pthread_mutex_unlock(&l->lock))) return err;
	}
	return 0;
}

int syscalls_recursive_op(void *state, int t, unsigned long n)
{
	struct locked *l = state;
	for (unsigned long i = 0; i < n; i++) {
		int err = pthread_mutex_lock(&l->lock);
		if (err || (err = pthread_mutex_lock(&l->lock))) return err;
		l->count++;
		if ((err = pthread_mutex_unlock(&l->lock))) return err;
		if ((err = pthread_mutex_unlock(&l->lock))) return err;
	}
	return 0;
}

/* Two threads inside at once lose an addition. */
int syscalls_mutex_check(void *state, unsigned long n, uint64_t *digest)
{
	struct locked *l = state;
	*digest = gang_digest(gang_digest(gang_digest(gang_digest(GANG_DIGEST, l->count), l->held), l->think), l->after);
	return l->count == n ? 0 : GANG_EWRONG;
}

void syscalls_mutex_free(void *state)
{
	struct locked *l = state;
	pthread_mutex_destroy(&l->lock);
	gang_unmap(l, sizeof *l);
}
