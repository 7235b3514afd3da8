#include "shim.h"

#define OPS(k) .new = k##_new, .op = k##_op, .check = k##_check, .free = k##_free
#define PAIR .new = alloc_pair_new, .sit = alloc_pair_sit, .check = alloc_pair_check, .free = alloc_pair_free, \
	.need = alloc_pair_need
#define GROW .sit = alloc_append_sit, .need = alloc_append_need, OPS(alloc_append)
#define PAIR_SIZES "size=8,16,64,256,1024,4096,16384,65536,262144,1048576,8388608 "
#define OPENWRT "https://github.com/openwrt/openwrt/issues/10752"
#define TIPPING "https://github.com/richfelker/mallocng-draft/issues/3"
#define FD "https://github.com/sharkdp/fd/issues/710"
#define INVERSE_SQUARE "https://sourceware.org/git/?p=glibc.git;a=blob;f=benchtests/bench-malloc-thread.c"

/*
 * In the default set: what a program does most (replacement of mixed sizes, by
 * threads), and beside each simple shape the one that turns its answer round.
 * live= moves musl's pair of 64 bytes by a factor of five; a large block is a
 * system call in one libc and not in the other; a free by another thread stands
 * beside its control; of realloc one row that musl wins and one that it loses;
 * of memory what stays where nearly all was freed, and where threads have ended.
 */
const struct kernel alloc_kernels[] = {
	{ "Pair", PAIR_SIZES "live=0,1,5,16,31 threads=1", "malloc free",
	  .usual = "size=64 live=0,1,5,16 | size=4096 live=0,1 | size=1024,65536,1048576 live=1",
	  .quick = "size=64,4096 live=1", .flags = KERNEL_SAME_N | KERNEL_CURVE,
	  .about = "malloc and free at once; the cost hangs on how many blocks of the size are live", .source = TIPPING,
	  .op = alloc_pair_op, PAIR },
	{ "Pair", PAIR_SIZES "live=0 other=1 threads=1", "malloc free", .flags = KERNEL_SAME_N | KERNEL_CURVE,
	  .about = "malloc and free at once beside one block of another class", .source = TIPPING,
	  .op = alloc_pair_op, PAIR },
	{ "Pair", "size=64,4096,65536 live=1 threads=2,8,64 place=spread", "malloc free", .flags = KERNEL_SAME_N,
	  .about = "malloc and free at once in each of several threads", .source = FD,
	  .op = alloc_pair_op, PAIR },
	{ "Pair", "size=64 live=1 threads=1 proc=plain", "malloc free", .usual = "",
	  .quick = "", .flags = KERNEL_SAME_N,
	  .about = "malloc and free at once in a program that never had a second thread", .source = OPENWRT,
	  .op = alloc_pair_op, PAIR },
	{ "Pair", "size=64,4096 live=0,5,16 threads=1 proc=plain", "malloc free", .flags = KERNEL_SAME_N,
	  .about = "malloc and free at once in a program that never had a second thread", .source = OPENWRT,
	  .op = alloc_pair_op, PAIR },
	{ "Aligned", "align=64 size=64,1024,4096,65536 live=1,16 threads=1", "aligned_alloc free",
	  .usual = "size=64 live=1", .flags = KERNEL_SAME_N,
	  .about = "aligned_alloc to a cache line, and free",
	  .source = "https://sourceware.org/bugzilla/show_bug.cgi?id=14581",
	  .op = alloc_pair_aligned_op, PAIR },
	{ "Aligned", "align=4096 size=4096,65536,1048576 live=1,16 threads=1", "aligned_alloc free",
	  .flags = KERNEL_SAME_N, .about = "aligned_alloc to a page, as for direct I/O, and free",
	  .source = "https://sourceware.org/bugzilla/show_bug.cgi?id=14581",
	  .op = alloc_pair_aligned_op, PAIR },
	{ "Touched", "size=65536,262144,1048576,4194304,16777216,67108864 touched=pages threads=1", "malloc free",
	  .usual = "size=1048576", .flags = KERNEL_SAME_N,
	  .about = "malloc, a byte written in each page, free; one op is one page, faulted in anew or not",
	  .source = "https://github.com/sonos/tract/pull/2783",
	  .op = alloc_pair_touched_op, PAIR },
	{ "Touched", "size=65536,1048576,4194304 touched=pages threads=4,16 place=spread", "malloc free",
	  .flags = KERNEL_SAME_N,
	  .about = "the same by threads, which wait for each other where memory is mapped",
	  .source = "https://github.com/bram209/leptosfmt/pull/191",
	  .op = alloc_pair_touched_op, PAIR },
	{ "Batch", "size=64,1024,16384 count=100,4096 order=lifo,fifo,random threads=1", "malloc free",
	  .usual = "size=64 count=4096 order=lifo,random", .flags = KERNEL_SAME_N,
	  .about = "a batch is allocated, then freed in this order; one op is one malloc and one free",
	  .source = "https://github.com/genodelabs/genode/issues/1908", OPS(alloc_batch) },
	{ "Batch", "size=64,1024 count=4096 order=random threads=8 place=spread", "malloc free",
	  .flags = KERNEL_SAME_N,
	  .about = "the same by each of several threads", .source = FD, OPS(alloc_batch) },
	/*
	 * No KERNEL_SAME_N: a live set that is replaced over and over does not
	 * depend on n.  With musl's n glibc's sample at 8 threads ends before its
	 * caches are warm, 27 ns an op where it takes 14.
	 */
	{ "Replace", "sizes=16..1039 live=1024 threads=1,2,4,8,16,32,64 place=spread", "malloc free",
	  .usual = "threads=1,2,4,8", .quick = "threads=1,8", .summary = "threads=1,8",
	  .about = "a random one of 1024 live blocks is freed, one of another size takes its place", .source = FD,
	  .sit = alloc_replace_sit, .need = alloc_replace_need, OPS(alloc_replace) },
	{ "Replace", "sizes=64 live=1024 threads=1,2,4,8,16,32,64 place=spread", "malloc free",
	  .usual = "threads=1,8",
	  .about = "the same with blocks of one size", .source = "https://github.com/pkgcraft/pkgcraft/issues/179",
	  .sit = alloc_replace_sit, .need = alloc_replace_need, OPS(alloc_replace) },
	{ "Replace", "sizes=8..32768 law=inverse-square live=1024 threads=1,2,4,8,16,32,64 place=spread", "malloc free",
	  .usual = "threads=1,8",
	  .about = "the same, most blocks small and a few large: glibc's own benchmark draws sizes so",
	  .source = INVERSE_SQUARE,
	  .sit = alloc_replace_sit, .need = alloc_replace_need, OPS(alloc_replace) },
	{ "Replace", "sizes=16..1039,64 live=128 threads=256,1024 place=spread", "malloc free",
	  .about = "the same by hundreds of threads, 128 live blocks in each", .source = FD,
	  .sit = alloc_replace_sit, .need = alloc_replace_need, OPS(alloc_replace) },
	{ "Replace", "sizes=8..32768 law=inverse-square live=128 threads=256,1024 place=spread", "malloc free",
	  .about = "the same, most blocks small and a few large", .source = INVERSE_SQUARE,
	  .sit = alloc_replace_sit, .need = alloc_replace_need, OPS(alloc_replace) },
	{ "Larson", "sizes=16..1039,64 live=1024 every=1024 threads=1,2,8,64 place=spread", "malloc free",
	  .usual = "sizes=16..1039 threads=8",
	  .about = "Replace where the threads pass their live blocks on: most are freed by another thread",
	  .source = "Larson, Krishnan: Memory Allocation for Long-Running Server Applications, ISMM 1998",
	  .sit = alloc_larson_sit, .need = alloc_larson_need, OPS(alloc_larson) },
	{ "Remote", "phase=alloc,free free=same,other size=64,16384 blocks=4096 threads=2 place=spread",
	  "malloc free gang_resume gang_pause syscall", .usual = "size=64",
	  .flags = KERNEL_PHASES | KERNEL_TOGETHER | KERNEL_SAME_N,
	  .about = "batches allocated by one thread and freed by another; only the phase named is timed",
	  .source = "https://github.com/firezone/firezone/pull/13909",
	  .need = alloc_remote_need, OPS(alloc_remote) },
	{ "Realloc", "step=double to=1048576 threads=1", "realloc free", .usual = "",
	  .quick = "", .flags = KERNEL_SAME_N,
	  .about = "one block grows from 64 bytes to 1 MiB by doubling, hardly written",
	  .source = "https://github.com/jemalloc/jemalloc/issues/126", OPS(alloc_grow) },
	{ "Grow", "step=chunk,double to=131072,1048576,32505856,268435456 growers=1 heap=used threads=1", "realloc free",
	  .flags = KERNEL_SAME_N,
	  .about = "a 256th of the end size is appended to a buffer that realloc grows", .source = OPENWRT, GROW },
	{ "Grow", "step=chunk,double to=131072,1048576,32505856 growers=2 heap=fresh,used threads=1", "realloc free",
	  .flags = KERNEL_SAME_N,
	  .about = "the same to two buffers in turn: neither can grow where it stands",
	  .source = "https://github.com/jemalloc/jemalloc/pull/139", GROW },
	{ "Grow", "step=chunk,double to=131072,1048576 growers=16,64 heap=used threads=1", "realloc free",
	  .usual = "step=double to=131072 growers=64", .flags = KERNEL_SAME_N,
	  .about = "the same to many buffers in turn", .source = "https://github.com/gperftools/gperftools/issues/55", GROW },
	/* A thread's arena is no main heap: glibc grows that with brk, and keeps less of it. */
	{ "Grow", "step=double to=1048576,32505856 growers=1,2 heap=fresh,used threads=1 proc=plain", "realloc free",
	  .usual = "to=32505856 growers=2 heap=used", .flags = KERNEL_SAME_N,
	  .about = "one or two buffers grow in a single-threaded program, to just below glibc's mmap threshold",
	  .source = "https://github.com/jemalloc/jemalloc/pull/139", GROW },
	{ "Grow", "step=double to=268435456 growers=1 heap=used threads=1 proc=plain", "realloc free",
	  .flags = KERNEL_SAME_N, .about = "one large buffer grows in a single-threaded program",
	  .source = "https://github.com/jemalloc/jemalloc/issues/126", GROW },
	{ "Shrink", "from=4096,131072,1048576,8388608 step=half to=64 threads=1", "malloc realloc free",
	  .flags = KERNEL_SAME_N,
	  .about = "a written block is halved by realloc down to 64 bytes and freed", OPS(alloc_shrink) },
	{ "Calloc", "size=4096,16384,65536,262144,1048576,8388608 touched=ends,pages threads=1", "calloc free",
	  .usual = "size=65536 touched=ends | size=1048576 touched=pages", .flags = KERNEL_SAME_N,
	  .about = "calloc and free; memory fresh from the kernel need not be cleared again",
	  .source = "https://vorpus.org/blog/why-does-calloc-exist/", OPS(alloc_calloc) },
	{ "Resident", "freed=none,all,scattered sizes=16..1039,64 blocks=16384 threads=1 proc=plain", "malloc free",
	  .usual = "freed=scattered sizes=16..1039", .flags = KERNEL_SAME_N,
	  .about = "memory held after 16384 blocks were allocated and these freed (scattered: 1 in 50 kept)",
	  .source = "https://github.com/cortexkit/aft/issues/201",
	  .unit = "rss-B", .value = alloc_resident_value, .need = alloc_resident_need, OPS(alloc_resident) },
	{ "Resident", "freed=none,all,scattered sizes=16..1039,64 blocks=4096 threads=16 place=spread proc=plain", "malloc free",
	  .usual = "freed=all sizes=16..1039", .flags = KERNEL_SAME_N,
	  .about = "the same by 16 threads that have ended: what their arenas keep",
	  .source = "https://github.com/amule-org/amule/pull/1095",
	  .unit = "rss-B", .value = alloc_resident_value, .need = alloc_resident_need, OPS(alloc_resident) },
	{ 0 }
};
