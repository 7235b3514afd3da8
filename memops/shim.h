/*
 * What the memory and string functions cost.  Each kernel is new, op, check
 * and free as internal/gang/gang.h says.  Functions of one kind share new and
 * check, memops_<family>_..., and all share free; the op is the function's
 * own loop.  table.c lists the rows.
 *
 * size= is the bytes of one op.  dst=, src=, a= and b= say how many bytes
 * behind the start of a page a buffer begins: its alignment, the pages that it
 * crosses, and how two buffers lie to each other modulo 4096; both= says it for
 * the two.  All of it is written before the clock starts, since a page that
 * was never written reads the one zero page.
 *
 * dep=chain: an op waits for the result of the one before, as where the answer
 * decides what comes next.  Without dep= no op waits: dep=none.
 */
#ifndef LIBCOST_MEMOPS_SHIM_H
#define LIBCOST_MEMOPS_SHIM_H

#include "gang.h"

void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *memrchr(const void *, int, size_t);
void *memmem(const void *, size_t, const void *, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcasecmp(const char *, const char *);
char *strchr(const char *, int);
char *strrchr(const char *, int);
size_t strcspn(const char *, const char *);
size_t strspn(const char *, const char *);
char *strpbrk(const char *, const char *);
char *strstr(const char *, const char *);
char *strcpy(char *, const char *);
char *stpcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
void *malloc(size_t);
void free(void *);

/* gcc 12 calls memcmp where the source says bcmp, but not if it does not see the name. */
int memops_bcmp(const void *, const void *, size_t) __asm__("bcmp");

/* Hidden, so that addresses and calls are the same code with -fPIC, which cgo adds, and without. */
#pragma GCC visibility push(hidden)

#define FAMILY(f) \
	int memops_##f##_new(const struct shape *, void **); \
	int memops_##f##_check(void *, unsigned long, uint64_t *)
#define OP(f) int memops_##f##_op(void *, int, unsigned long)

/* Copies size= bytes between two buffers. */
FAMILY(copy);
OP(memcpy);
OP(memcpy_chain);

/*
 * The same with lengths of a seeded table of 4096: sizes=FIRST..LAST, each as
 * likely as the next, or sizes=fleet, as copies are at Google.  Small calls of
 * mixed size are what programs mostly do.
 */
FAMILY(mixed);
OP(mixed);
OP(mixed_memmove);
FAMILY(mixed_fill);
OP(mixed_memset);
FAMILY(mixed_compare);
OP(mixed_memcmp);

/* Moves size= bytes within one buffer, by= bytes up or down.  They overlap where by is less than size. */
FAMILY(move);
OP(memmove);

/* Sets size= bytes to byte=. */
FAMILY(fill);
OP(memset);

/* Compares size= bytes; the differ= one, the first, middle or last, differs, or none: then all have to be read. */
FAMILY(compare);
OP(memcmp);
OP(memcmp_chain);
OP(bcmp);
OP(strncmp);

/* The same with strings of size= bytes; case=other: the letters of the second are small, of the first are not. */
FAMILY(order);
OP(strcmp);
OP(strcmp_chain);
OP(strcasecmp);

/*
 * Looks through size= bytes for one that comes right behind them: the end of
 * strlen's string, and out of the sight of memchr, memrchr and strnlen.
 */
FAMILY(scan);
OP(memchr);
OP(memchr_chain);
OP(memrchr);
OP(strlen);
OP(strlen_chain);
OP(strnlen);

/*
 * Looks through a string of size= bytes for a letter, or for one of set=
 * letters, that is not in it; strspn for one that is not among the set= that
 * the string is made of.
 */
FAMILY(string);
OP(strchr);
OP(strrchr);
OP(strcspn);
OP(strspn);
OP(strpbrk);

/*
 * Looks through size= bytes for length= that are not there.  needle=absent:
 * only the last of them is nowhere; rare: only the first; repeated: all bytes
 * are the same but the needle's last, the worst case of a simple search.
 */
FAMILY(find);
OP(memmem);
OP(strstr);

/*
 * Copies a string of size= bytes; strcat behind prefix= others; strncpy, asked
 * for size= bytes, one that is as long or, length=half, half as long.
 */
FAMILY(strcopy);
OP(strcpy);
OP(stpcpy);
OP(strncpy);
OP(strcat);

/*
 * size= bytes at a time, each op elsewhere in a working set that just fits
 * into cache=L1, L2 or LLC, or, cold, into none.  The place jumps, so that no
 * prefetcher guesses it; the misses of the TLB are part of that.
 */
FAMILY(ring);
OP(ring_memcpy);
OP(ring_memset);
OP(ring_memcmp);
OP(ring_memchr);
size_t memops_ring_need(const struct shape *);

/* Call sites.  Inserts an element of 8 bytes in front of a full vector of size= bytes. */
FAMILY(insert);
OP(insert);

/* Compares two of 1024 keys of size= bytes, the first prefix=16 of which are the same in all. */
FAMILY(keys);
OP(keys);

/* Takes memory for a string of size= bytes, copies it there, and gives it back. */
FAMILY(clone);
OP(clone);

/* Splits a line of size= bytes at its commas; fields are field= bytes long on average. */
FAMILY(split);
OP(split_memchr);
OP(split_strcspn);

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
size_t memops_need(const struct shape *);

/* by=, where half is half the size. */
size_t memops_by(const char *row, size_t size);

/* Writes n bytes of text with guards round it, and tells whether a buffer holds just that. */
void memops_write(const struct buffer *, size_t n);
int memops_holds(const struct buffer *, size_t n);

/* Byte i of the text: printable, and never the same 1, 8 or 64 bytes further on. */
static inline unsigned char memops_text(size_t i)
{
	return ' ' + (i * 0x9e3779b97f4a7c15 >> 58);
}

/* What no search finds counts as this: no place, nor the one before the first. */
enum { ABSENT = -2 };

/* What a comparison counts: of equals, and where the first is less.  Where it is greater, nothing. */
enum { EQUAL = 1, LESS = 3 };

static inline uint64_t memops_order(int order)
{
	return order < 0 ? LESS : !order;
}

/* Greater than any byte of a text, of which it is none. */
enum { MARK = '~' };

/* How every op ends. */
static inline int memops_ran(struct memops *m, int (*op)(void *, int, unsigned long), uint64_t sum)
{
	m->op = op;
	m->sum += sum;
	return 0;
}

/* How every check begins: whether n ops ran and counted what they should. */
int memops_check(struct memops *, unsigned long n, uint64_t *digest);

#pragma GCC visibility pop

extern const struct kernel memops_kernels[];

#endif
