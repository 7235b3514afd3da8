#include "shim.h"

enum { PAGE = 4096, GUARD = 64 };

static size_t memops_pages(size_t bytes)
{
	return (bytes + PAGE - 1) & -PAGE;
}

/* size=, or the LAST of sizes=FIRST..LAST, or the fleet's. */
static size_t memops_largest(const char *row)
{
	if (gang_is(row, "sizes", "fleet")) return 4096;
	const char *s = gang_key(row, "size");
	size_t n = 0;
	if (!s) s = gang_key(row, "sizes");
	for (; s && *s && *s != '/'; s++) n = *s == '.' ? 0 : 10 * n + *s - '0';
	return n;
}

size_t memops_by(const char *row, size_t size)
{
	return gang_is(row, "by", "half") ? size / 2 : (size_t)gang_num(row, "by", 0);
}

/* Where in its page a buffer begins. */
static size_t memops_offset(const char *row, const char *key)
{
	return gang_num(row, key, gang_num(row, "both", 0)) % PAGE;
}

/* Wherever dst and src go to, and by= bytes beyond, there are GUARD bytes more on either side. */
struct memops *memops_map(const struct shape *s, size_t state, const char *dst, const char *src)
{
	size_t size = memops_largest(s->row), by = memops_by(s->row, size);
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
	m->dst.at = m->dst.from + before + memops_offset(s->row, dst);
	m->src.at = m->src.from + before + memops_offset(s->row, src);
	m->dst.guard = 0xdd;
	m->src.guard = 0xcc;
	return m;
}

void memops_free(void *state)
{
	struct memops *m = state;
	gang_unmap(m, m->bytes);
}

size_t memops_need(const struct shape *s)
{
	size_t size = memops_largest(s->row);
	return 2 * (size + memops_by(s->row, size)) + 16 * PAGE;
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
