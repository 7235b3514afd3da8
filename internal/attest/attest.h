#ifndef LIBCOST_ATTEST_H
#define LIBCOST_ATTEST_H

#include <stddef.h>

/*
 * Writes what this program really holds as one line of JSON: libc and
 * version, allocator, compiler, build, and where each function that matters
 * was found.  Returns the length that it takes, as snprintf does.
 */
int attest_json(char *buf, size_t size);

#endif
