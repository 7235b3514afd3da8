#include "shim.h"

enum { SPACE = 64, WORD = 16 };

struct format {
	struct stdlib s;
	char kind;			/* d, s or g */
	char out[SPACE];
	uint64_t length[INPUTS];	/* what each op adds */
	int number[INPUTS];
	double real[INPUTS];
	char word[INPUTS][WORD + 1];
};

int stdlib_format_new(const struct shape *s, void **state)
{
	uint64_t seed = 1;
	struct format *f = stdlib_map(sizeof *f);
	if (!f) return GANG_ENOMEM;
	f->kind = *gang_key(s->row, "format");
	for (int i = 0; i < INPUTS; i++) {
		uint64_t random = gang_random(&seed);
		f->number[i] = (int)random >> random % 31;
		f->real[i] = (random >> 11) * 0x1p-53;
		for (int w = 0; w < WORD; w++) f->word[i][w] = 'a' + (random >> w) % 26;
	}
	*state = f;
	return 0;
}

/* The length and the last character, so that an op adds what it wrote. */
static inline uint64_t stdlib_format_told(const struct format *f, int length)
{
	return length + ((uint64_t)(unsigned char)f->out[length - 1] << 8);
}

int stdlib_format_d_op(void *state, int t, unsigned long n)
{
	struct format *f = state;
	const char *format = "%d";
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(format);
		int length = snprintf(f->out, sizeof f->out, format, f->number[i % INPUTS]);
		LAUNDER(length);
		if (length < 1) return GANG_EIO;
		sum += stdlib_format_told(f, length);
	}
	return stdlib_ran(&f->s, n, sum);
}

int stdlib_format_s_op(void *state, int t, unsigned long n)
{
	struct format *f = state;
	const char *format = "%s";
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(format);
		int length = snprintf(f->out, sizeof f->out, format, f->word[i % INPUTS]);
		LAUNDER(length);
		if (length < 1) return GANG_EIO;
		sum += stdlib_format_told(f, length);
	}
	return stdlib_ran(&f->s, n, sum);
}

int stdlib_format_g_op(void *state, int t, unsigned long n)
{
	struct format *f = state;
	const char *format = "%.17g";
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(format);
		int length = snprintf(f->out, sizeof f->out, format, f->real[i % INPUTS]);
		LAUNDER(length);
		if (length < 1) return GANG_EIO;
		sum += stdlib_format_told(f, length);
	}
	return stdlib_ran(&f->s, n, sum);
}

static int stdlib_format_length(const char *s)
{
	int n = 0;
	while (n < SPACE && s[n]) n++;
	return n;
}

/* Whether out is the text of input i. */
static int stdlib_format_right(const struct format *f, int i)
{
	if (f->kind == 's') return gang_same(f->out, f->word[i], WORD + 1);
	/* 17 digits tell a double from every other. */
	if (f->kind == 'g') return strtod(f->out, 0) == f->real[i];
	long v = f->number[i], digits = 1;
	char want[SPACE] = "-";
	for (long most = 10; (v < 0 ? -v : v) >= most; most *= 10) digits++;
	*stdlib_digits(want + (v < 0), v < 0 ? -v : v, digits) = 0;
	return gang_same(f->out, want, digits + (v < 0) + 1);
}

/* Each input's text is looked at once, and says what an op of it adds. */
int stdlib_format_check(void *state, unsigned long n, uint64_t *digest)
{
	struct format *f = state;
	const char *format = f->kind == 'd' ? "%d" : f->kind == 's' ? "%s" : "%.17g";
	for (int i = 0; i < INPUTS; i++) {
		int length;
		LAUNDER(format);
		if (f->kind == 'd') length = snprintf(f->out, sizeof f->out, format, f->number[i]);
		else if (f->kind == 's') length = snprintf(f->out, sizeof f->out, format, f->word[i]);
		else length = snprintf(f->out, sizeof f->out, format, f->real[i]);
		if (length < 1 || length != stdlib_format_length(f->out) || !stdlib_format_right(f, i))
			return GANG_EWRONG;
		f->length[i] = stdlib_format_told(f, length);
	}
	return stdlib_right(&f->s, n, stdlib_sum(f->length, INPUTS, n), digest);
}

void stdlib_format_free(void *state)
{
	gang_unmap(state, ((struct stdlib *)state)->bytes);
}
