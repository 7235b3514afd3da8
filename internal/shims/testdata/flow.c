/* Loops of every form, for gcc to arrange as it likes, and one that it would not arrange so. */
void a(void);
int b(void);
int c(void);

void flow_before(long n)
{
	a();
	while (n--) b();
}

void flow_after(long n)
{
	while (n--) b();
	a();
	__asm__ volatile("");
}

void flow_both_ways(long n)
{
	for (long i = 0; i < n; i++)
		if (i & 1) a();
		else b();
}

void flow_nested(long n)
{
	for (long i = 0; i < n; i++) {
		a();
		for (long j = 0; j < i; j++) b();
	}
}

int flow_leaves(long n)
{
	while (n--)
		if (b()) {
			a();
			return 1;
		}
	return 0;
}

void flow_for_ever(void)
{
	for (;;) b();
}

int flow_no_loop(void)
{
	a();
	return b();
}

/* What gcc does not write, or not so. */
__asm__(
"	.globl flow_way_out, flow_conditional, flow_dead\n"
"	.type flow_way_out, @function\n"
"	.type flow_conditional, @function\n"
"	.type flow_dead, @function\n"
"flow_way_out:\n"
"1:	call b\n"
"	test %eax, %eax\n"
"	jne 2f\n"
"	call a\n"	/* between the jump back and its target, and not in the loop */
"	ret\n"
"2:	dec %rbx\n"
"	jne 1b\n"
"	ret\n"
"	.size flow_way_out, . - flow_way_out\n"
"flow_conditional:\n"
"	test %eax, %eax\n"
"	je c\n"	/* a call, the last one */
"1:	call b\n"
"	jmp 1b\n"
"	.size flow_conditional, . - flow_conditional\n"
"flow_dead:\n"
"	call a\n"
"	ud2\n"
"1:	call b\n"	/* never reached */
"	jmp 1b\n"
"	.size flow_dead, . - flow_dead\n"
);

__attribute__((noinline)) void a(void) { __asm__ volatile(""); }
__attribute__((noinline)) int b(void) { int r = 0; __asm__ volatile("" : "+r"(r)); return r; }
__attribute__((noinline)) int c(void) { int r = 1; __asm__ volatile("" : "+r"(r)); return r; }

int main(void) { return 0; }
