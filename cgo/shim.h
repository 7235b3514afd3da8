/*
 * What a call costs that does nothing, in C and from Go to C.  Each kernel is
 * new, op, check and free as internal/gang/gang.h says; table.c lists the
 * rows.  Those with batch= are called from a loop in Go, batch= ops a call.
 */
#ifndef LIBCOST_CGO_SHIM_H
#define LIBCOST_CGO_SHIM_H

#include "gang.h"

void *memcpy(void *, const void *, size_t);

/* In Go: adds one. */
void cgo_back(unsigned long *);

/* The floors share their state, a count of the ops. */
int cgo_floor_new(const struct shape *, void **);
int cgo_floor_check(void *, unsigned long, uint64_t *);
void cgo_floor_free(void *);

/* One turn of an empty loop. */
int cgo_empty_op(void *, int, unsigned long);

/* A call of an empty function. */
int cgo_call_op(void *, int, unsigned long);

/* The same by pointer. */
int cgo_pointer_op(void *, int, unsigned long);

/* A call from Go of a C function that only counts. */
int cgo_nop_op(void *, int, unsigned long);

/* A call from C of a Go function that only counts. */
int cgo_callback_op(void *, int, unsigned long);

/* memcpy of size= bytes, batch= of them with each call from Go. */
int cgo_copy_new(const struct shape *, void **);
int cgo_copy_op(void *, int, unsigned long);
int cgo_copy_check(void *, unsigned long, uint64_t *);
void cgo_copy_free(void *);

extern const struct kernel cgo_kernels[];

#endif
