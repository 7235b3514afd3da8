/* Syncs that fail from the third on, as those of a disk that dies. */
#include <errno.h>

static int calls;

static int dies(void)
{
	if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) < 3) return 0;
	errno = EIO;
	return -1;
}

int fsync(int fd)
{
	return dies();
}

int fdatasync(int fd)
{
	return dies();
}
