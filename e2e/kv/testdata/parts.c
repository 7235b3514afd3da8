/*
 * A complete set of replacements, as small as can be: if the server runs on
 * them it takes nothing of the kind from libc behind their back.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

static char heap[1 << 28] __attribute__((aligned(16)));
static size_t used;

/* Nothing is given back; each block has its size before it. */
void *malloc(size_t n)
{
	size_t at = __atomic_fetch_add(&used, (n + 31) & -16, __ATOMIC_RELAXED);
	if (n > sizeof heap / 2 || at + n + 16 > sizeof heap) {
		errno = ENOMEM;
		return 0;
	}
	*(size_t *)(heap + at) = n;
	return heap + at + 16;
}

size_t malloc_usable_size(void *p) { return p ? *(size_t *)((char *)p - 16) : 0; }
void free(void *p) { (void)p; }

void *memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	for (const char *f = from; n--; ) *t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;
	if (t <= f) return memcpy(to, from, n);
	while (n--) t[n] = f[n];
	return to;
}

void *memset(void *p, int c, size_t n)
{
	for (char *t = p; n--; ) *t++ = c;
	return p;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;
	for (; n; n--, p++, q++)
		if (*p != *q) return *p - *q;
	return 0;
}

int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

void *calloc(size_t n, size_t size) { return malloc(n * size); }

void *realloc(void *p, size_t n)
{
	void *q = malloc(n);
	size_t had = malloc_usable_size(p);
	return q && p ? memcpy(q, p, had < n ? had : n) : q;
}

void *memalign(size_t align, size_t n)
{
	uintptr_t p = (uintptr_t)malloc(n + align);
	return p ? (void *)((p + align - 1) & -align) : 0;
}

void *aligned_alloc(size_t align, size_t n) { return memalign(align, n); }
void *valloc(size_t n) { return memalign(4096, n); }
void *pvalloc(size_t n) { return memalign(4096, (n + 4095) & -4096); }

int posix_memalign(void **p, size_t align, size_t n)
{
	*p = memalign(align, n);
	return *p ? 0 : ENOMEM;
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) { (void)a; *(int *)m = 0; return 0; }
int pthread_mutex_destroy(pthread_mutex_t *m) { (void)m; return 0; }

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return __atomic_exchange_n((int *)m, 1, __ATOMIC_ACQUIRE) ? EBUSY : 0;
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	while (pthread_mutex_trylock(m)) sched_yield();
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *m) { __atomic_store_n((int *)m, 0, __ATOMIC_RELEASE); return 0; }

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) { (void)a; *(int *)c = 0; return 0; }
int pthread_cond_destroy(pthread_cond_t *c) { (void)c; return 0; }
int pthread_cond_broadcast(pthread_cond_t *c) { __atomic_add_fetch((int *)c, 1, __ATOMIC_RELEASE); return 0; }
int pthread_cond_signal(pthread_cond_t *c) { return pthread_cond_broadcast(c); }

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	int was = __atomic_load_n((int *)c, __ATOMIC_ACQUIRE);
	pthread_mutex_unlock(m);
	while (__atomic_load_n((int *)c, __ATOMIC_ACQUIRE) == was) sched_yield();
	return pthread_mutex_lock(m);
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
	(void)t;
	return pthread_cond_wait(c, m);
}
