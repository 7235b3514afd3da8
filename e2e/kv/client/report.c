#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { double q; const char *name; } quantiles[] = { { .5, "p50" }, { .99, "p99" }, { .999, "p99.9" } };

static double per(int64_t sum, int64_t n)
{
	return n ? (double)sum / n : 0;
}

static int used(const struct outcome *o, int stage)
{
	return o->all->stage[stage].total > 0;
}

/* Of all nodes together. */
static void counters(const struct outcome *o)
{
	struct wire_stats s = { 0 };
	const struct wire_stats *leader = &o->node[0].stats;
	int64_t n = o->all->done;
	for (int i = 0; i < config.nodes; i++) {
		s.cpu_ns += o->node[i].stats.cpu_ns;
		s.nvcsw += o->node[i].stats.nvcsw;
		s.minflt += o->node[i].stats.minflt;
	}
	printf("\t%.1f cpu-ns/op\t%.1f client-cpu-ns/op", per(s.cpu_ns, n), per(o->cpu_ns, n));
	for (int i = 0; i < 3; i++) {
		int64_t ns = histogram_quantile(&o->all->latency, quantiles[i].q);
		if (ns) printf("\t%lld %s-ns", (long long)ns, quantiles[i].name);
	}
	printf("\t%lld max-ns", (long long)o->all->latency.max);
	if (leader->syncs) printf("\t%.3f reqs/sync", per(leader->synced, leader->syncs));
	printf("\t%.4f nvcsw/op\t%.4f minflt/op", per(s.nvcsw, n), per(s.minflt, n));
	if (leader->serial) printf("\t%.1f serial-ns", per(leader->serial_ns, leader->serial));
}

/* A stage's mean is over all requests: together they are the mean latency. */
void report(const struct outcome *o)
{
	const struct tally *t = o->all;
	if (o->killed) {
		printf("acknowledged: %lld\n", (long long)t->done);
		return;
	}
	printf("digest: %016llx\n", (unsigned long long)t->digest);
	printf("setup-ns: %lld\n", (long long)o->setup_ns);
	printf("BenchmarkKV\t%lld\t%.1f ns/op", (long long)t->done, per(o->ns, t->done));
	counters(o);
	for (int i = 0; i < STAGES; i++)
		if (used(o, i)) printf("\t%.1f %s-ns", per(t->stage_ns[i], t->done), stage_names[i]);
	printf("\n");
}

static int64_t low(int bucket)
{
	int e = bucket < 2 * HISTOGRAM_STEPS ? 0 : bucket / HISTOGRAM_STEPS - 1;
	return (int64_t)(bucket - e * HISTOGRAM_STEPS) << e;
}

/* "histogram" holds [lower edge in ns, count] of each bucket that is not empty. */
static void json_histogram(FILE *f, const struct histogram *h, int64_t sum)
{
	const char *comma = "";
	fprintf(f, "{\"n\":%llu,\"mean_ns\":%.1f", (unsigned long long)h->total, per(sum, h->total));
	for (int i = 0; i < 3; i++) {
		int64_t ns = histogram_quantile(h, quantiles[i].q);
		if (ns) fprintf(f, ",\"%s_ns\":%lld", quantiles[i].name, (long long)ns);
	}
	fprintf(f, ",\"max_ns\":%lld,\"histogram\":[", (long long)h->max);
	for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!h->count[i]) continue;
		fprintf(f, "%s[%lld,%llu]", comma, (long long)low(i), (unsigned long long)h->count[i]);
		comma = ",";
	}
	fprintf(f, "]}");
}

/* Times of one request are from its intended start on. */
static void json_slow(FILE *f, const struct slow *s, const struct outcome *o)
{
	const struct wire_sync *y = slow_sync(s, &o->node[0]);
	fprintf(f, "{\"op\":%lld,\"get\":%s,\"latency_ns\":%lld,\"stages_ns\":{", (long long)s->op, s->read ? "true" : "false",
		(long long)s->latency);
	for (int i = 0, n = 0; i < STAGES; i++)
		if (used(o, i)) fprintf(f, "%s\"%s\":%lld", n++ ? "," : "", stage_names[i], (long long)s->stage[i]);
	fprintf(f, "}");
	if (y) fprintf(f, ",\"sync\":{\"start_ns\":%lld,\"end_ns\":%lld,\"batch\":%llu}", (long long)(y->start - s->intended),
		(long long)(y->end - s->intended), (unsigned long long)y->batch);
	fprintf(f, "}");
}

static void json_nodes(FILE *f, const struct outcome *o)
{
	for (int i = 0; i < config.nodes; i++) {
		const struct wire_stats *s = &o->node[i].stats;
		fprintf(f, "%s{\"cpu_ns\":%lld,\"nvcsw\":%lld,\"nivcsw\":%lld,\"minflt\":%lld,\"syncs\":%llu,\"synced\":%llu,"
			"\"serial\":%llu,\"serial_ns\":%llu,\"snapshots\":%llu}", i ? "," : "",
			(long long)s->cpu_ns, (long long)s->nvcsw, (long long)s->nivcsw, (long long)s->minflt,
			(unsigned long long)s->syncs, (unsigned long long)s->synced, (unsigned long long)s->serial,
			(unsigned long long)s->serial_ns, (unsigned long long)s->snapshots);
	}
}

static void json_syncs(FILE *f, const struct outcome *o)
{
	const struct node *leader = &o->node[0];
	struct histogram *h = reserve(sizeof *h);
	int64_t sum = 0, longer;
	double quantile;
	for (uint64_t i = 0; i < leader->stats.kept; i++) {
		int64_t ns = leader->syncs[i].end - leader->syncs[i].start;
		histogram_add(h, ns);
		sum += ns;
	}
	fprintf(f, ",\"syncs\":");
	json_histogram(f, h, sum);
	int held = slow_held(o, &longer, &quantile);
	fprintf(f, ",\"slowest_held\":%d,\"held_longer_ns\":%lld", held, (long long)longer);
	if (longer) fprintf(f, ",\"held\":\"%d of the %d slowest waited for a sync longer than %.3f ms (%g of %llu syncs are shorter)\"",
		held, o->all->nslow, longer / 1e6, quantile, (unsigned long long)h->total);
	free(h);
}

void report_json(const struct outcome *o, const char *file)
{
	const struct tally *t = o->all;
	FILE *f = fopen(file, "w");
	if (!f) die("write %s: %s", file, strerror(errno));
	fprintf(f, "{\"schema\":1,\"n\":%lld,\"clients\":%d,\"ns\":%lld,\"setup_ns\":%lld,\"client_cpu_ns\":%lld,\"digest\":\"%016llx\",\"nodes\":[",
		(long long)t->done, config.clients, (long long)o->ns, (long long)o->setup_ns, (long long)o->cpu_ns,
		(unsigned long long)t->digest);
	json_nodes(f, o);
	fprintf(f, "],\"latency\":");
	json_histogram(f, &t->latency, t->latency_ns);
	fprintf(f, ",\"stages\":{");
	for (int i = 0, n = 0; i < STAGES; i++) {
		if (!used(o, i)) continue;
		fprintf(f, "%s\"%s\":", n++ ? "," : "", stage_names[i]);
		json_histogram(f, &t->stage[i], t->stage_ns[i]);
	}
	fprintf(f, "}");
	json_syncs(f, o);
	fprintf(f, ",\"slowest\":[");
	for (int i = 0; i < t->nslow; i++) {
		if (i) fprintf(f, ",");
		json_slow(f, &t->slow[i], o);
	}
	fprintf(f, "]}\n");
	if (fclose(f)) die("write %s: %s", file, strerror(errno));
}
