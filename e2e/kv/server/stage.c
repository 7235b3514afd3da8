/*
 * What the node counts.  The stages' times travel with each answer: the client
 * makes their histograms, so that no build pays for them.
 */
#define _GNU_SOURCE
#include <string.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "server.h"

enum { KEPT = 1 << 17 };	/* of the newest syncs */

static struct {
	struct wire_sync *syncs;
	struct wire_stats now, mark;
} stage;

/* Only the one that leads comes here, and the one that reads when all is quiet. */
void stage_sync(int64_t start, int64_t end, uint64_t batch)
{
	if (!stage.syncs) stage.syncs = malloc(KEPT * sizeof *stage.syncs);
	uint64_t n = __atomic_load_n(&stage.now.syncs, __ATOMIC_RELAXED);
	if (stage.syncs) stage.syncs[n % KEPT] = (struct wire_sync){ start, end, batch };
	__atomic_add_fetch(&stage.now.synced, batch, __ATOMIC_RELAXED);
	__atomic_store_n(&stage.now.syncs, n + 1, __ATOMIC_RELEASE);
}

void stage_request(void)
{
	__atomic_add_fetch(&stage.now.requests, 1, __ATOMIC_RELAXED);
}

void stage_serial(int64_t ns)
{
	__atomic_add_fetch(&stage.now.serial_ns, ns, __ATOMIC_RELAXED);
	__atomic_add_fetch(&stage.now.serial, 1, __ATOMIC_RELAXED);
}

static struct wire_stats now(void)
{
	struct wire_stats s;
	struct rusage ru;
	struct timespec ts;
	s.requests = __atomic_load_n(&stage.now.requests, __ATOMIC_RELAXED);
	s.serial_ns = __atomic_load_n(&stage.now.serial_ns, __ATOMIC_RELAXED);
	s.serial = __atomic_load_n(&stage.now.serial, __ATOMIC_RELAXED);
	s.syncs = __atomic_load_n(&stage.now.syncs, __ATOMIC_ACQUIRE);
	s.synced = __atomic_load_n(&stage.now.synced, __ATOMIC_RELAXED);
	s.snapshots = snapshot_count();
	getrusage(RUSAGE_SELF, &ru);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	s.cpu_ns = ts.tv_sec * 1000000000LL + ts.tv_nsec;
	s.minflt = ru.ru_minflt;
	s.nvcsw = ru.ru_nvcsw;
	s.nivcsw = ru.ru_nivcsw;
	s.nodes = replica_nodes();
	s.kept = 0;
	return s;
}

void stage_mark(void)
{
	stage.mark = now();
}

void stage_stats(struct buffer *b)
{
	struct wire_stats s = now();
	uint64_t first = stage.mark.syncs, last = s.syncs;
	if (last - first > KEPT) first = last - KEPT;
	if (!stage.syncs) first = last;
	s.cpu_ns -= stage.mark.cpu_ns;
	s.minflt -= stage.mark.minflt;
	s.nvcsw -= stage.mark.nvcsw;
	s.nivcsw -= stage.mark.nivcsw;
	s.requests -= stage.mark.requests;
	s.serial_ns -= stage.mark.serial_ns;
	s.serial -= stage.mark.serial;
	s.syncs -= stage.mark.syncs;
	s.synced -= stage.mark.synced;
	s.snapshots -= stage.mark.snapshots;
	s.kept = last - first;
	buffer_add(b, &s, sizeof s);
	for (; first < last; first++)
		if (buffer_add(b, &stage.syncs[first % KEPT], sizeof *stage.syncs)) break;
}

void stage_free(void)
{
	free(stage.syncs);
}
