#include "memops.h"

static inline void set_small(byte *d, int c, size_t n)
{
	unsigned long long v = (byte)c * 0x0101010101010101ULL;
	if (n >= 8) {
		*(loose_8 *)d = v;
		*(loose_8 *)(d + n - 8) = v;
	} else if (n >= 4) {
		*(loose_4 *)d = v;
		*(loose_4 *)(d + n - 4) = v;
	} else if (n >= 2) {
		*(loose_2 *)d = v;
		*(loose_2 *)(d + n - 2) = v;
	} else if (n) {
		*d = c;
	}
}

void *memset(void *dst, int c, size_t n)
{
	byte *d = dst, *end = d + n;
	block v = fill(c);
	if (n < 16) {
		set_small(d, c, n);
		return dst;
	}
	store(d, v);
	store(end - 16, v);
	if (n <= 32) return dst;
	store(d + 16, v);
	store(end - 32, v);
	if (n <= 64) return dst;
	store(d + 32, v); store(d + 48, v);
	store(end - 64, v); store(end - 48, v);
	if (n <= 128) return dst;
	d += 64 - (address)d % BLOCK;
	for (; d < end - 64; d += 64) {
		store(d, v); store(d + 16, v);
		store(d + 32, v); store(d + 48, v);
	}
	return dst;
}
