#include "mix.h"

int alloc_mix(const char *row, struct mix *m)
{
	const char *s = gang_key(row, "sizes");
	int rare = gang_is(row, "law", "inverse-square");
	m->least = m->most = gang_num(row, "sizes", 0);
	while (s && *s >= '0' && *s <= '9') s++;
	if (s && *s == '.') {
		m->most = 0;
		for (s += 2; *s >= '0' && *s <= '9'; s++) m->most = 10 * m->most + *s - '0';
	}
	if (m->least < 2 * sizeof(struct block) || m->most < m->least) return GANG_EINVAL;
	double most = 1. / m->least, least = 1. / m->most;
	for (unsigned i = 0; i < SIZES; i++)
		m->size[i] = rare ? 1 / (most - (i + .5) / SIZES * (most - least))
			: m->least + (uint64_t)i * (m->most - m->least + 1) / SIZES;
	return 0;
}

size_t alloc_mix_need(const struct shape *s, size_t blocks)
{
	struct mix m;
	size_t sum = 0;
	if (alloc_mix(s->row, &m)) return 0;
	for (int i = 0; i < SIZES; i++) sum += m.size[i] + 16;
	return blocks * (sum / SIZES);
}
