#include "shim.h"

enum { PAGE = 4096, GUARD = 64 };

static size_t memops_pages(size_t bytes)
{
	return (bytes + PAGE - 1) & -PAGE;
}

/* size=, or the LAST of sizes=FIRST..LAST. */
static size_t memops_largest(const char *row)
{
	const char *s = gang_key(row, "size");
	size_t n = 0;
	if (!s) s = gang_key(row, "sizes");
	for (; s && *s && *s != '/'; s++) n = *s == '.' ? 0 : 10 * n + *s - '0';
	return n;
}

/* Wherever dst and src go to, and by= bytes beyond, there are GUARD bytes more on either side. */
struct memops *memops_map(const struct shape *s, size_t state, const char *dst, const char *src)
{
	size_t size = memops_largest(s->row), by = gang_num(s->row, "by", 0);
	size_t before = memops_pages(GUARD + by);
	size_t buffer = before + memops_pages(PAGE + size + by + GUARD);
	size_t bytes = memops_pages(state) + 2 * buffer;
	unsigned char *p = gang_map(bytes);
	if (!p) return 0;

	struct memops *m = (void *)p;
	m->bytes = bytes;
	m->size = size;
	m->each = 1;
	m->dst.from = p + memops_pages(state);
	m->dst.to = m->src.from = m->dst.from + buffer;
	m->src.to = m->src.from + buffer;
	m->dst.at = m->dst.from + before + gang_num(s->row, dst, 0) % PAGE;
	m->src.at = m->src.from + before + gang_num(s->row, src, 0) % PAGE;
	m->dst.guard = 0xdd;
	m->src.guard = 0xcc;
	return m;
}

void memops_free(void *state)
{
	struct memops *m = state;
	gang_unmap(m, m->bytes);
}

static unsigned char memops_byte(const struct buffer *b, const unsigned char *p, size_t n)
{
	size_t i = p - b->at;
	return i < n ? memops_text(i) : b->guard;
}

void memops_write(const struct buffer *b, size_t n)
{
	for (unsigned char *p = b->from; p < b->to; p++) *p = memops_byte(b, p, n);
}

int memops_holds(const struct buffer *b, size_t n)
{
	for (const unsigned char *p = b->from; p < b->to; p++)
		if (*p != memops_byte(b, p, n)) return 0;
	return 1;
}

int memops_check(struct memops *m, unsigned long n, uint64_t *digest)
{
	*digest = gang_digest(gang_digest(GANG_DIGEST, m->size), m->sum);
	return m->sum == n * m->each ? 0 : GANG_EWRONG;
}
