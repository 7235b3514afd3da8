#include "shim.h"

/* Linux: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
#if defined(__x86_64__)
enum { SYS_WRITE = 1, SYS_CLOSE = 3, SYS_MEMFD_CREATE = 319 };
#elif defined(__aarch64__)
enum { SYS_CLOSE = 57, SYS_WRITE = 64, SYS_MEMFD_CREATE = 279 };
#endif

enum { TEXT = 1 << 20, LARGEST = 512, FULLY_BUFFERED = 0 };

struct stdio {
	struct stdlib s;
	struct file *f;
	int reads;
	size_t size, buffer;
	unsigned long at;	/* bytes read since the last rewind */
	unsigned char text[TEXT], own[65536];
};

static unsigned char stdlib_stdio_text(size_t i)
{
	return ' ' + (i * 0x9e3779b97f4a7c15 >> 58);
}

static void *stdlib_stdio_thread(void *arg)
{
	return arg;
}

/* From its first thread on a program has threads, for libc, even when it is alone again. */
static int stdlib_stdio_earlier(void)
{
	void *thread, *ret = 0;
	int err = pthread_create(&thread, 0, stdlib_stdio_thread, &thread);
	if (!err) err = pthread_join(thread, &ret);
	return err ? err : ret == &thread ? 0 : GANG_EIO;
}

/* A file in memory that holds the text. */
static int stdlib_stdio_open(struct stdio *x)
{
	long fd = gang_syscall(SYS_MEMFD_CREATE, (long)"libcost", 0, 0, 0, 0, 0);
	if (fd < 0) return -fd;
	long put = gang_syscall(SYS_WRITE, fd, (long)x->text, TEXT, 0, 0, 0);
	int err = put < 0 ? -put : put == TEXT ? 0 : GANG_EIO;
	if (!err && !(x->f = fdopen(fd, "r"))) err = stdlib_errno();
	if (err) gang_syscall(SYS_CLOSE, fd, 0, 0, 0, 0, 0);
	else rewind(x->f);
	return err;
}

int stdlib_stdio_new(const struct shape *s, void **state)
{
	struct stdio *x = stdlib_map(sizeof *x);
	int err = 0;
	if (!x) return GANG_ENOMEM;
	x->reads = gang_is(s->row, "from", "memory");
	x->size = gang_num(s->row, "size", 1);
	x->buffer = gang_num(s->row, "buffer", 0);
	for (size_t i = 0; i < TEXT; i++) x->text[i] = stdlib_stdio_text(i);
	if (x->size > LARGEST || x->buffer > sizeof x->own) err = GANG_EINVAL;
	else if (gang_is(s->row, "earlier", "joined")) err = stdlib_stdio_earlier();
	if (!err && x->reads) err = stdlib_stdio_open(x);
	else if (!err && !(x->f = fopen("/dev/null", "w"))) err = stdlib_errno();
	if (!err && x->buffer && setvbuf(x->f, (char *)x->own, FULLY_BUFFERED, x->buffer)) {
		fclose(x->f);
		err = GANG_EINVAL;
	}
	if (err) {
		gang_unmap(x, x->s.bytes);
		return err;
	}
	*state = x;
	return 0;
}

int stdlib_putc_op(void *state, int t, unsigned long n)
{
	struct stdio *x = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		int c = putc(x->text[i % TEXT], x->f);
		if (c < 0) return stdlib_errno();
		sum += c;
	}
	return stdlib_ran(&x->s, n, sum);
}

int stdlib_putc_unlocked_op(void *state, int t, unsigned long n)
{
	struct stdio *x = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		int c = putc_unlocked(x->text[i % TEXT], x->f);
		if (c < 0) return stdlib_errno();
		sum += c;
	}
	return stdlib_ran(&x->s, n, sum);
}

int stdlib_getc_op(void *state, int t, unsigned long n)
{
	struct stdio *x = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		if (x->at == TEXT) rewind(x->f), x->at = 0;
		int c = getc(x->f);
		if (c < 0) return stdlib_errno();
		x->at++;
		sum += c;
	}
	return stdlib_ran(&x->s, n, sum);
}

int stdlib_getc_unlocked_op(void *state, int t, unsigned long n)
{
	struct stdio *x = state;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		if (x->at == TEXT) rewind(x->f), x->at = 0;
		int c = getc_unlocked(x->f);
		if (c < 0) return stdlib_errno();
		x->at++;
		sum += c;
	}
	return stdlib_ran(&x->s, n, sum);
}

int stdlib_fwrite_op(void *state, int t, unsigned long n)
{
	struct stdio *x = state;
	size_t size = x->size;
	uint64_t sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		LAUNDER(size);
		size_t put = fwrite(x->text, 1, size, x->f);
		if (put != size) return stdlib_errno();
		sum += put;
	}
	return stdlib_ran(&x->s, n, sum);
}

int stdlib_stdio_check(void *state, unsigned long n, uint64_t *digest)
{
	struct stdio *x = state;
	uint64_t all = 0, rest = 0;
	for (size_t i = 0; i < TEXT; i++) {
		all += x->text[i];
		if (i < n % TEXT) rest += x->text[i];
	}
	if (!x->reads && fflush(x->f)) return GANG_EWRONG;
	return stdlib_right(&x->s, n, x->size > 1 ? n * x->size : n / TEXT * all + rest, digest);
}

void stdlib_stdio_free(void *state)
{
	struct stdio *x = state;
	fclose(x->f);
	gang_unmap(x, x->s.bytes);
}
