#include <limits.h>

int alloc_limits(int n)
{
	return INT_MAX - n;
}
