/* Prints what a sample that is asked for 1000 ops runs. */
#include <stdio.h>
#include "run.h"

int main(void)
{
	printf("%lu\n", gang_ops(1000));
	return 0;
}
