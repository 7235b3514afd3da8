/* The table's line that a row's name comes from, for the programs of this directory. */
#include "shim.h"

/* Whether a grid has the value that a row gives for each of its keys, and no other key. */
static int made(const char *row, const char *grid)
{
	for (; *grid; grid += *grid == ' ') {
		char key[16] = "", value[32];
		for (int i = 0; *grid != '='; grid++) key[i++] = *grid;
		int has = 0;
		do {
			int i = 0;
			for (grid++; *grid && *grid != ',' && *grid != ' '; grid++) value[i++] = *grid;
			value[i] = 0;
			has |= gang_is(row, key, value);
		} while (*grid == ',');
		if (!has) return 0;
	}
	return 1;
}

static int keys(const char *s)
{
	int n = 0;
	for (; *s; s++) n += *s == '=';
	return n;
}

/* The line of the table that a row comes from. */
static const struct kernel *memops_find_row(const char *row)
{
	const struct kernel *k = memops_kernels;
	for (; k->name; k++) {
		size_t name = 0;
		while (k->name[name]) name++;
		if (gang_same(row, k->name, name) && row[name] == '/' && keys(row) == keys(k->grid) && made(row, k->grid)) break;
	}
	return k;
}
