#include "shim.h"

enum { GROWERS = 64, CHUNKS = 256 };

struct append {
	size_t to, chunk;
	int doubling, used;
	unsigned growers;
	unsigned long done, torn;
	struct buffer {
		unsigned char *at;
		size_t size, room;
	} buffer[GROWERS];
};

/* A buffer that moves is there twice for a moment. */
size_t alloc_append_need(const struct shape *s)
{
	size_t to = gang_num(s->row, "to", 0);
	return to * (gang_num(s->row, "growers", 0) + 1);
}

int alloc_append_new(const struct shape *s, void **state)
{
	unsigned growers = gang_num(s->row, "growers", 0);
	size_t to = gang_num(s->row, "to", 0);
	if (!growers || growers > GROWERS || !to || to % CHUNKS) return GANG_EINVAL;
	struct append *a = gang_map(sizeof *a);
	if (!a) return GANG_ENOMEM;
	a->to = to;
	a->chunk = to / CHUNKS;
	a->doubling = gang_is(s->row, "step", "double");
	a->growers = growers;
	a->used = gang_is(s->row, "heap", "used");
	*state = a;
	return 0;
}

/*
 * glibc's mmap threshold rises to the largest mapped block that was freed, as
 * far as 32 MiB; buffers below it lie in the heap from then on, and are copied.
 */
int alloc_append_sit(void *state, int t)
{
	struct append *a = state;
	size_t size = a->to;
	if (!a->used) return 0;
	LAUNDER(size);
	void *block = malloc(size);
	LAUNDER(block);
	if (!block) return GANG_ENOMEM;
	free(block);
	return 0;
}

/* Each chunk ends with the number of its buffer. */
static unsigned long alloc_append_torn(const struct buffer *b, size_t chunk, unsigned char number)
{
	unsigned long torn = 0;
	for (size_t end = chunk; end <= b->size; end += chunk) torn += b->at[end - 1] != number;
	return torn;
}

static int alloc_append_room(struct buffer *b, size_t size)
{
	LAUNDER(size);
	unsigned char *at = realloc(b->at, size);
	LAUNDER(at);
	if (!at) return GANG_ENOMEM;
	b->at = at;
	b->room = size;
	return 0;
}

int alloc_append_op(void *state, int t, unsigned long n)
{
	struct append *a = state;
	size_t chunk = a->chunk;
	for (unsigned long i = 0; i < n; i++) {
		unsigned which = a->done % a->growers;
		struct buffer *b = &a->buffer[which];
		if (b->size == b->room && alloc_append_room(b, a->doubling && b->room ? 2 * b->room : b->room + chunk))
			return GANG_ENOMEM;
		for (size_t at = 0; at < chunk; at += PAGE) b->at[b->size + at] = which;
		b->size += chunk;
		b->at[b->size - 1] = which;
		a->done++;
		if (b->size < a->to) continue;
		a->torn += alloc_append_torn(b, chunk, which);
		free(b->at);
		*b = (struct buffer){0};
	}
	return 0;
}

int alloc_append_check(void *state, unsigned long n, uint64_t *digest)
{
	struct append *a = state;
	unsigned long held = 0;
	for (unsigned i = 0; i < a->growers; i++) {
		a->torn += alloc_append_torn(&a->buffer[i], a->chunk, i);
		held += a->buffer[i].size / a->chunk;
	}
	*digest = gang_digest(gang_digest(gang_digest(GANG_DIGEST, a->to), a->done), held);
	return a->done == n && (n - held) % CHUNKS == 0 && !a->torn ? 0 : GANG_EWRONG;
}

void alloc_append_free(void *state)
{
	struct append *a = state;
	for (unsigned i = 0; i < a->growers; i++) free(a->buffer[i].at);
	gang_unmap(a, sizeof *a);
}
