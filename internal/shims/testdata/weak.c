__attribute__((weak)) int absent(void);

int demo_weak_op(void *state, int t, unsigned long n)
{
	int sum = 0;
	while (n--) sum += absent();
	return sum;
}

int main(void) { return 0; }
