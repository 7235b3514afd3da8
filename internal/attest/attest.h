#ifndef LIBCOST_ATTEST_H
#define LIBCOST_ATTEST_H

#include <stddef.h>

/*
 * Writes what this program really holds as one line of JSON: libc and
 * version, allocator, compiler, build, and where each function that matters
 * was found.  build is the hash of all that went into the program, as its
 * builder gives it.  Returns the length written, at most size - 1.
 */
int attest_json(char *buf, size_t size, const char *build);

#endif
