/*
 * Linked into a loop with the linker's --wrap: counts the calls that reach libc
 * from all objects of the program, and prints the counts at its end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WRAP(type, name, parameters, arguments) \
	static unsigned long count_##name; \
	type __real_##name parameters; \
	type __wrap_##name parameters { count_##name++; return __real_##name arguments; }

WRAP(void *, malloc, (size_t n), (n))
WRAP(void, free, (void *p), (p))
WRAP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(int, pthread_mutex_lock, (pthread_mutex_t *m), (m))
WRAP(int, pthread_mutex_unlock, (pthread_mutex_t *m), (m))
WRAP(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *arg), (t, a, start, arg))
WRAP(int, pthread_join, (pthread_t t, void **value), (t, value))

#define PRINT(name) fprintf(stderr, #name " %lu\n", count_##name)

__attribute__((destructor)) static void print(void)
{
	PRINT(malloc);
	PRINT(free);
	PRINT(write);
	PRINT(pthread_mutex_lock);
	PRINT(pthread_mutex_unlock);
	PRINT(pthread_create);
	PRINT(pthread_join);
}
