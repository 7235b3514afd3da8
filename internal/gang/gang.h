/*
 * The contract between a kernel and the gang that runs it.
 *
 * A kernel sees no libc header, here or in its own file: glibc's pure,
 * fortify and nonnull attributes and its inline functions would make the
 * same source two different programs.  It declares what it calls itself.
 */
#ifndef LIBCOST_GANG_H
#define LIBCOST_GANG_H

typedef __SIZE_TYPE__ size_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT64_TYPE__ int64_t;

/*
 * Hides a value from the optimizer.  gcc 12 -O2 otherwise deletes
 * free(malloc(n)), hoists strlen out of its loop, and turns memcpy of a
 * known or bounded size into moves or rep movs, so that libc is not reached.
 */
#define LAUNDER(x) __asm__ volatile("" : "+r"(x) : : "memory")

/* Another layout of the same code: so many bytes of nothing before each file's functions. */
#ifdef LIBCOST_PAD
#define GANG_TEXT(x) #x
#define GANG_TEXT_OF(x) GANG_TEXT(x)
__asm__(".pushsection .text\n\t.skip " GANG_TEXT_OF(LIBCOST_PAD) ", 0x90\n\t.popsection");
#endif

/* What one row asks of a kernel. */
struct shape {
	const char *row;	/* "Pair/size=64/live=1/threads=1" */
	const char *dir;	/* where rows with KERNEL_DISK put their files */
	int threads;		/* the row's threads=, 1 where it has none */
	unsigned long n;	/* ops of the whole sample, all threads together */
	size_t l1, l2, llc;	/* bytes of one core's L1 data and L2 cache and of the last level; 0 unknown */
};

enum {
	/* The state depends on n: every variant runs the same n. */
	KERNEL_SAME_N	= 1 << 0,
	/* One op is one call and gets a time of its own, for quantiles. */
	KERNEL_LATENCY	= 1 << 1,
	/* Writes files below shape.dir. */
	KERNEL_DISK	= 1 << 2,
	/* One op moves size= bytes: throughput is printed as well. */
	KERNEL_BYTES	= 1 << 3,
	/* All threads work on the same n ops instead of sharing them out. */
	KERNEL_TOGETHER	= 1 << 4,
	/* Runs on the calling goroutine's thread, not on one of the gang's. */
	KERNEL_CALLER	= 1 << 5,
	/* One of many rows that are read as a curve: half the rounds will do. */
	KERNEL_CURVE	= 1 << 6,
	/* libc has no part in it: must come out the same in every variant. */
	KERNEL_CONTROL	= 1 << 7,
	/* Only what lies between gang_resume and gang_pause is timed. */
	KERNEL_PHASES	= 1 << 8,
};

/*
 * One line of a room's table; a line of NULLs ends the table.
 *
 * grid holds keys and their values, "size=16,64 live=0,1 threads=1": one row
 * for each combination, named name/size=16/live=0/threads=1.  The gang itself
 * knows the keys threads (how many), place (spread: thread t on the t-th
 * allowed CPU, round and round; same: all on one), proc (plain: run in the
 * single-threaded C worker), batch (ops a cgo call) and procs (GOMAXPROCS of a
 * Go loop, which then counts for the whole process).
 *
 * calls names what each op reaches, which check-shims proves in the linked
 * binary: functions, "*" for a call by pointer, "syscall" for the instruction.
 *
 * usual, quick and summary select rows of the default set, of the quick set
 * and of the summary by the values of some keys, "size=64 live=1 | size=8"
 * ("" is all rows, NULL none).  All rows are in the full set.
 *
 * about says in a line what one op is, source where this shape was met: the
 * address of a public report or paper, or its name.
 */
struct kernel {
	const char *name, *grid, *calls, *usual, *quick, *summary;
	const char *about, *source;
	int flags;
	/* Makes the state; 0 or an errno, and then nothing to free. */
	int (*new)(const struct shape *, void **state);
	/* Optional: prepares thread t, on that thread, before the clock starts. */
	int (*sit)(void *state, int t);
	/* Runs n ops on thread t; 0 or an errno. */
	int (*op)(void *state, int t, unsigned long n);
	/*
	 * After n ops by all threads together: 0, or an errno if what they did
	 * is not what n ops do.  *digest tells the work: equal n, equal digest.
	 */
	int (*check)(void *state, unsigned long n, uint64_t *digest);
	void (*free)(void *state);
	/* Optional: bytes of memory that a row takes, where they are many. */
	size_t (*need)(const struct shape *);
	/*
	 * Optional: what the row is about where that is no time, in unit, less
	 * being better.  Asked after check, when the threads are gone.
	 */
	double (*value)(void *state);
	const char *unit;
	/* Optional: what the machine lacks where new says EOPNOTSUPP: "O_DIRECT". */
	const char *lacks;
};

/*
 * For the ops of a kernel with KERNEL_PHASES: this thread's clock goes on, and
 * stands still.  It stands at first.  The phases of two threads don't overlap;
 * the row's time is the sum of all.
 */
void gang_resume(void);
void gang_pause(void);

/* Errors that kernels return; the numbers are Linux's. */
enum { GANG_EIO = 5, GANG_ENOMEM = 12, GANG_EINVAL = 22, GANG_EOPNOTSUPP = 95 };
/* check: the result is wrong.  EBADMSG, which no op here returns. */
enum { GANG_EWRONG = 74 };

/* Both libcs keep errno behind this function. */
int *__errno_location(void);

static inline int gang_same(const char *a, const char *b, size_t n)
{
	while (n && *a == *b) a++, b++, n--;
	return !n;
}

/* The text after "/key=" in a row's name, or 0. */
static inline const char *gang_key(const char *row, const char *key)
{
	size_t n = 0;
	while (key[n]) n++;
	for (; *row; row++)
		if (*row == '/' && gang_same(row + 1, key, n) && row[1 + n] == '=')
			return row + n + 2;
	return 0;
}

/* The number that a row gives for a key, or missing. */
static inline long gang_num(const char *row, const char *key, long missing)
{
	const char *s = gang_key(row, key);
	long v = 0;
	if (!s || *s < '0' || *s > '9') return missing;
	for (; *s >= '0' && *s <= '9'; s++) v = 10 * v + *s - '0';
	return v;
}

/* Whether a row gives the key this value. */
static inline int gang_is(const char *row, const char *key, const char *value)
{
	const char *s = gang_key(row, key);
	size_t n = 0;
	while (value[n]) n++;
	return s && gang_same(s, value, n) && (!s[n] || s[n] == '/');
}

/* splitmix64 (Steele, Lea, Flood 2014): the same inputs on every machine. */
static inline uint64_t gang_random(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* FNV-1a over one more word. */
static inline uint64_t gang_digest(uint64_t h, uint64_t word)
{
	return (h ^ word) * 0x100000001b3;
}
#define GANG_DIGEST 0xcbf29ce484222325

/* A system call without libc: the result, or -errno. */
static inline long gang_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(ret)
		: "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0)
		: "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
		: "memory", "cc");
	return x0;
#else
#error "libcost knows the system calls of x86-64 and aarch64"
#endif
}

#if defined(__x86_64__)
enum { SYS_MMAP = 9, SYS_MUNMAP = 11, SYS_FUTEX = 202 };
#elif defined(__aarch64__)
enum { SYS_MMAP = 222, SYS_MUNMAP = 215, SYS_FUTEX = 98 };
#endif

/*
 * Zeroed memory for a kernel's own state, straight from the kernel, written
 * once so that no page is touched first inside the clock; 0 if there is none.
 * malloc would change the heap that the row is about.
 */
static inline void *gang_map(size_t bytes)
{
	long p = gang_syscall(SYS_MMAP, 0, bytes, 3, 0x22, -1, 0);
	if (p < 0 && p > -4096) return 0;
	for (size_t i = 0; i < bytes; i += 4096) ((volatile char *)p)[i] = 0;
	return (void *)p;
}

static inline void gang_unmap(void *p, size_t bytes)
{
	gang_syscall(SYS_MUNMAP, (long)p, bytes, 0, 0, 0, 0);
}

#endif
