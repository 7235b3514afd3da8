/*
 * What the memory and string functions cost.  Each kernel is new, op, check
 * and free as internal/gang/gang.h says.  Functions of one kind share new and
 * check, memops_<family>_..., and all share free; the op is the function's
 * own loop.  table.c lists the rows.
 *
 * size= is the bytes of one op.  dst=, src=, a= and b= say how many bytes
 * behind the start of a page a buffer begins: its alignment, the pages that it
 * crosses, and how two buffers lie to each other modulo 4096.  All of it is
 * written before the clock starts; no op waits for the result of another.
 */
#ifndef LIBCOST_MEMOPS_SHIM_H
#define LIBCOST_MEMOPS_SHIM_H

#include "gang.h"

void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
size_t strlen(const char *);

/* gcc 12 calls memcmp where the source says bcmp, but not if it does not see the name. */
int memops_bcmp(const void *, const void *, size_t) __asm__("bcmp");

#define FAMILY(f) \
	int memops_##f##_new(const struct shape *, void **); \
	int memops_##f##_check(void *, unsigned long, uint64_t *)
/* Hidden, so that an op takes its own address by the same code with -fPIC, which cgo adds, and without. */
#define OP(f) \
	__attribute__((visibility("hidden"))) int memops_##f##_op(void *, int, unsigned long)

/* Copies size= bytes between two buffers. */
FAMILY(copy);
OP(memcpy);

/*
 * The same with lengths of a seeded table of 4096, sizes=FIRST..LAST, each as
 * likely as the next: small copies of mixed size are what programs mostly do.
 */
FAMILY(mixed);
OP(mixed);

/* Moves size= bytes within one buffer, by= bytes up or down.  They overlap where by is less than size. */
FAMILY(move);
OP(memmove);

/* Sets size= bytes to byte=. */
FAMILY(fill);
OP(memset);

/* Compares size= bytes that are equal, differ=none: all have to be read. */
FAMILY(compare);
OP(memcmp);
OP(bcmp);

/*
 * Looks through size= bytes for one that comes right behind them: the end of
 * strlen's string, and out of memchr's sight, needle=absent.
 */
FAMILY(scan);
OP(memchr);
OP(strlen);

/* The bytes that the ops are about begin at at.  The rest, between from and to, is guards. */
struct buffer {
	unsigned char *at, *from, *to, guard;
};

/* What every kernel's state begins with. */
struct memops {
	size_t bytes, size;
	struct buffer dst, src;
	uint64_t each, sum;	/* what one op should count, 1 unless new says otherwise; what all have counted */
	int (*op)(void *, int, unsigned long);	/* what ran, for check to run once more */
};

/* A state of so many bytes, and its buffers where the row's keys of these names want them. */
struct memops *memops_map(const struct shape *, size_t state, const char *dst, const char *src);
void memops_free(void *);

/* Writes n bytes of text with guards round it, and tells whether a buffer holds just that. */
void memops_write(const struct buffer *, size_t n);
int memops_holds(const struct buffer *, size_t n);

/* Byte i of the text: printable, and never the same 1, 8 or 64 bytes further on. */
static inline unsigned char memops_text(size_t i)
{
	return ' ' + (i * 0x9e3779b97f4a7c15 >> 58);
}

/* How every op ends. */
static inline int memops_ran(struct memops *m, int (*op)(void *, int, unsigned long), uint64_t sum)
{
	m->op = op;
	m->sum += sum;
	return 0;
}

/* How every check begins: whether n ops ran and counted what they should. */
int memops_check(struct memops *, unsigned long n, uint64_t *digest);

extern const struct kernel memops_kernels[];

#endif
