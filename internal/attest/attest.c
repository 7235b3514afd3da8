#define _GNU_SOURCE
#include <dlfcn.h>
#include <features.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "attest.h"

/* The hash of all that went into the build; the builder passes it. */
#ifndef LIBCOST_BUILD
#define LIBCOST_BUILD unknown
#endif
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

/* The kernels declare these types as 64 bytes of their own. */
_Static_assert(sizeof(pthread_mutex_t) <= 64, "a kernel's mutex is too small");
_Static_assert(sizeof(pthread_cond_t) <= 64, "a kernel's condition variable is too small");
_Static_assert(sizeof(pthread_attr_t) <= 64, "a kernel's thread attribute is too small");
_Static_assert(sizeof(pthread_t) == sizeof(void *), "a kernel's thread handle is not a pointer wide");

#ifndef __GLIBC__
/*
 * A weak reference pulls no member out of libc.a, and a strong one does not
 * link against libc.so, where the name is hidden.
 */
#ifndef LIBCOST_STATIC
__attribute__((weak))
#endif
extern const char __libc_version[];
#endif

__attribute__((weak)) int mi_version(void);
__attribute__((weak)) int mallctl(const char *, void *, size_t *, void *, size_t);

static const char *libc_name(void)
{
#ifdef __GLIBC__
	return "glibc";
#else
	return "musl";
#endif
}

/* "" in a dynamic musl: its loader tells it, not the program. */
static const char *libc_version(void)
{
#ifdef __GLIBC__
	return gnu_get_libc_version();
#elif defined(LIBCOST_STATIC)
	return __libc_version;
#else
	return &*__libc_version ? __libc_version : "";
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

#ifdef LIBCOST_STATIC
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

static int where(char *buf, size_t size, const char *name, void *f)
{
	return snprintf(buf, size, "\"%s\":{\"address\":%llu}", name, (unsigned long long)follow((uintptr_t)f));
}
#else
static int where(char *buf, size_t size, const char *name, void *f)
{
	Dl_info info;
	(void)f;
	void *found = dlsym(RTLD_DEFAULT, name);
	if (!found || !dladdr(found, &info) || !info.dli_fname) return 0;
	return snprintf(buf, size, "\"%s\":{\"address\":%llu,\"file\":\"%s\"}", name,
		(unsigned long long)((char *)found - (char *)info.dli_fbase), info.dli_fname);
}
#endif

int attest_json(char *buf, size_t size)
{
	static const struct { const char *name; void *f; } functions[] = {
		{ "malloc", malloc }, { "free", free }, { "realloc", realloc }, { "calloc", calloc },
		{ "memcpy", memcpy }, { "memmove", memmove }, { "memset", memset }, { "memcmp", memcmp },
		{ "memchr", memchr }, { "strlen", strlen },
		{ "pthread_mutex_lock", pthread_mutex_lock },
	};
	char alloc[64];
	size_t n;
	allocator(alloc, sizeof alloc);
	n = snprintf(buf, size,
		"{\"libc\":\"%s\",\"libc_version\":\"%s\",\"allocator\":\"%s\",\"compiler\":\"%s\",\"build\":\"%s\",\"functions\":{",
		libc_name(), libc_version(), alloc,
#ifdef __clang__
		__VERSION__,
#else
		"gcc " __VERSION__,
#endif
		TEXT_OF(LIBCOST_BUILD));
	for (size_t i = 0, first = n; i < sizeof functions / sizeof *functions && n + 8 < size; i++) {
		if (n > first) buf[n++] = ',';
		int len = where(buf + n, size - n, functions[i].name, functions[i].f);
		if (!len && n > first) n--;
		n += len;
	}
	return n + snprintf(buf + (n < size ? n : size), n < size ? size - n : 0, "}}\n");
}
