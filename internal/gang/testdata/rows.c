/*
 * Runs rows of a room without Go, under a sanitizer:
 *
 *	rows DIR N WANT ROW...
 *
 * WANT is the errno that the ops are to end with, 0 for none.  ROOM_TABLE is
 * the room's table, by -D.  Prints what went wrong; rows whose loop is Go's
 * are set up and freed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

extern const struct kernel ROOM_TABLE[];

/* Whether a grid, "size=1,64 threads=1", holds key=value. */
static int holds(const char *grid, const char *key, size_t length)
{
	size_t name = strcspn(key, "=") + 1, value = length - name;
	for (; *grid; grid += strcspn(grid, " "), grid += strspn(grid, " ")) {
		if (strncmp(grid, key, name)) continue;
		for (const char *v = grid + name; ; v += strcspn(v, ", ") + 1) {
			if (strcspn(v, ", ") == value && !strncmp(v, key + name, value)) return 1;
			if (v[strcspn(v, ", ")] != ',') return 0;
		}
	}
	return 0;
}

/* The line of the table that a row is of: the same name, the same keys. */
static const struct kernel *find(const char *row)
{
	for (const struct kernel *k = ROOM_TABLE; k->name; k++) {
		size_t n = strcspn(row, "/"), keys = 0;
		int fits = !strncmp(k->name, row, n) && !k->name[n];
		for (const char *p = row + n; fits && *p; p += 1 + strcspn(p + 1, "/"), keys++)
			fits = holds(k->grid, p + 1, strcspn(p + 1, "/"));
		for (const char *p = k->grid; *p; p++) keys -= *p == '=';
		if (fits && !keys) return k;
	}
	return 0;
}

static int run(const char *row, const char *dir, unsigned long n, int want)
{
	const struct kernel *k = find(row);
	if (!k) return printf("%s: no such row\n", row);
	struct shape s = { .row = row, .dir = dir, .threads = gang_num(row, "threads", 1), .n = n };
	struct gang_result r = {0};
	if (!k->op) {
		int said, err = gang_check_idle(k, &s, &said);
		return err || said != GANG_EWRONG ? printf("%s: %s, idle %d\n", row, strerror(err), said) : 0;
	}
	gang_run(k, &s, k->flags & KERNEL_CALLER, &r);
	if (r.ops) gang_unmap(r.ops, sizeof *r.ops);
	int as_wanted = r.err == want && (!want || !strcmp(r.phase, "run"));
	return as_wanted ? 0 : printf("%s: %s: %s\n", row, r.phase, strerror(r.err));
}

int main(int argc, char **argv)
{
	int bad = 0;
	for (int i = 4; i < argc; i++) bad |= run(argv[i], argv[1], strtoul(argv[2], 0, 10), atoi(argv[3]));
	return !!bad;
}
