#include <ctype.h>

int alloc_ctype(const unsigned char *s)
{
	int digits = 0;
	for (; *s; s++) digits += !!isdigit(*s);
	return digits;
}
