/*
 * Calls much of libc, so that a static program holds the members that need
 * memory functions and locks of their own.  Prints nothing if all is well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <regex.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t sem;

static void *thread(void *arg)
{
	pthread_setspecific(key, arg);
	pthread_barrier_wait(&barrier);
	sem_post(&sem);
	return pthread_getspecific(key);
}

static int by_byte(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

static int threads(void)
{
	pthread_t t;
	pthread_attr_t attr;
	size_t stack = 0;
	void *got;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 20);
	pthread_attr_getstacksize(&attr, &stack);
	pthread_key_create(&key, 0);
	pthread_barrier_init(&barrier, 0, 2);
	sem_init(&sem, 0, 0);
	if (pthread_create(&t, &attr, thread, &got)) return 1;
	pthread_barrier_wait(&barrier);
	sem_wait(&sem);
	pthread_join(t, &got);
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_destroy(&attr);
	return got != &got || stack != 1 << 20;
}

static int texts(void)
{
	char text[200], *end, *save = 0, *copy = strndup("one two", 5);
	wchar_t wide[50];
	regex_t r;
	time_t now = 86400;
	struct tm tm;
	int n = 0, wrong = 0;
	setlocale(LC_ALL, "C");
	snprintf(text, sizeof text, "%s %d %.3f %a", copy, 17, M_PI, 0.5);
	wrong += sscanf(text, "%*s %*s %d", &n) != 1 || n != 17;
	wrong += strtod("1e3x", &end) != 1000 || *end != 'x';
	wrong += !strtok_r(text, " ", &save) || strverscmp("a9", "a10") >= 0;
	wrong += regcomp(&r, "a+b", REG_EXTENDED) || regexec(&r, "xaab", 0, 0, 0);
	regfree(&r);
	wrong += !gmtime_r(&now, &tm) || !strftime(text, sizeof text, "%c %Z", &tm) || !strptime("1970", "%Y", &tm);
	wrong += mbstowcs(wide, "wide", 50) != 4 || wcslen(wide) != 4;
	wrong += strncasecmp("ABC", "abd", 3) >= 0 || !strcasestr("xAb", "ab") || strlen(strerror(EINVAL)) == 0;
	wrong += !strsignal(SIGHUP) || !getenv("GOMAXPROCS") || !realpath("/", text);
	memccpy(text, "abc", 'c', 3);
	strncat(strcat(strcpy(text, "a"), "b"), "cd", 1);
	wrong += strcmp(text, "abc") || strchrnul(text, 'q') != text + 3;
#ifdef __GLIBC__
	wrong += mempcpy(text, "xyz", 3) != (void *)(text + 3) || rawmemchr(text, 'z') != (void *)(text + 2);
#endif
	qsort(text, 3, 1, by_byte);
	free(copy);
	return wrong;
}

static int files(void)
{
	char *line = 0;
	size_t room = 0;
	FILE *f = tmpfile();
	if (!f) return 1;
	fprintf(f, "%d lines\n", 1);
	rewind(f);
	int wrong = getline(&line, &room, f) != 8;
	free(line);
	return wrong + (fclose(f) != 0) + (fflush(0) != 0);
}

int main(void)
{
	int wrong = threads() + texts() + files();
	if (wrong) printf("%d wrong\n", wrong);
	return wrong != 0;
}
