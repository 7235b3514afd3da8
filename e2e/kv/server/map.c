/* A skip list (Pugh 1990), a quarter of the nodes on each next level. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { LEVELS = 16 };

struct value {
	uint64_t version;
	size_t len;
	char bytes[];
};

struct node {
	struct value *value;
	uint16_t key;
	uint8_t levels;
	struct node *next[];	/* the key follows */
};

static struct {
	pthread_mutex_t lock;
	struct node *first[LEVELS];
	uint64_t version, size, seed;
} map = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char *key_of(struct node *n)
{
	return (char *)(n->next + n->levels);
}

static int compare(struct node *n, const char *key, size_t len)
{
	int c = memcmp(key_of(n), key, n->key < len ? n->key : len);
	return c ? c : (n->key > len) - (n->key < len);
}

/* The last node before the key on each level, as the place of its successor. */
static struct node *find(const char *key, size_t len, struct node **before[LEVELS])
{
	struct node **at = map.first;
	for (int l = LEVELS - 1; l >= 0; l--) {
		while (at[l] && compare(at[l], key, len) < 0) at = at[l]->next;
		before[l] = &at[l];
	}
	struct node *n = *before[0];
	return n && !compare(n, key, len) ? n : 0;
}

static int levels(void)
{
	uint64_t r = wire_mix(++map.seed);
	int n = 1;
	for (; n < LEVELS && !(r & 3); r >>= 2) n++;
	return n;
}

static int insert(const char *key, size_t len, struct value *v, struct node **before[LEVELS])
{
	int n = levels();
	struct node *node = malloc(sizeof *node + n * sizeof *node->next + len);
	if (!node) return ENOMEM;
	node->value = v;
	node->key = len;
	node->levels = n;
	memcpy(key_of(node), key, len);
	for (int l = 0; l < n; l++) {
		node->next[l] = *before[l];
		*before[l] = node;
	}
	map.size++;
	return 0;
}

/* Takes the value, and tells its version; 0 is the next one. */
static int put(const char *key, size_t key_len, struct value *v, uint64_t *version)
{
	struct node **before[LEVELS], *n;
	struct value *old = v;
	int err = 0;
	pthread_mutex_lock(&map.lock);
	if (!v->version) v->version = map.version + 1;
	*version = v->version;
	n = find(key, key_len, before);
	if (!n) err = insert(key, key_len, v, before);
	if (!n && !err) old = 0;
	if (n && n->value->version < v->version) {
		old = n->value;
		n->value = v;
	}
	if (!err && map.version < v->version) map.version = v->version;
	pthread_mutex_unlock(&map.lock);
	free(old);
	return err;
}

static struct value *value_new(const char *value, size_t len, uint64_t version)
{
	struct value *v = malloc(sizeof *v + len);
	if (!v) return 0;
	v->version = version;
	v->len = len;
	memcpy(v->bytes, value, len);
	return v;
}

int map_replay(const char *key, size_t key_len, const char *value, size_t len, uint64_t version)
{
	struct value *v = value_new(value, len, version);
	return v ? put(key, key_len, v, &version) : ENOMEM;
}

int map_put(const char *key, size_t key_len, const char *value, size_t len, uint64_t *version)
{
	struct value *v = value_new(value, len, 0);
	return v ? put(key, key_len, v, version) : ENOMEM;
}

char *map_get(const char *key, size_t key_len, size_t *len, uint64_t *version, int *err)
{
	struct node **before[LEVELS];
	char *copy = 0;
	pthread_mutex_lock(&map.lock);
	struct node *n = find(key, key_len, before);
	if (n) {
		*len = n->value->len;
		*version = n->value->version;
		copy = malloc(*len + !*len);
		if (copy) memcpy(copy, n->value->bytes, *len);
	}
	*err = n && !copy ? ENOMEM : 0;
	pthread_mutex_unlock(&map.lock);
	return copy;
}

uint64_t map_size(void)
{
	pthread_mutex_lock(&map.lock);
	uint64_t size = map.size;
	pthread_mutex_unlock(&map.lock);
	return size;
}

long map_walk(struct buffer *b, struct buffer *after)
{
	struct node **before[LEVELS];
	long entries = 0;
	int err = 0;
	pthread_mutex_lock(&map.lock);
	struct node *n = map.first[0], *last = 0;
	if (after->len && (n = find(after->p, after->len, before))) n = n->next[0];
	for (; n && !err && b->len < 256 << 10; n = n->next[0], entries++) {
		err = record_entry(b, key_of(n), n->key, n->value->bytes, n->value->len, n->value->version);
		last = n;
	}
	after->len = 0;
	if (last && !err) err = buffer_add(after, key_of(last), last->key);
	pthread_mutex_unlock(&map.lock);
	return err ? -1 : entries;
}

void map_free(void)
{
	for (struct node *n = map.first[0], *next; n; n = next) {
		next = n->next[0];
		free(n->value);
		free(n);
	}
}
