/*
 * Memory and string functions that stand in for libc's, the same in glibc and
 * in musl.  No libc header: its attributes and its fortified definitions would
 * make the two builds differ.
 */
#ifndef LIBCOST_SWAP_MEMOPS_H
#define LIBCOST_SWAP_MEMOPS_H

typedef __SIZE_TYPE__ size_t;
typedef __UINTPTR_TYPE__ address;
typedef unsigned char byte;

void *memcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
int bcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *memrchr(const void *, int, size_t);
void *memmem(const void *, size_t, const void *, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcasecmp(const char *, const char *);
int strcasecmp_l(const char *, const char *, void *);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *index(const char *, int);
char *rindex(const char *, int);
size_t strcspn(const char *, const char *);
size_t strspn(const char *, const char *);
char *strpbrk(const char *, const char *);
char *strstr(const char *, const char *);
char *strcpy(char *restrict, const char *restrict);
char *stpcpy(char *restrict, const char *restrict);
char *strncpy(char *restrict, const char *restrict, size_t);
char *strcat(char *restrict, const char *restrict);

/* Sixteen bytes: an SSE2 register, or what the compiler makes of them. */
enum { BLOCK = 16, PAGE = 4096 };
typedef byte block __attribute__((vector_size(16)));
typedef signed char truth __attribute__((vector_size(16)));	/* what a comparison gives */
typedef byte loose_block __attribute__((vector_size(16), aligned(1), may_alias));
typedef unsigned long long loose_8 __attribute__((aligned(1), may_alias));
typedef unsigned loose_4 __attribute__((aligned(1), may_alias));
typedef unsigned short loose_2 __attribute__((aligned(1), may_alias));

static inline block load(const void *p) { return *(const loose_block *)p; }
static inline void store(void *p, block b) { *(loose_block *)p = b; }
static inline block fill(int c) { return (block){0} + (byte)c; }

/*
 * Reads past the end of a string, as far as the aligned block goes and so
 * never onto another page; no sanitizer can know that this is wanted.
 */
__attribute__((no_sanitize("address")))
static inline block peek(const void *p) { return *(const loose_block *)p; }

/* A bit for each byte of a comparison that holds. */
static inline unsigned mask(truth holds)
{
#if defined(__SSE2__) && !defined(SWAP_PORTABLE)
	typedef char vector __attribute__((vector_size(16)));
	return __builtin_ia32_pmovmskb128((vector)holds);
#else
	typedef unsigned long long pair __attribute__((vector_size(16)));
	pair p = (pair)holds;
	unsigned m = 0;
	if (!(p[0] | p[1])) return 0;
	for (int i = 0; i < BLOCK; i++) m |= (unsigned)(holds[i] & 1) << i;
	return m;
#endif
}

static inline unsigned first(unsigned m) { return __builtin_ctz(m); }
static inline unsigned last(unsigned m) { return 31 - __builtin_clz(m); }

#endif
