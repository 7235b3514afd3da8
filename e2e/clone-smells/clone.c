#include <string.h>
#include "clone.h"

enum { SIMILAR = 70 };

static int overlap(const struct subtree *a, const struct subtree *b)
{
	return a->file == b->file && a->first < b->end && b->first < a->end;
}

static uint32_t percent(uint32_t shared, uint32_t a, uint32_t b)
{
	return a + b > shared ? 100 * shared / (a + b - shared) : 0;
}

/* Nodes with equal labels, whatever their order: both lists are sorted. */
static uint32_t shared_nodes(const struct forest *f, const struct subtree *a, const struct subtree *b)
{
	const struct count *p = f->count + a->counts, *p_end = p + a->kinds;
	const struct count *q = f->count + b->counts, *q_end = q + b->kinds;
	uint32_t shared = 0;
	while (p < p_end && q < q_end) {
		int order = strcmp(f->text + p->label, f->text + q->label);
		if (!order) shared += p->nodes < q->nodes ? p->nodes : q->nodes;
		if (order <= 0) p++;
		if (order >= 0) q++;
	}
	return shared;
}

/* Children of a that follow each other in b too, perhaps with others between them. */
static uint32_t shared_statements(const struct forest *f, const struct subtree *a, const struct subtree *b)
{
	const struct part *p = f->part + a->parts;
	const struct part *q = f->part + b->parts, *q_end = q + b->statements;
	uint32_t shared = 0;
	for (uint32_t i = 0; i < a->statements; i++)
		for (const struct part *r = q; r < q_end; r++)
			if (p[i].size == r->size && !memcmp(f->text + p[i].text, f->text + r->text, r->size)) {
				shared++;
				q = r + 1;
				break;
			}
	return shared;
}

/* How similar b is to a, in percent, 0 below the threshold: cheap questions first. */
static uint32_t similarity(const struct forest *f, const struct subtree *a, const struct subtree *b)
{
	uint32_t less = a->nodes < b->nodes ? a->nodes : b->nodes;
	if (percent(less, a->nodes, b->nodes) < SIMILAR) return 0;
	if (a->size == b->size && !memcmp(f->text + a->text, f->text + b->text, a->size)) return 100;
	uint32_t nodes = percent(shared_nodes(f, a, b), a->nodes, b->nodes);
	if (nodes < SIMILAR) return 0;
	uint32_t statements = percent(shared_statements(f, a, b), a->statements, b->statements);
	uint32_t both = (2 * nodes + statements) / 3;
	return both < SIMILAR ? 0 : both;
}

void clone_smells(const struct forest *f, uint32_t left, struct smells *s)
{
	const struct subtree *a = f->subtree + left;
	uint32_t most = 0;
	memset(s, 0, sizeof *s);
	for (uint32_t i = 0; i < f->subtrees; i++) {
		const struct subtree *b = f->subtree + i;
		if (overlap(a, b)) continue;
		uint32_t found = similarity(f, a, b);
		if (!found) continue;
		s->found++;
		s->percent += found;
		if (found > most) {
			most = found;
			s->best = i;
		}
	}
}
