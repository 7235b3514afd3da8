#define _GNU_SOURCE
#include <dlfcn.h>
#include <features.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "attest.h"

/* The kernels declare these types as 64 bytes of their own. */
_Static_assert(sizeof(pthread_mutex_t) <= 64, "a kernel's mutex is too small");
_Static_assert(sizeof(pthread_cond_t) <= 64, "a kernel's condition variable is too small");
_Static_assert(sizeof(pthread_rwlock_t) <= 64, "a kernel's rwlock is too small");
_Static_assert(sizeof(pthread_barrier_t) <= 64, "a kernel's barrier is too small");
_Static_assert(sizeof(sem_t) <= 64, "a kernel's semaphore is too small");
_Static_assert(sizeof(pthread_attr_t) <= 64, "a kernel's thread attribute is too small");
_Static_assert(sizeof(pthread_t) == sizeof(void *), "a kernel's thread handle is not a pointer wide");

/*
 * All weak: what is not in the program is 0 here.  A static musl has its
 * version only if the link asks for the member (-u __libc_version); a dynamic
 * one never, its loader tells it.  A static glibc must not pull in dlsym, which
 * would bring half the loader along.
 */
#pragma weak dlsym
#pragma weak dladdr
#ifndef __GLIBC__
__attribute__((weak)) extern const char __libc_version[];
#endif
__attribute__((weak)) int mi_version(void);
__attribute__((weak)) int mallctl(const char *, void *, size_t *, void *, size_t);

/* The parts of swap/: a symbol of each, and the section that all its code is in. */
#define PART(name) \
	__attribute__((weak)) extern const int libcost_swap_##name; \
	__attribute__((weak)) extern const char __start_libcost_##name[], __stop_libcost_##name[]
PART(memops);
PART(locks);

static const struct { const char *name; const int *mark; const char *start, *stop; } parts[] = {
	{ "memops", &libcost_swap_memops, __start_libcost_memops, __stop_libcost_memops },
	{ "locks", &libcost_swap_locks, __start_libcost_locks, __stop_libcost_locks },
};
enum { PARTS = sizeof parts / sizeof *parts };

static const char *libc_name(void)
{
#ifdef __GLIBC__
	return "glibc";
#else
	return "musl";
#endif
}

static const char *libc_version(void)
{
#ifdef __GLIBC__
	return gnu_get_libc_version();
#else
	const char *v = __libc_version;
	__asm__("" : "+r"(v));
	return v ? v : "";
#endif
}

static void allocator(char *buf, size_t size)
{
	const char *v;
	size_t len = sizeof v;
	if (mi_version)
		snprintf(buf, size, "mimalloc %d.%d.%d", mi_version() / 100, mi_version() / 10 % 10, mi_version() % 10);
	else if (mallctl && !mallctl("version", &v, &len, 0, 0))
		snprintf(buf, size, "jemalloc %.*s", (int)strcspn(v, "-"), v);
	else
		snprintf(buf, size, "native");
}

/*
 * In a static glibc a name with an IFUNC is a stub, jmp *slot, and the slot
 * holds the function that the CPU's features chose.
 */
static uintptr_t follow(uintptr_t f)
{
#ifdef __x86_64__
	for (int i = 0; i < 3; i++) {
		const unsigned char *p = (const void *)f;
		int32_t slot;
		if (!memcmp(p, "\xf3\x0f\x1e\xfa", 4)) p += 4;	/* endbr64 */
		if (*p == 0xf2) p++;	/* bnd */
		if (p[0] != 0xff || p[1] != 0x25) break;
		memcpy(&slot, p + 2, sizeof slot);
		memcpy(&f, p + 6 + slot, sizeof f);
	}
#endif
	return f;
}

static int swapped(char *buf, size_t size)
{
	size_t n = 0;
	for (int i = 0; i < PARTS; i++)
		if (parts[i].mark)
			n += snprintf(buf + n, size - n, "%s\"%s\"", n ? "," : "", parts[i].name);
	return n;
}

static const char *part_of(uintptr_t f)
{
	for (int i = 0; i < PARTS; i++)
		if (f >= (uintptr_t)parts[i].start && f < (uintptr_t)parts[i].stop) return parts[i].name;
	return "";
}

/* "malloc":{"address":A,"part":""} in a static program, which has no loader; with the file in a dynamic one. */
static int where(char *buf, size_t size, const char *name, void *f)
{
	Dl_info info;
	uintptr_t at = follow((uintptr_t)f);
	if (!getauxval(AT_BASE))
		return snprintf(buf, size, "\"%s\":{\"address\":%llu,\"part\":\"%s\"}", name, (unsigned long long)at, part_of(at));
	f = dlsym(RTLD_DEFAULT, name);
	if (!f || !dladdr(f, &info) || !info.dli_fname)
		return snprintf(buf, size, "\"%s\":{}", name);
	return snprintf(buf, size, "\"%s\":{\"address\":%llu,\"part\":\"%s\",\"file\":\"%s\"}", name,
		(unsigned long long)((char *)f - (char *)info.dli_fbase), part_of((uintptr_t)f), info.dli_fname);
}

int attest_json(char *buf, size_t size, const char *build)
{
	static const struct { const char *name; void *f; } functions[] = {
		{ "malloc", malloc }, { "free", free }, { "realloc", realloc }, { "calloc", calloc },
		{ "memcpy", memcpy }, { "memmove", memmove }, { "memset", memset }, { "memcmp", memcmp },
		{ "memchr", memchr }, { "strlen", strlen },
		{ "pthread_mutex_lock", pthread_mutex_lock },
	};
	char alloc[64], swaps[64] = "";
	size_t n;
	allocator(alloc, sizeof alloc);
	swapped(swaps, sizeof swaps);
	n = snprintf(buf, size, "{\"libc\":\"%s\",\"libc_version\":\"%s\",\"allocator\":\"%s\",\"parts\":[%s],\"compiler\":\"%s\",\"build\":\"%s\",\"functions\":{",
		libc_name(), libc_version(), alloc, swaps,
#ifdef __clang__
		__VERSION__,
#else
		"gcc " __VERSION__,
#endif
		build);
	for (size_t i = 0; i < sizeof functions / sizeof *functions && n < size; i++) {
		if (i) buf[n++] = ',';
		n += where(buf + n, size - n, functions[i].name, functions[i].f);
	}
	if (n < size) n += snprintf(buf + n, size - n, "}}\n");
	return n < size ? n : size - 1;
}
