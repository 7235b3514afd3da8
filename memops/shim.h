/*
 * What the memory and string functions cost.  Each kernel is new, op, check
 * and free as internal/gang/gang.h says.  Functions that do one kind of work
 * share new and check, memops_<family>_..., and free; op is the loop of one
 * function.  table.c lists the rows.
 *
 * Keys of all rows: size= is the bytes of one op, and dst=, src=, a= and b=
 * are how far behind the start of a page a buffer begins, so that they also
 * say how buffers lie to each other modulo 4096.
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

/* gcc 12 calls memcmp where the source says bcmp; under another name it has to call what is asked for. */
int memops_bcmp(const void *, const void *, size_t) __asm__("bcmp");

#define FAMILY(f) \
	int memops_##f##_new(const struct shape *, void **); \
	int memops_##f##_check(void *, unsigned long, uint64_t *)
#define OP(f) int memops_##f##_op(void *, int, unsigned long)

/* Copies size= bytes to a buffer of their own (disjoint from the source). */
FAMILY(copy);
OP(memcpy);

/* The same with the lengths of a seeded table, sizes=FIRST..LAST, all equally likely. */
FAMILY(mixed);
OP(mixed);

/*
 * Moves size= bytes by= bytes up or down in place.  Buffers overlap where by
 * is less than size.
 */
FAMILY(move);
OP(memmove);

/* Sets size= bytes to byte=. */
FAMILY(fill);
OP(memset);

/* Compares size= bytes of two buffers that are equal, differ=none. */
FAMILY(compare);
OP(memcmp);
OP(bcmp);

/*
 * Searches size= bytes for a byte that comes right behind them: what ends
 * strlen's string, and is absent, needle=absent, for memchr.
 */
FAMILY(scan);
OP(memchr);
OP(strlen);

/* The bytes that ops work on begin at at; from and to are the ends of the guards round them. */
struct buffer {
	unsigned char *at, *from, *to, guard;
};

/* The state of each kernel, or the beginning of it. */
struct memops {
	size_t bytes, size;
	struct buffer dst, src;
	unsigned long done;
	uint64_t each, sum;	/* what each op should return, as a number; what all did */
	int (*op)(void *, int, unsigned long);	/* what ran; 0 if nothing did */
};

/* A state of at least so many bytes, whose buffers begin where the row's keys of these names say. */
struct memops *memops_map(const struct shape *, size_t state, size_t size, const char *dst, const char *src);
void memops_free(void *);

/* Makes the first n bytes text and all others guards, and tells whether they are. */
void memops_write(const struct buffer *, size_t n);
int memops_holds(const struct buffer *, size_t n);

/* What all checks begin with: whether n ops ran and returned what they should. */
int memops_check(struct memops *, unsigned long n, uint64_t *digest);

/* Printable, and no two bytes alike that are 1, 8 or 64 apart. */
static inline unsigned char memops_text(size_t i)
{
	return ' ' + (i * 0x9e3779b97f4a7c15 >> 58);
}

/* What all ops end with. */
static inline int memops_ran(struct memops *m, int (*op)(void *, int, unsigned long), unsigned long n, uint64_t sum)
{
	m->op = op;
	m->done += n;
	m->sum += sum;
	return 0;
}

extern const struct kernel memops_kernels[];

#endif
