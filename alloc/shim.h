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
void free(void *);

#define KERNEL(k) \
	int k##_new(const struct shape *, void **); \
	int k##_op(void *, int, unsigned long); \
	int k##_check(void *, unsigned long, uint64_t *); \
	void k##_free(void *)

/* malloc and free of one size at once, size= bytes, while live= blocks of that size stay allocated. */
KERNEL(alloc_pair);
int alloc_pair_sit(void *, int);

/* Frees a random one of live= blocks and allocates one of a random size in its place. */
KERNEL(alloc_replace);
int alloc_replace_sit(void *, int);

/* Grows one block from 64 bytes to to= bytes by doubling, and frees it. */
KERNEL(alloc_grow);

/* calloc and free of size= bytes of which only the first and the last are touched. */
KERNEL(alloc_calloc);

extern const struct kernel alloc_kernels[];

#endif
