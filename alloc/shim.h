/*
 * What the allocator costs.  Each kernel is new, op, check and free as
 * internal/gang/gang.h says; the table at the end of table.c lists the rows.
 */
#ifndef LIBCOST_ALLOC_SHIM_H
#define LIBCOST_ALLOC_SHIM_H

#include "gang.h"

void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
void free(void *);

enum { PAGE = 4096 };

#define KERNEL(k) \
	int k##_new(const struct shape *, void **); \
	int k##_op(void *, int, unsigned long); \
	int k##_check(void *, unsigned long, uint64_t *); \
	void k##_free(void *)

/*
 * malloc and free of one size at once, size= bytes, while live= blocks of that
 * size stay allocated, and other= blocks of four times the size: of another class.
 */
KERNEL(alloc_pair);
int alloc_pair_sit(void *, int);
size_t alloc_pair_need(const struct shape *);
/* The same with aligned_alloc, align= bytes. */
int alloc_pair_aligned_op(void *, int, unsigned long);
/* The same with a byte written in each page in between; an op is a page. */
int alloc_pair_touched_op(void *, int, unsigned long);

/* Allocates count= blocks, then frees them in order=: the newest first (lifo), the oldest (fifo), random. */
KERNEL(alloc_batch);

/*
 * Frees a random one of live= blocks and allocates one of a random size in its
 * place.  sizes= and law= as alloc_mix has them.
 */
KERNEL(alloc_replace);
int alloc_replace_sit(void *, int);
size_t alloc_replace_need(const struct shape *);

/*
 * The same, and after every= ops the thread gives its live= blocks away and
 * takes those of another: most blocks are freed by a thread that didn't allocate
 * them.  Each thread brings two such sets, so that nobody waits for one.
 */
KERNEL(alloc_larson);
int alloc_larson_sit(void *, int);
size_t alloc_larson_need(const struct shape *);

/*
 * Thread 0 allocates blocks= blocks, and the thread that free= names frees them,
 * other or same; over and over.  Only the phase= alloc or free is timed: an op
 * is a malloc, or a free.  The blocks are written between the two.
 */
KERNEL(alloc_remote);
size_t alloc_remote_need(const struct shape *);

/* Grows one block from 64 bytes to to= bytes by doubling, and frees it. */
KERNEL(alloc_grow);

/*
 * Appends a chunk, a 256th of to=, to one of growers= buffers in turn, and frees
 * a buffer that has become to= bytes long.  step=chunk reallocates each time,
 * step=double when the buffer is full.  A byte of each new page is written.
 * heap=used: a block of to= bytes was freed before.
 */
KERNEL(alloc_append);
int alloc_append_sit(void *, int);
size_t alloc_append_need(const struct shape *);

/* Allocates and writes from= bytes, halves them with realloc down to 64, and frees. */
KERNEL(alloc_shrink);

/* calloc and free of size= bytes of which the first and the last are touched, or one in each page. */
KERNEL(alloc_calloc);

/*
 * Frees what the op before has left, allocates and writes blocks= blocks of
 * sizes=, and frees none, all, or all but one in 50 (scattered).  The value is
 * the memory that the process then holds, once its threads have ended.
 */
KERNEL(alloc_resident);
double alloc_resident_value(void *);
size_t alloc_resident_need(const struct shape *);

extern const struct kernel alloc_kernels[];

#endif
