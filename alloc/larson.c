#include "mix.h"

enum { LIVE = 1024 };

struct set {
	struct block *live[LIVE];
};

struct larson {
	int threads;
	unsigned long every;
	struct mix mix;
	struct seat {
		uint64_t seed;
		unsigned long done, torn, rounds;
		struct set *mine, *offered;	/* offered belongs to whoever takes it */
		struct set sets[2];
	} seat[];
};

static size_t alloc_larson_bytes(int threads)
{
	return sizeof(struct larson) + threads * sizeof(struct seat);
}

size_t alloc_larson_need(const struct shape *s)
{
	return alloc_larson_bytes(s->threads) + alloc_mix_need(s, 2 * s->threads * LIVE);
}

int alloc_larson_new(const struct shape *s, void **state)
{
	long every = gang_num(s->row, "every", 0);
	if (!every || gang_num(s->row, "live", 0) != LIVE) return GANG_EINVAL;
	struct larson *l = gang_map(alloc_larson_bytes(s->threads));
	if (!l) return GANG_ENOMEM;
	if (alloc_mix(s->row, &l->mix)) {
		gang_unmap(l, alloc_larson_bytes(s->threads));
		return GANG_EINVAL;
	}
	l->threads = s->threads;
	l->every = every;
	for (int t = 0; t < s->threads; t++) {
		l->seat[t].seed = t + 1;
		l->seat[t].mine = &l->seat[t].sets[0];
		l->seat[t].offered = &l->seat[t].sets[1];
	}
	*state = l;
	return 0;
}

int alloc_larson_sit(void *state, int t)
{
	struct larson *l = state;
	struct seat *s = &l->seat[t];
	for (int i = 0; i < 2 * LIVE; i++)
		if (!(s->sets[i / LIVE].live[i % LIVE] = alloc_block(&l->mix, gang_random(&s->seed))))
			return GANG_ENOMEM;
	return 0;
}

/* Another thread's offer for ours; a different thread each time. */
static struct set *alloc_larson_exchange(struct larson *l, int t, struct set *mine)
{
	struct seat *other = &l->seat[(t + ++l->seat[t].rounds) % l->threads];
	return __atomic_exchange_n(&other->offered, mine, __ATOMIC_ACQ_REL);
}

int alloc_larson_op(void *state, int t, unsigned long n)
{
	struct larson *l = state;
	struct seat *s = &l->seat[t];
	struct set *mine = s->mine;
	unsigned long left = l->every;
	for (unsigned long i = 0; i < n; i++) {
		uint64_t random = gang_random(&s->seed);
		struct block **slot = &mine->live[random % LIVE];
		s->torn += alloc_block_torn(&l->mix, *slot);
		free(*slot);
		if (!(*slot = alloc_block(&l->mix, random))) return GANG_ENOMEM;
		if (--left) continue;
		left = l->every;
		mine = alloc_larson_exchange(l, t, mine);
	}
	s->mine = mine;
	s->done += n;
	return 0;
}

/* Where the blocks ended depends on who met whom; what each thread drew does not. */
int alloc_larson_check(void *state, unsigned long n, uint64_t *digest)
{
	struct larson *l = state;
	unsigned long done = 0, torn = 0, rounds = 0, due = 0;
	*digest = GANG_DIGEST;
	for (int t = 0; t < l->threads; t++) {
		struct seat *s = &l->seat[t];
		done += s->done;
		torn += s->torn;
		rounds += s->rounds;
		due += s->done / l->every;
		*digest = gang_digest(*digest, s->seed);
	}
	return done == n && rounds == due && !torn ? 0 : GANG_EWRONG;
}

void alloc_larson_free(void *state)
{
	struct larson *l = state;
	for (int t = 0; t < l->threads; t++)
		for (int i = 0; i < 2 * LIVE; i++) free(l->seat[t].sets[i / LIVE].live[i % LIVE]);
	gang_unmap(l, alloc_larson_bytes(l->threads));
}
