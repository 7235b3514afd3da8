#include "shim.h"

/* elf(5), as far as finding a symbol needs it. */
enum { PT_LOAD = 1, PT_DYNAMIC = 2, DT_HASH = 4, DT_STRTAB = 5, DT_SYMTAB = 6, DT_GNU_HASH = 0x6ffffef5, UNDEFINED = 0,
	LARGEST = 64 << 20 };

struct header {
	unsigned char ident[16];
	unsigned short type, machine;
	unsigned version;
	uint64_t entry, segments, sections;
	unsigned flags;
	unsigned short size, segment_size, segment_count;
};
struct segment {
	unsigned type, flags;
	uint64_t offset, at, physical, in_file, in_memory, align;
};
struct entry { int64_t tag; uint64_t value; };
struct symbol {
	unsigned name;
	unsigned char info, other;
	unsigned short section;
	uint64_t value, size;
};

struct image {
	const struct header *header;
	const char *base;	/* address 0 of the image */
	const struct entry *dynamic;
};

static void syscalls_symbol_read(struct image *im, const struct header *h)
{
	const char *at = (const char *)h + h->segments;
	const struct segment *dynamic = 0;
	im->header = h;
	im->base = (const char *)h;
	for (int i = 0; i < h->segment_count; i++, at += h->segment_size) {
		const struct segment *s = (const void *)at;
		if (s->type == PT_LOAD && !s->offset) im->base -= s->at;
		if (s->type == PT_DYNAMIC) dynamic = s;
	}
	im->dynamic = dynamic ? (const void *)(im->base + dynamic->at) : 0;
}

/* glibc makes addresses of its own tables' places: those in the image itself are. */
static const void *syscalls_symbol_table(const struct image *im, int64_t tag)
{
	for (const struct entry *e = im->dynamic; e->tag; e++) {
		if (e->tag != tag) continue;
		return e->value - (uint64_t)im->header < LARGEST ? (const void *)e->value : im->base + e->value;
	}
	return 0;
}

/* A table of chains, each of which begins in a bucket and ends with an odd word. */
static unsigned syscalls_symbol_gnu_count(const unsigned *hash)
{
	unsigned buckets = hash[0], first = hash[1], words = hash[2], last = 0;
	const unsigned *bucket = hash + 4 + 2 * words;
	const unsigned *chain = bucket + buckets;
	for (unsigned i = 0; i < buckets; i++)
		if (bucket[i] > last) last = bucket[i];
	if (last < first) return 0;
	while (!(chain[last - first] & 1)) last++;
	return last + 1;
}

/* How many symbols there are, only the tables of their hashes tell. */
static unsigned syscalls_symbol_count(const struct image *im)
{
	const unsigned *hash = syscalls_symbol_table(im, DT_HASH);
	if (hash) return hash[1];
	hash = syscalls_symbol_table(im, DT_GNU_HASH);
	return hash ? syscalls_symbol_gnu_count(hash) : 0;
}

static int syscalls_symbol_equal(const char *a, const char *b)
{
	while (*a && *a == *b) a++, b++;
	return *a == *b;
}

const void *syscalls_symbol(const void *header, const char *name)
{
	struct image im;
	if (!header) return 0;
	syscalls_symbol_read(&im, header);
	if (!im.dynamic) return 0;
	const struct symbol *symbols = syscalls_symbol_table(&im, DT_SYMTAB);
	const char *names = syscalls_symbol_table(&im, DT_STRTAB);
	unsigned n = symbols && names ? syscalls_symbol_count(&im) : 0;
	for (unsigned i = 0; i < n; i++)
		if (symbols[i].section != UNDEFINED && syscalls_symbol_equal(names + symbols[i].name, name))
			return im.base + symbols[i].value;
	return 0;
}
