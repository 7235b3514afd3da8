/*
 * What the other functions of libc cost that reports blame.  Each kernel is
 * new, op, check and free as internal/gang/gang.h says.  Functions of one kind
 * share new and check, stdlib_<family>_...; the op is the function's own loop.
 * table.c lists the rows.
 *
 * Inputs come from a seeded generator and are written, and whatever a function
 * needs to have opened or compiled is there, before the clock starts.  Where a
 * row has many inputs, op i takes input i modulo INPUTS.
 */
#ifndef LIBCOST_STDLIB_SHIM_H
#define LIBCOST_STDLIB_SHIM_H

#include "gang.h"

/* FILE, iconv_t and locales are only pointed to.  A regex_t is 64 bytes in both libcs. */
struct file;
struct regex { _Alignas(64) char bytes[4096]; };

void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
double strtod(const char *, char **);
long strtol(const char *, char **, int);
int snprintf(char *, size_t, const char *, ...);
struct file *fopen(const char *, const char *);
struct file *fdopen(int, const char *);
int setvbuf(struct file *, char *, int, size_t);
int getc(struct file *);
int getc_unlocked(struct file *);
int putc(int, struct file *);
int putc_unlocked(int, struct file *);
size_t fwrite(const void *, size_t, size_t, struct file *);
void rewind(struct file *);
int fflush(struct file *);
int fclose(struct file *);
int pthread_create(void **, const void *, void *(*)(void *), void *);
int pthread_join(void *, void **);
char *getenv(const char *);
int regcomp(struct regex *, const char *, int);
int regexec(const struct regex *, const char *, size_t, void *, int);
void regfree(struct regex *);
char *setlocale(int, const char *);
size_t mbstowcs(int *, const char *, size_t);
void *iconv_open(const char *, const char *);
size_t iconv(void *, char **, size_t *, char **, size_t *);
int iconv_close(void *);

#define FAMILY(f) \
	int stdlib_##f##_new(const struct shape *, void **); \
	int stdlib_##f##_check(void *, unsigned long, uint64_t *); \
	void stdlib_##f##_free(void *)
/* Hidden, so that an op takes its own address by the same code with -fPIC, which cgo adds, and without. */
#define OP(f) \
	__attribute__((visibility("hidden"))) int stdlib_##f##_op(void *, int, unsigned long)

/*
 * qsort(3) of one array of elements= elements of size= bytes, by the number
 * that each begins with: 4 bytes of a 4-byte element, else 8.  order=random;
 * sorted; reversed; few: random, of 8 distinct numbers.  The arrays are copied
 * afresh in batches while the clock stands still.
 *
 * Source: Bentley, McIlroy, Engineering a Sort Function, Software: Practice
 * and Experience 23 (1993), for the orders.
 */
FAMILY(sort);
OP(qsort);

/*
 * bsearch(3) in a sorted array of elements= numbers of 8 bytes for one that is
 * there, key=present, or lies between two, key=absent.
 */
FAMILY(search);
OP(bsearch);

/*
 * strtod(3) of a number with a point.  text=short has 2 to 5 digits;
 * text=digits17 the 17 that tell every double apart; text=exponent 8 digits
 * and an exponent from -290 to 290.
 *
 * Source: https://arxiv.org/abs/2101.11408
 */
FAMILY(parse);
OP(strtod);
/* strtol(3), base 10, of digits= digits. */
OP(strtol);

/*
 * snprintf(3) of one conversion: format=d of an int, s of 16 characters, g17
 * (%.17g) of a double.
 *
 * Source: https://doi.org/10.1145/3192366.3192369, for %.17g.
 */
FAMILY(format);
OP(format_d);
OP(format_s);
OP(format_g);

/*
 * One character into a FILE on /dev/null, or out of one on 1 MiB of text in
 * memory that is read over and over, with read(2) and write(2) as often as the
 * buffer asks for them: buffer=default is libc's own, 1024 bytes in musl, 4096
 * in glibc; buffer=65536 hides the system calls.
 *
 * earlier=none: the program never had a second thread.  earlier=joined: it had
 * one, before the clock started, and from then on glibc and musl lock each
 * FILE.  Where a row lacks the key it runs in a Go program, which has threads.
 *
 * Source: https://www.etalabs.net/libc-bench.html, b_stdio_putcgetc.
 */
FAMILY(stdio);
OP(putc);
OP(putc_unlocked);
OP(getc);
OP(getc_unlocked);
/* fwrite(3) of size= bytes. */
OP(fwrite);

/*
 * getenv(3) in an environment of vars= variables: find=last stands at its end,
 * find=absent is not in it.
 */
FAMILY(env);
OP(getenv);

/*
 * regexec(3) of an extended expression that was compiled before, asked for the
 * one match, in size= bytes: pattern=simple, "x[0-9]+y", is found at the very
 * end; pattern=nested, "((a|b)*c)*d", takes in all of the text.
 *
 * Source: https://www.etalabs.net/libc-bench.html, b_regex_search.
 */
FAMILY(regex);
OP(regexec);

/*
 * size= bytes of UTF-8 to wide characters by mbstowcs(3), and to UCS-4LE by
 * iconv(3), which both libcs know without a module.  text=ascii, or text=mixed:
 * characters of 1, 2, 3 and 4 bytes.  EOPNOTSUPP where there is no C.UTF-8.
 *
 * Source: https://ztdtext.readthedocs.io/en/latest/benchmarks/function%20form.html
 */
FAMILY(text);
OP(mbstowcs);
OP(iconv);

/* Inputs of a row that has many. */
enum { INPUTS = 1024 };

/* What every kernel's state begins with. */
struct stdlib {
	size_t bytes;
	unsigned long ran;	/* ops */
	uint64_t sum;		/* of what they returned */
};

static inline void *stdlib_map(size_t bytes)
{
	struct stdlib *s = gang_map(bytes);
	if (s) s->bytes = bytes;
	return s;
}

/* How every op ends. */
static inline int stdlib_ran(struct stdlib *s, unsigned long n, uint64_t sum)
{
	s->ran += n;
	s->sum += sum;
	return 0;
}

/* How every check ends: whether n ops ran and returned what they should. */
static inline int stdlib_right(const struct stdlib *s, unsigned long n, uint64_t sum, uint64_t *digest)
{
	*digest = gang_digest(gang_digest(GANG_DIGEST, n), s->sum);
	return s->ran == n && s->sum == sum ? 0 : GANG_EWRONG;
}

/* The sum of n ops, of which op i returns each[i % inputs]. */
static inline uint64_t stdlib_sum(const uint64_t *each, unsigned long inputs, unsigned long n)
{
	uint64_t all = 0, rest = 0;
	for (unsigned long i = 0; i < inputs; i++) {
		all += each[i];
		if (i < n % inputs) rest += each[i];
	}
	return n / inputs * all + rest;
}

/* errno, which is not 0 after a failure. */
static inline int stdlib_errno(void)
{
	int err = *__errno_location();
	return err ? err : GANG_EIO;
}

/* The text of a number of so many digits, zeros in front; the byte after it. */
static inline char *stdlib_digits(char *p, uint64_t value, int digits)
{
	for (int i = digits; i--; value /= 10) p[i] = '0' + value % 10;
	return p + digits;
}

extern const struct kernel stdlib_kernels[];

#endif
