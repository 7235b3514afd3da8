#include "file.h"

struct commit {
	struct files *log;
	unsigned long group;
	struct mutex lock;		/* of all that follows, and of the log's end */
	struct cond changed;
	unsigned long written, durable, syncs;
	int syncing, err;
};

static void fsync_commit_release(struct commit *c)
{
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	fsync_file_free(c->log);
	gang_unmap(c, sizeof *c);
}

int fsync_commit_new(const struct shape *s, void **state)
{
	struct commit *c = gang_map(sizeof *c);
	if (!c) return GANG_ENOMEM;
	int err = fsync_file_new(s, (void **)&c->log);
	if (err) {
		gang_unmap(c, sizeof *c);
		return err;
	}
	/* One log, whoever writes: all slots are everybody's. */
	for (int t = 0; t < s->threads; t++) {
		struct writer *w = &c->log->writer[t];
		w->slots *= s->threads;
		w->first = w->id = 0;
	}
	c->group = gang_num(s->row, "group", 1);
	*state = c;
	err = pthread_mutex_init(&c->lock, 0);
	if (!err) err = pthread_cond_init(&c->changed, 0);
	if (err) fsync_commit_release(c);
	return err;
}

/* Writes the log's next block and tells its number in *mine. */
static int fsync_commit_write(struct commit *c, struct writer *w, unsigned long *mine)
{
	int err = pthread_mutex_lock(&c->lock);
	if (err) return err;
	w->done = c->written;
	err = fsync_overwrite(w);
	if (!err) *mine = ++c->written;
	int unlocked = pthread_mutex_unlock(&c->lock);
	return err ? err : unlocked;
}

/* Syncs, with the lock held before and after but not meanwhile. */
static int fsync_commit_lead(struct commit *c)
{
	unsigned long upto = c->written;
	c->syncing = 1;
	int err = pthread_mutex_unlock(&c->lock);
	if (err) return err;
	int synced = fdatasync(c->log->writer[0].to) ? *__errno_location() : 0;
	if ((err = pthread_mutex_lock(&c->lock))) return err;
	c->syncing = 0;
	c->syncs++;
	if (synced) c->err = synced;
	else c->durable = upto;
	return pthread_cond_broadcast(&c->changed);
}

/* Returns when the log is on the disk as far as mine.  An error is everybody's: nobody waits on. */
static int fsync_commit_wait(struct commit *c, unsigned long mine)
{
	int err = pthread_mutex_lock(&c->lock);
	if (err) return err;
	while (!err && !c->err && c->durable < mine)
		err = c->syncing ? pthread_cond_wait(&c->changed, &c->lock) : fsync_commit_lead(c);
	if (!err) err = c->err;
	int unlocked = pthread_mutex_unlock(&c->lock);
	return err ? err : unlocked;
}

int fsync_commit_op(void *state, int t, unsigned long n)
{
	struct commit *c = state;
	struct writer *w = fsync_writer(c->log, t);
	for (unsigned long i = 1; i <= n; i++) {
		unsigned long mine = 0;
		int err = fsync_commit_write(c, w, &mine);
		if (!err && (i % c->group == 0 || i == n)) err = fsync_commit_wait(c, mine);
		if (err) return err;
	}
	return 0;
}

/* Syncs that a lone writer makes are as many as its groups; of several, one serves for all that wait. */
int fsync_commit_check(void *state, unsigned long n, uint64_t *digest)
{
	struct commit *c = state;
	unsigned long groups = (n + c->group - 1) / c->group;
	*digest = gang_digest(gang_digest(GANG_DIGEST, c->log->size), c->written);
	if (c->written != n || c->durable != n || c->syncs < 1 || c->syncs > n) return GANG_EWRONG;
	if (c->log->writers == 1 && c->syncs != groups) return GANG_EWRONG;
	return fsync_check_slots(c->log, &c->log->writer[0], n);
}

double fsync_commit_syncs(void *state)
{
	struct commit *c = state;
	return (double)c->syncs / c->written;
}

void fsync_commit_free(void *state)
{
	fsync_commit_release(state);
}
