#include <stddef.h>
#include <stdint.h>

/* A subtree, normalised: its labels in preorder, and counted in order of their names. */
struct subtree {
	uint64_t text, size;        /* where its labels are, each with its NUL, one after another */
	uint32_t counts, kinds;     /* where its counts are */
	uint32_t parts, statements; /* where its children are */
	uint32_t nodes;
	uint32_t file, first, end;  /* the nodes of the file that it spans */
};

struct count {
	uint64_t label;
	uint32_t nodes;
};

struct part {
	uint64_t text, size;
};

struct forest {
	const char *text;
	const struct subtree *subtree;
	const struct count *count;
	const struct part *part;
	uint32_t subtrees;
};

struct smells {
	uint32_t found, best; /* how many peers are similar, and the most similar of them */
	uint64_t percent;     /* the sum of their similarities */
};

void clone_smells(const struct forest *, uint32_t left, struct smells *);
