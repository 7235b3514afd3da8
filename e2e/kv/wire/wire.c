#include <string.h>
#include <time.h>

#include "wire.h"

int64_t wire_now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): each input its own output. */
uint64_t wire_mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
	v = (v ^ v >> 27) * 0x94d049bb133111eb;
	return v ^ v >> 31;
}

/* A long common prefix, as paths have it, so that comparing keys costs something. */
void wire_key(char *to, uint64_t k)
{
	memcpy(to, "/libcost/kv/tables/", 19);
	for (int i = WIRE_KEY - 1; i >= 19; i--, k >>= 4) to[i] = "0123456789abcdef"[k & 15];
}

static uint64_t word(uint64_t op, size_t i)
{
	return op * 0x9e3779b97f4a7c15 + i * 0xd1342543de82ef95;
}

void wire_value(char *to, size_t size, uint64_t op)
{
	uint64_t w = op;
	for (size_t i = 0; i < size; i += 8) {
		memcpy(to + i, &w, size - i < 8 ? size - i : 8);
		w = word(op, i + 1);
	}
}

int64_t wire_value_op(const char *value, size_t size)
{
	uint64_t op, w;
	if (size < 8) return -1;
	memcpy(&op, value, 8);
	for (size_t i = 8; i < size; i += 8) {
		w = word(op, i - 7);
		if (memcmp(value + i, &w, size - i < 8 ? size - i : 8)) return -1;
	}
	return op;
}

/*
 * Four lanes, because one would wait for its multiplication.  Each step is a
 * bijection of the lane for a given word, and of the word for a given lane.
 */
uint64_t wire_sum(const void *p, size_t size, uint64_t seed)
{
	const unsigned char *s = p;
	uint64_t lane[4] = { seed ^ size, seed + 1, seed + 2, seed + 3 }, w;
	size_t i = 0;
	for (; i + 8 <= size; i += 8) {
		uint64_t *l = &lane[i / 8 % 4];
		memcpy(&w, s + i, 8);
		*l = (*l ^ w) * 0x9e3779b97f4a7c15;
		*l ^= *l >> 32;
	}
	for (w = 0; i < size; i++) w = w << 8 | s[i];
	lane[3] = wire_mix(lane[3] ^ w);
	return wire_mix(lane[0] ^ wire_mix(lane[1] ^ wire_mix(lane[2] ^ wire_mix(lane[3]))));
}
