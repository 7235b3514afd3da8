#include "shim.h"

/* What programs do round the functions, as one op. */

struct insert {
	struct memops m;
	uint64_t next;
};

int memops_insert_new(const struct shape *s, void **state)
{
	struct insert *v = (void *)memops_map(s, sizeof *v, "dst", "src");
	if (!v) return GANG_ENOMEM;
	memops_write(&v->m.dst, v->m.size);
	*state = v;
	return 0;
}

int memops_insert_op(void *state, int t, unsigned long n)
{
	struct insert *v = state;
	uint64_t *first = (uint64_t *)v->m.dst.at, right = 0;
	size_t size = v->m.size - sizeof *first;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		uint64_t *p = memmove(first + 1, first, size);
		LAUNDER(p);
		right += p == first + 1;
		*first = v->next++;
	}
	return memops_ran(&v->m, memops_insert_op, right);
}

/* The elements count down from the newest, and behind them lies what is left of the text. */
int memops_insert_check(void *state, unsigned long n, uint64_t *digest)
{
	struct insert *v = state;
	struct memops *m = &v->m;
	uint64_t *first = (uint64_t *)m->dst.at;
	size_t elements = m->size / sizeof *first, new = n < elements ? n : elements;
	int err = memops_check(m, n, digest);
	for (size_t i = 0; i < new; i++)
		if (first[i] != n - 1 - i) err = GANG_EWRONG;
	for (size_t i = 8 * new; i < m->size; i++)
		if (m->dst.at[i] != memops_text(i - 8 * new)) err = GANG_EWRONG;
	for (const unsigned char *p = m->dst.from; p < m->dst.to; p++)
		if ((size_t)(p - m->dst.at) >= m->size && *p != m->dst.guard) err = GANG_EWRONG;
	return err;
}

enum { KEYS = 1024, LONGEST = 64 };

struct keys {
	struct memops m;
	unsigned long next;
	unsigned short pair[KEYS][2];
	unsigned char key[KEYS][LONGEST];
};

/* Behind the prefix a number, its first byte last: most pairs differ in a byte that is not the first behind it. */
int memops_keys_new(const struct shape *s, void **state)
{
	struct keys *k = (void *)memops_map(s, sizeof *k, "a", "b");
	size_t prefix = gang_num(s->row, "prefix", 0);
	uint64_t seed = 1;
	if (!k) return GANG_ENOMEM;
	for (int i = 0; i < KEYS; i++) {
		k->pair[i][0] = gang_random(&seed) % KEYS;
		k->pair[i][1] = i % 8 ? gang_random(&seed) % KEYS : k->pair[i][0] ^ 1;
		for (size_t at = 0; at < k->m.size; at++) k->key[i][at] = at < prefix ? memops_text(at) : 0;
		k->key[i][k->m.size - 2] = i >> 8;
		k->key[i][k->m.size - 1] = i;
	}
	*state = k;
	return 0;
}

int memops_keys_op(void *state, int t, unsigned long n)
{
	struct keys *k = state;
	size_t size = k->m.size;
	uint64_t sum = 0;
	for (unsigned long i = k->next, end = i + n; i < end; i++) {
		const unsigned short *pair = k->pair[i % KEYS];
		LAUNDER(size);
		int order = memcmp(k->key[pair[0]], k->key[pair[1]], size);
		LAUNDER(order);
		sum += 1 + memops_order(order);
	}
	k->next += n;
	return memops_ran(&k->m, memops_keys_op, sum);
}

/* The order of the keys is the order of their numbers.  The next ones, as many as there are pairs, are looked at too. */
int memops_keys_check(void *state, unsigned long n, uint64_t *digest)
{
	struct keys *k = state;
	uint64_t want = 0;
	*digest = gang_digest(gang_digest(GANG_DIGEST, k->m.size), k->m.sum);
	if (k->next != n || !k->m.op) return GANG_EWRONG;
	k->m.op(k, 0, KEYS);
	for (unsigned long i = 0; i < k->next; i++)
		want += 1 + memops_order(k->pair[i % KEYS][0] - k->pair[i % KEYS][1]);
	return k->m.sum == want ? 0 : GANG_EWRONG;
}

int memops_clone_new(const struct shape *s, void **state)
{
	struct memops *m = memops_map(s, sizeof *m, "dst", "src");
	if (!m) return GANG_ENOMEM;
	memops_write(&m->src, m->size);
	m->each = m->src.at[0] + m->src.at[m->size - 1];
	*state = m;
	return 0;
}

int memops_clone_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	const unsigned char *src = m->src.at;
	size_t size = m->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		unsigned char *p = malloc(size);
		LAUNDER(p);
		if (!p) return *__errno_location();
		unsigned char *q = memcpy(p, src, size);
		LAUNDER(q);
		sum += q[0] + q[size - 1];
		/* Else the next clone, in the same place, would be right without a copy. */
		q[0] = q[size - 1] = 0;
		LAUNDER(q);
		free(q);
	}
	return memops_ran(m, memops_clone_op, sum);
}

int memops_clone_check(void *state, unsigned long n, uint64_t *digest)
{
	return memops_check(state, n, digest);
}

struct split {
	struct memops m;
	char comma[2];
};

/* What a field adds: its place and its length decide. */
static inline uint64_t memops_field(uint64_t sum, size_t length)
{
	return sum * 31 + length + 1;
}

/*
 * For those who look too late or too far there is a comma at the first byte
 * and behind the line; for those who stop too early, at memchr's last byte and
 * not at strcspn's.
 */
int memops_split_new(const struct shape *s, void **state)
{
	struct split *p = (void *)memops_map(s, sizeof *p, "dst", "src");
	size_t field = gang_num(s->row, "field", 8), length = 0;
	uint64_t seed = 1, each = 0;
	if (!p) return GANG_ENOMEM;
	unsigned char *line = p->m.src.at;
	size_t size = p->m.size, comma = 0;
	int string = gang_is(s->row, "with", "strcspn");
	p->comma[0] = ',';
	for (size_t i = 0; i < size; i++) {
		line[i] = (i < size - 1 ? i == comma : !string) ? ',' : 'a' + i % 26;
		if (line[i] != ',') {
			length++;
			continue;
		}
		each = memops_field(each, length);
		length = 0;
		comma = i + 1 + gang_random(&seed) % (2 * field);
	}
	p->m.each = memops_field(each, length);
	line[size] = string ? 0 : ',';
	line[size + 1] = 0;
	*state = p;
	return 0;
}

static uint64_t memops_split_line_memchr(const unsigned char *line, size_t size)
{
	const unsigned char *end = line + size;
	uint64_t sum = 0;
	for (;;) {
		size_t left = end - line;
		LAUNDER(left);
		unsigned char *comma = memchr(line, ',', left);
		LAUNDER(comma);
		if (!comma || comma >= end) return memops_field(sum, left);
		sum = memops_field(sum, comma - line);
		line = comma + 1;
	}
}

int memops_split_memchr_op(void *state, int t, unsigned long n)
{
	struct memops *m = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) sum += memops_split_line_memchr(m->src.at, m->size);
	return memops_ran(m, memops_split_memchr_op, sum);
}

static uint64_t memops_split_line_strcspn(const char *line, const char *end, const char *comma)
{
	uint64_t sum = 0;
	for (;;) {
		LAUNDER(line);
		size_t length = strcspn(line, comma);
		LAUNDER(length);
		sum = memops_field(sum, length);
		if (length >= (size_t)(end - line)) return sum;
		line += length + 1;
	}
}

int memops_split_strcspn_op(void *state, int t, unsigned long n)
{
	struct split *p = state;
	const char *line = (const char *)p->m.src.at, *end = line + p->m.size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) sum += memops_split_line_strcspn(line, end, p->comma);
	return memops_ran(&p->m, memops_split_strcspn_op, sum);
}

int memops_split_check(void *state, unsigned long n, uint64_t *digest)
{
	return memops_check(state, n, digest);
}
