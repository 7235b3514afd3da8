#include "mix.h"

#if defined(__x86_64__)
enum { SYS_READ = 0, SYS_CLOSE = 3, SYS_OPENAT = 257 };
#elif defined(__aarch64__)
enum { SYS_READ = 63, SYS_CLOSE = 57, SYS_OPENAT = 56 };
#endif

enum { BLOCKS = 16384, KEEP = 50, AT_FDCWD = -100 };

struct resident {
	int threads;
	unsigned blocks, keep;	/* of keep blocks one stays; 1 all, 0 none */
	struct mix mix;
	struct seat {
		unsigned long done, torn, sum;
		struct block *live[BLOCKS];
	} seat[];
};

static size_t alloc_resident_bytes(int threads)
{
	return sizeof(struct resident) + threads * sizeof(struct seat);
}

size_t alloc_resident_need(const struct shape *s)
{
	return alloc_resident_bytes(s->threads) + alloc_mix_need(s, s->threads * gang_num(s->row, "blocks", 0));
}

/* The kernel's text about this process, "Anonymous:  1234 kB" among it; bytes read, or -errno. */
static long alloc_resident_read(char *text, long size)
{
	long fd = gang_syscall(SYS_OPENAT, AT_FDCWD, (long)"/proc/self/smaps_rollup", 0, 0, 0, 0);
	if (fd < 0) return fd;
	long n = gang_syscall(SYS_READ, fd, (long)text, size, 0, 0, 0);
	gang_syscall(SYS_CLOSE, fd, 0, 0, 0, 0, 0);
	return n;
}

/*
 * Anonymous memory of the process.  The peak that getrusage tells would be that
 * of the process which has made this one, if it was larger.
 */
static long alloc_resident_now(void)
{
	static const char key[] = "\nAnonymous:";
	char text[2048];
	long kb = 0, n = alloc_resident_read(text, sizeof text - 1);
	if (n < 0) return n;
	text[n] = 0;
	for (char *s = text; *s; s++) {
		if (!gang_same(s, key, sizeof key - 1)) continue;
		for (s += sizeof key - 1; *s == ' '; s++);
		for (; *s >= '0' && *s <= '9'; s++) kb = 10 * kb + *s - '0';
		return kb << 10;
	}
	return -GANG_EOPNOTSUPP;
}

int alloc_resident_new(const struct shape *s, void **state)
{
	unsigned blocks = gang_num(s->row, "blocks", 0);
	if (!blocks || blocks > BLOCKS) return GANG_EINVAL;
	if (alloc_resident_now() < 0) return GANG_EOPNOTSUPP;
	struct resident *r = gang_map(alloc_resident_bytes(s->threads));
	if (!r) return GANG_ENOMEM;
	if (alloc_mix(s->row, &r->mix)) {
		gang_unmap(r, alloc_resident_bytes(s->threads));
		return GANG_EINVAL;
	}
	r->threads = s->threads;
	r->blocks = blocks;
	r->keep = gang_is(s->row, "freed", "none") ? 1 : gang_is(s->row, "freed", "scattered") ? KEEP : 0;
	*state = r;
	return 0;
}

static void alloc_resident_drop(struct resident *r, struct seat *s, unsigned keep)
{
	for (unsigned i = 0; i < r->blocks; i++) {
		if (!s->live[i] || (keep && i % keep == 0)) continue;
		s->torn += alloc_block_torn(&r->mix, s->live[i]);
		free(s->live[i]);
		s->live[i] = 0;
	}
}

/* The same blocks each time: what is left must not depend on the number of ops. */
int alloc_resident_op(void *state, int t, unsigned long n)
{
	struct resident *r = state;
	struct seat *s = &r->seat[t];
	for (unsigned long i = 0; i < n; i++) {
		uint64_t seed = t + 1;
		alloc_resident_drop(r, s, 0);
		for (unsigned k = 0; k < r->blocks; k++) {
			if (!(s->live[k] = alloc_block(&r->mix, gang_random(&seed)))) return GANG_ENOMEM;
			s->sum += s->live[k]->size;
		}
		alloc_resident_drop(r, s, r->keep);
		s->done++;
	}
	return 0;
}

int alloc_resident_check(void *state, unsigned long n, uint64_t *digest)
{
	struct resident *r = state;
	unsigned long done = 0, torn = 0;
	int wrong = 0;
	*digest = GANG_DIGEST;
	for (int t = 0; t < r->threads; t++) {
		struct seat *s = &r->seat[t];
		done += s->done;
		torn += s->torn;
		for (unsigned i = 0; i < r->blocks; i++)
			wrong |= !s->live[i] != !(s->done && r->keep && i % r->keep == 0);
		*digest = gang_digest(*digest, s->sum);
	}
	return done == n && !torn && !wrong ? 0 : GANG_EWRONG;
}

double alloc_resident_value(void *state)
{
	struct resident *r = state;
	return alloc_resident_now() - (double)alloc_resident_bytes(r->threads);
}

void alloc_resident_free(void *state)
{
	struct resident *r = state;
	for (int t = 0; t < r->threads; t++) alloc_resident_drop(r, &r->seat[t], 0);
	gang_unmap(r, alloc_resident_bytes(r->threads));
}
