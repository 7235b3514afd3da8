#include "shim.h"

enum { BLOCKS = 4096 };
enum { ALLOCATE, RELEASE, OVER };	/* whose turn it is: thread 0's, thread 1's, nobody's */

struct remote {
	size_t size;
	unsigned long blocks, filled, allocated, freed, torn;
	int same, time_alloc;
	unsigned turn;
	unsigned *block[BLOCKS];
};

size_t alloc_remote_need(const struct shape *s)
{
	return sizeof(struct remote) + gang_num(s->row, "blocks", 0) * (gang_num(s->row, "size", 0) + 64);
}

int alloc_remote_new(const struct shape *s, void **state)
{
	unsigned long blocks = gang_num(s->row, "blocks", 0);
	if (s->threads != 2 || !blocks || blocks > BLOCKS) return GANG_EINVAL;
	struct remote *r = gang_map(sizeof *r);
	if (!r) return GANG_ENOMEM;
	r->size = gang_num(s->row, "size", 0);
	r->blocks = blocks;
	r->same = gang_is(s->row, "free", "same");
	r->time_alloc = gang_is(s->row, "phase", "alloc");
	*state = r;
	return 0;
}

static void alloc_remote_give(struct remote *r, unsigned turn)
{
	__atomic_store_n(&r->turn, turn, __ATOMIC_RELEASE);
	gang_syscall(SYS_FUTEX, (long)&r->turn, 1 | 128, 1, 0, 0, 0);
}

/* Waits until the turn is no longer this one, and tells which it is. */
static unsigned alloc_remote_await(struct remote *r, unsigned turn)
{
	unsigned now;
	while ((now = __atomic_load_n(&r->turn, __ATOMIC_ACQUIRE)) == turn)
		gang_syscall(SYS_FUTEX, (long)&r->turn, 0 | 128, turn, 0, 0, 0);
	return now;
}

/*
 * Writes the blocks' beginnings, outside the timed phases: page faults are the
 * kernel's.  A block that overlaps another no longer begins with its number.
 */
static void alloc_remote_write(struct remote *r)
{
	for (unsigned long i = 0; i < r->filled; i++) *r->block[i] = i;
	for (unsigned long i = 0; i < r->filled; i++) r->torn += *r->block[i] != i;
}

static int alloc_remote_fill(struct remote *r, unsigned long n)
{
	size_t size = r->size;
	if (r->time_alloc) gang_resume();
	for (r->filled = 0; r->filled < n; r->filled++) {
		LAUNDER(size);
		unsigned *block = malloc(size);
		LAUNDER(block);
		if (!block) break;
		r->block[r->filled] = block;
	}
	if (r->time_alloc) gang_pause();
	r->allocated += r->filled;
	alloc_remote_write(r);
	return r->filled < n ? GANG_ENOMEM : 0;
}

static void alloc_remote_drain(struct remote *r)
{
	if (!r->time_alloc) gang_resume();
	for (unsigned long i = 0; i < r->filled; i++) free(r->block[i]);
	if (!r->time_alloc) gang_pause();
	r->freed += r->filled;
	r->filled = 0;
}

static int alloc_remote_source(struct remote *r, unsigned long n)
{
	int err = 0;
	while (n && !err) {
		unsigned long now = n < r->blocks ? n : r->blocks;
		err = alloc_remote_fill(r, now);
		if (r->same) {
			alloc_remote_drain(r);
		} else {
			alloc_remote_give(r, RELEASE);
			alloc_remote_await(r, RELEASE);
		}
		n -= now;
	}
	alloc_remote_give(r, OVER);
	return err;
}

int alloc_remote_op(void *state, int t, unsigned long n)
{
	struct remote *r = state;
	if (!t) return alloc_remote_source(r, n);
	while (alloc_remote_await(r, ALLOCATE) == RELEASE) {
		alloc_remote_drain(r);
		alloc_remote_give(r, ALLOCATE);
	}
	return 0;
}

int alloc_remote_check(void *state, unsigned long n, uint64_t *digest)
{
	struct remote *r = state;
	*digest = gang_digest(gang_digest(GANG_DIGEST, r->size), r->freed);
	return r->allocated == n && r->freed == n && !r->torn ? 0 : GANG_EWRONG;
}

void alloc_remote_free(void *state)
{
	gang_unmap(state, sizeof(struct remote));
}
