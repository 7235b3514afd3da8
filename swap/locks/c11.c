#include "locks.h"

/*
 * C11's locks are these same mutexes and condition variables.  With libc's,
 * musl's cnd_wait would unlock its own mutex and lock ours.
 */
enum { SUCCESS, BUSY, ERROR, NOMEM, TIMEDOUT };
enum { MTX_RECURSIVE = 1 };

static int word(int err)
{
	switch (err) {
	case 0: return SUCCESS;
	case EBUSY: return BUSY;
	case ETIMEDOUT: return TIMEDOUT;
	}
	return ERROR;
}

int mtx_init(struct mutex *m, int type)
{
	*m = (struct mutex){ .kind = type & MTX_RECURSIVE ? RECURSIVE : NORMAL };
	return SUCCESS;
}

void mtx_destroy(struct mutex *m) { pthread_mutex_destroy(m); }
int mtx_lock(struct mutex *m) { return word(pthread_mutex_lock(m)); }
int mtx_trylock(struct mutex *m) { return word(pthread_mutex_trylock(m)); }
int mtx_timedlock(struct mutex *m, const struct timespec *until) { return word(pthread_mutex_timedlock(m, until)); }
int mtx_unlock(struct mutex *m) { return word(pthread_mutex_unlock(m)); }

int cnd_init(struct cond *c) { return word(pthread_cond_init(c, 0)); }
void cnd_destroy(struct cond *c) { pthread_cond_destroy(c); }
int cnd_wait(struct cond *c, struct mutex *m) { return word(pthread_cond_wait(c, m)); }
int cnd_timedwait(struct cond *c, struct mutex *m, const struct timespec *until) { return word(pthread_cond_timedwait(c, m, until)); }
int cnd_signal(struct cond *c) { return word(pthread_cond_signal(c)); }
int cnd_broadcast(struct cond *c) { return word(pthread_cond_broadcast(c)); }

void call_once(unsigned *control, void (*f)(void)) { pthread_once(control, f); }
