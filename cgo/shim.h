/*
 * What the way from Go to C costs and back, beside calls within C.  Each kernel
 * is new, op, check and free as internal/gang/gang.h says; table.c lists the
 * rows.  Those with batch= are called from a loop in Go, batch= ops a call;
 * those without an op have a loop of their own in Go.
 */
#ifndef LIBCOST_CGO_SHIM_H
#define LIBCOST_CGO_SHIM_H

#include "gang.h"

void *memcpy(void *, const void *, size_t);
void *malloc(size_t);
void free(void *);
int pthread_create(void **, const void *, void *(*)(void *), void *);
int pthread_join(void *, void **);

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

/* malloc(3) of 64 bytes and free, batch= pairs with each call from Go. */
int cgo_pair_new(const struct shape *, void **);
int cgo_pair_op(void *, int, unsigned long);
int cgo_pair_check(void *, unsigned long, uint64_t *);
void cgo_pair_free(void *);

/*
 * A thread made in C, without attributes, that calls the Go function calls=
 * times and ends.  For the first call the runtime has to make the thread one
 * of its own (needm), which it stays until it ends.
 */
int cgo_thread_new(const struct shape *, void **);
int cgo_thread_op(void *, int, unsigned long);
int cgo_thread_check(void *, unsigned long, uint64_t *);
void cgo_thread_free(void *);

/*
 * The loops in Go share their state, a count for each goroutine.  They hand
 * its address over as a number: cgo looks into each pointer that it passes.
 */
int cgo_tally_new(const struct shape *, void **);
int cgo_tally_check(void *, unsigned long, uint64_t *);
void cgo_tally_free(void *);

/* The address of a goroutine's count, and what a loop counted in Go added to it. */
size_t cgo_seat(size_t state, int);
void cgo_add(size_t seat, unsigned long);

/* Adds one; cgo_first, with thread=new, sees as well whether another thread came. */
void cgo_count(size_t seat);
void cgo_first(size_t seat);

/* Adds up its arguments: one where there is none. */
void cgo_args0(void);
void cgo_args4(long, long, long, long);
void cgo_args8(long, long, long, long, long, long, long, long);

/*
 * Adds one to a Go variable.  pass.go tells cgo that the second and the last
 * keep no pointer, and that the last two never call back.
 */
void cgo_pass(unsigned long *);
void cgo_pass_noescape(unsigned long *);
void cgo_pass_nocallback(unsigned long *);
void cgo_pass_both(unsigned long *);

/* Sets errno, and returns -1 unless it is 0. */
int cgo_errno(int);

extern const struct kernel cgo_kernels[];

#endif
