#include "shim.h"

enum { LONGEST = 32 };

struct parse {
	struct stdlib s;
	int whole;			/* strtol's */
	uint64_t value[INPUTS];		/* what strtol returns */
	long double about[INPUTS];	/* what strtod returns, to 18 digits */
	char text[INPUTS][LONGEST];
};

/* 10 to the power of e, to 18 digits while e is below 300. */
static long double stdlib_parse_power(int e)
{
	long double p = 1;
	for (int i = e < 0 ? -e : e; i--; ) p *= 10;
	return e < 0 ? 1 / p : p;
}

static void stdlib_parse_short(struct parse *p, int i, uint64_t random)
{
	int before = 1 + random % 3, after = 1 + random / 3 % 2;
	uint64_t digits = (random >> 8) % 99999;
	for (int d = before + after; d < 5; d++) digits /= 10;
	uint64_t unit = stdlib_parse_power(after);
	char *end = stdlib_digits(p->text[i], digits / unit, before);
	*end++ = '.';
	*stdlib_digits(end, digits % unit, after) = 0;
	p->about[i] = digits / (long double)unit;
}

static void stdlib_parse_digits17(struct parse *p, int i, uint64_t random)
{
	uint64_t digits = 10000000000000000 + random % 90000000000000000;
	p->text[i][0] = '0';
	p->text[i][1] = '.';
	*stdlib_digits(p->text[i] + 2, digits, 17) = 0;
	p->about[i] = digits * stdlib_parse_power(-17);
}

static void stdlib_parse_exponent(struct parse *p, int i, uint64_t random)
{
	uint64_t digits = 10000000 + random % 90000000;
	int e = (int)((random >> 32) % 581) - 290;
	char *end = stdlib_digits(p->text[i], digits / 10000000, 1);
	*end++ = '.';
	end = stdlib_digits(end, digits % 10000000, 7);
	*end++ = 'e';
	*end++ = e < 0 ? '-' : '+';
	*stdlib_digits(end, e < 0 ? -e : e, 3) = 0;
	p->about[i] = digits * stdlib_parse_power(e - 7);
}

static void stdlib_parse_whole(struct parse *p, int i, uint64_t random, int digits)
{
	uint64_t most = stdlib_parse_power(digits - 1);
	p->value[i] = most + random % (9 * most);
	*stdlib_digits(p->text[i], p->value[i], digits) = 0;
}

int stdlib_parse_new(const struct shape *s, void **state)
{
	int digits = gang_num(s->row, "digits", 0);
	uint64_t seed = 1;
	struct parse *p = stdlib_map(sizeof *p);
	if (!p) return GANG_ENOMEM;
	p->whole = digits > 0;
	for (int i = 0; i < INPUTS; i++) {
		uint64_t random = gang_random(&seed);
		if (digits) stdlib_parse_whole(p, i, random, digits);
		else if (gang_is(s->row, "text", "short")) stdlib_parse_short(p, i, random);
		else if (gang_is(s->row, "text", "digits17")) stdlib_parse_digits17(p, i, random);
		else stdlib_parse_exponent(p, i, random);
	}
	*state = p;
	return 0;
}

static uint64_t stdlib_parse_bits(double v)
{
	union { double v; uint64_t bits; } u = { v };
	return u.bits;
}

int stdlib_strtod_op(void *state, int t, unsigned long n)
{
	struct parse *p = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		const char *text = p->text[i % INPUTS];
		LAUNDER(text);
		uint64_t bits = stdlib_parse_bits(strtod(text, 0));
		LAUNDER(bits);
		sum += bits;
	}
	return stdlib_ran(&p->s, n, sum);
}

int stdlib_strtol_op(void *state, int t, unsigned long n)
{
	struct parse *p = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		const char *text = p->text[i % INPUTS];
		LAUNDER(text);
		long value = strtol(text, 0, 10);
		LAUNDER(value);
		sum += value;
	}
	return stdlib_ran(&p->s, n, sum);
}

/*
 * A double has 53 bits and about has 64: what strtod returned lies within half
 * a unit of it.  That it is the nearest double, the digest tells: it is one
 * and the same in both libcs.
 */
int stdlib_parse_check(void *state, unsigned long n, uint64_t *digest)
{
	struct parse *p = state;
	for (int i = 0; i < INPUTS && !p->whole; i++) {
		double v = strtod(p->text[i], 0);
		long double off = v > p->about[i] ? v - p->about[i] : p->about[i] - v;
		if (!(off <= p->about[i] * 0x1.01p-53L)) return GANG_EWRONG;
		p->value[i] = stdlib_parse_bits(v);
	}
	return stdlib_right(&p->s, n, stdlib_sum(p->value, INPUTS, n), digest);
}

void stdlib_parse_free(void *state)
{
	gang_unmap(state, ((struct stdlib *)state)->bytes);
}
