/* A room of its own, demo, whose loops reach libc in every way that there is. */
typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t);
void *malloc(size_t);
void free(void *);
int getppid(void);
long syscall(long, ...);
int *__errno_location(void);

#define LAUNDER(x) __asm__ volatile("" : "+r"(x) : : "memory")

int demo_copy_op(void *state, int t, unsigned long n)
{
	for (size_t size = t; n--;) {
		LAUNDER(size);
		void *p = memcpy(state, (char *)state + 64, size);
		LAUNDER(p);
	}
	return 0;
}

int demo_pair_op(void *state, int t, unsigned long n)
{
	while (n--) {
		void *p = malloc(64);
		LAUNDER(p);
		if (!p) return *__errno_location();
		free(p);
	}
	return 0;
}

static void *volatile demo_pointer = malloc;

int demo_pointer_op(void *state, int t, unsigned long n)
{
	while (n--) ((void (*)(size_t))demo_pointer)(n);
	return 0;
}

int demo_function_op(void *state, int t, unsigned long n)
{
	while (n--) syscall(110);
	return 0;
}

int demo_instruction_op(void *state, int t, unsigned long n)
{
	while (n--) {
		long r = 110;
		__asm__ volatile("syscall" : "+a"(r) : : "rcx", "r11", "memory");
	}
	return 0;
}

/* What is called in a loop may call without one ... */
__attribute__((noinline)) static int demo_step(unsigned long n)
{
	LAUNDER(n);
	return getppid() + 1;
}

int demo_helper_op(void *state, int t, unsigned long n)
{
	int sum = 0;
	while (n--) sum += demo_step(n);
	return sum;
}

/* ... and say why it failed ... */
__attribute__((noinline)) static int demo_try(unsigned long n)
{
	LAUNDER(n);
	return getppid() < 0 ? *__errno_location() : 0;
}

int demo_errno_op(void *state, int t, unsigned long n)
{
	while (n--) demo_try(n);
	return 0;
}

/* ... what is called before it may not, even with a loop ... */
__attribute__((noinline)) static int demo_prepare(unsigned long n)
{
	int sum = 0;
	while (n--) sum += getppid();
	return sum;
}

int demo_prepared_op(void *state, int t, unsigned long n)
{
	int sum = demo_prepare(n);
	while (n--) LAUNDER(sum);
	return sum;
}

/* ... and what is jumped to goes on with the op. */
__attribute__((noinline)) static int demo_rest(void *state, int t, unsigned long n)
{
	int sum = 0;
	while (n--) sum += getppid();
	return sum;
}

int demo_tail_op(void *state, int t, unsigned long n)
{
	return demo_rest(state, t, n);
}

/* ... and so does what gcc split off; it is like demo_prepare, and gcc may make one function of both. */
__attribute__((noinline)) static int demo_rest_of(unsigned long n) __asm__("demo_parted_op.part.0");
static int demo_rest_of(unsigned long n)
{
	int sum = 0;
	while (n--) sum += getppid();
	return sum;
}

int demo_parted_op(void *state, int t, unsigned long n)
{
	return demo_rest_of(n) + t;
}

/* gang.h's inline functions are as good as the room's. */
__attribute__((noinline)) static int gang_step(unsigned long n)
{
	LAUNDER(n);
	return getppid() + 2;
}

int demo_gang_op(void *state, int t, unsigned long n)
{
	int sum = 0;
	while (n--) sum += gang_step(n);
	return sum;
}

/* Without end, if one goes into every call. */
int demo_odd(unsigned long n);
int demo_even(unsigned long n)
{
	LAUNDER(n);
	return n ? demo_odd(n - 1) + getppid() : 0;
}
int demo_odd(unsigned long n)
{
	LAUNDER(n);
	return n ? demo_even(n - 1) + 1 : 0;
}

int demo_recursive_op(void *state, int t, unsigned long n)
{
	int sum = 0;
	while (n--) sum += demo_odd(n);
	return sum;
}

/* No loop: right for a row with batch= only. */
int demo_batch_op(void *state, int t, unsigned long n)
{
	return getppid();
}

int demo_switch_op(void *state, int t, unsigned long n)
{
	int sum = 0;
	while (n--)
		switch (n % 8) {
		case 0: sum += getppid(); break;
		case 1: sum *= 3; break;
		case 2: sum ^= t; break;
		case 3: sum -= getppid(); break;
		case 4: sum = -sum; break;
		case 5: sum >>= 1; break;
		case 6: sum |= 17; break;
		}
	return sum;
}

int main(void) { return 0; }
