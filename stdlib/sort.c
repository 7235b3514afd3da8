#include "shim.h"

/* Arrays of a batch: as many as fit in BATCH bytes, so that the copies stay in a second-level cache. */
enum { BATCH = 256 << 10, FEW = 8, MOST = 64 };

struct sort {
	struct stdlib s;
	size_t elements, size;
	unsigned long batch;
	uint64_t keys;		/* digest of the source's numbers, whatever their order */
	unsigned char *source, *copies;
};

static uint64_t stdlib_sort_key(const unsigned char *p, size_t size)
{
	return size == 4 ? *(const unsigned *)p : *(const uint64_t *)p;
}

static int stdlib_sort_compare4(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

static int stdlib_sort_compare8(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The bytes behind the number say which it is: what is moved is moved whole. */
static void stdlib_sort_put(unsigned char *p, size_t size, uint64_t key)
{
	if (size == 4) *(unsigned *)p = key;
	else for (size_t i = 0; i < size; i += 8) *(uint64_t *)(p + i) = key * (i + 1);
}

static int stdlib_sort_whole(const unsigned char *p, size_t size)
{
	uint64_t key = stdlib_sort_key(p, size);
	for (size_t i = 8; i < size; i += 8)
		if (*(const uint64_t *)(p + i) != key * (i + 1)) return 0;
	return 1;
}

static uint64_t stdlib_sort_mix(uint64_t key)
{
	return gang_random(&key);
}

static uint64_t stdlib_sort_pick(const char *row, size_t i, size_t elements, uint64_t *seed)
{
	int bits = gang_num(row, "size", 8) == 4 ? 32 : 64;
	if (gang_is(row, "order", "sorted")) return 2 * i;
	if (gang_is(row, "order", "reversed")) return 2 * (elements - i);
	uint64_t key = gang_random(seed) >> (64 - bits);
	return gang_is(row, "order", "few") ? key % FEW : key;
}

int stdlib_sort_new(const struct shape *s, void **state)
{
	size_t elements = gang_num(s->row, "elements", 1), size = gang_num(s->row, "size", 8);
	size_t array = elements * size, batch = BATCH / array;
	uint64_t seed = 1;
	batch = batch < 1 ? 1 : batch > MOST ? MOST : batch;
	struct sort *q = stdlib_map(sizeof *q + 64 + array * (1 + batch));
	if (!q) return GANG_ENOMEM;
	q->elements = elements;
	q->size = size;
	q->batch = batch;
	q->source = (unsigned char *)q + (sizeof *q + 63) / 64 * 64;
	q->copies = q->source + array;
	for (size_t i = 0; i < elements; i++) {
		uint64_t key = stdlib_sort_pick(s->row, i, elements, &seed);
		stdlib_sort_put(q->source + i * size, size, key);
		q->keys += stdlib_sort_mix(key);
	}
	*state = q;
	return 0;
}

/* Word by word: a copy that is not the function under test. */
static void stdlib_sort_fill(const struct sort *q, unsigned long batch)
{
	size_t words = q->elements * q->size / 4;
	unsigned *to = (unsigned *)q->copies, *from = (unsigned *)q->source;
	for (unsigned long b = 0; b < batch; b++)
		for (size_t i = 0; i < words; i++) {
			LAUNDER(from);
			*to++ = from[i];
		}
}

/* The digest of the array's numbers, 0 if they are out of order or torn. */
static uint64_t stdlib_sort_sorted(const struct sort *q, const unsigned char *array)
{
	uint64_t before = 0, keys = 0;
	for (size_t i = 0; i < q->elements; i++, array += q->size) {
		uint64_t key = stdlib_sort_key(array, q->size);
		if (key < before || !stdlib_sort_whole(array, q->size)) return 0;
		keys += stdlib_sort_mix(key);
		before = key;
	}
	return keys;
}

int stdlib_qsort_op(void *state, int t, unsigned long n)
{
	struct sort *q = state;
	int (*compare)(const void *, const void *) = q->size == 4 ? stdlib_sort_compare4 : stdlib_sort_compare8;
	size_t array = q->elements * q->size;
	for (unsigned long left = n; left; ) {
		unsigned long batch = left < q->batch ? left : q->batch;
		uint64_t sum = 0;
		stdlib_sort_fill(q, batch);
		gang_resume();
		for (unsigned long b = 0; b < batch; b++) {
			unsigned char *p = q->copies + b * array;
			LAUNDER(p);
			qsort(p, q->elements, q->size, compare);
		}
		gang_pause();
		for (unsigned long b = 0; b < batch; b++)
			sum += stdlib_sort_sorted(q, q->copies + b * array);
		stdlib_ran(&q->s, batch, sum);
		left -= batch;
	}
	return 0;
}

/* A source that was in order would pass without a sort: so is one more op on a source that is not. */
int stdlib_sort_check(void *state, unsigned long n, uint64_t *digest)
{
	struct sort *q = state;
	int err = stdlib_right(&q->s, n, n * q->keys, digest);
	if (err || q->elements < 2) return err;
	uint64_t keys = 0;
	for (size_t i = 0; i < q->elements; i++) {
		stdlib_sort_put(q->source + i * q->size, q->size, (i * 7 + 5) % q->elements ^ 1);
		keys += stdlib_sort_mix((i * 7 + 5) % q->elements ^ 1);
	}
	stdlib_sort_fill(q, 1);
	qsort(q->copies, q->elements, q->size, q->size == 4 ? stdlib_sort_compare4 : stdlib_sort_compare8);
	return stdlib_sort_sorted(q, q->copies) == keys ? 0 : GANG_EWRONG;
}

void stdlib_sort_free(void *state)
{
	gang_unmap(state, ((struct stdlib *)state)->bytes);
}
