/* Reads the log as a start would, and changes nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

/* The acknowledged upsert, or a later one of its key. */
static int is_there(unsigned long long op, unsigned long long version, const char *key)
{
	size_t len;
	uint64_t got;
	int err;
	char *value = map_get(key, strlen(key), &len, &got, &err);
	int64_t is = value ? wire_value_op(value, len) : -1;
	free(value);
	if (value && is >= 0 && (got > version || (got == version && is == (int64_t)op))) return 1;
	if (!value) say("op %llu: %s, version %llu, was acknowledged and is not there", op, key, version);
	else say("op %llu: %s, version %llu, was acknowledged; version %llu of op %lld is there", op, key, version,
		(unsigned long long)got, (long long)is);
	return 0;
}

/* Lines of "op version key". */
static int check(const char *file)
{
	unsigned long long op, version, lines = 0, missing = 0;
	char key[WIRE_KEY_MAX + 1], end;
	int got;
	FILE *f = fopen(file, "r");
	if (!f) {
		say("open %s: %s", file, strerror(errno));
		return 1;
	}
	while ((got = fscanf(f, "%llu %llu %1024s%c", &op, &version, key, &end)) == 4 && end == '\n') {
		lines++;
		missing += !is_there(op, version, key);
	}
	fclose(f);
	if (got != EOF) {
		say("%s:%llu: not an acknowledged upsert", file, lines + 1);
		return 1;
	}
	printf("acknowledged: %llu, missing: %llu\n", lines, missing);
	return missing > 0;
}

int replay(void)
{
	int err = store_open();
	if (!err) {
		printf("log: %s ends before record %llu at byte %llu\n", store_log.name,
			(unsigned long long)store_log.record, (unsigned long long)store_log.at);
		printf("entries: %llu, keys: %llu\n", (unsigned long long)store_log.entries, (unsigned long long)map_size());
		if (options.acked) err = check(options.acked);
	}
	map_free();
	store_close();
	return err ? 1 : 0;
}
