#include "shim.h"

#define OPS(k) .new = k##_new, .op = k##_op, .check = k##_check, .free = k##_free

const struct kernel alloc_kernels[] = {
	{ "Pair", "size=16,64,256,1024,4096,65536 live=0,1,16 threads=1", "malloc free", .usual = "",
	  .quick = "size=64,4096 live=1", .flags = KERNEL_SAME_N,
	  .sit = alloc_pair_sit, OPS(alloc_pair) },
	{ "Pair", "size=64 live=1 threads=1 proc=plain", "malloc free", .usual = "",
	  .quick = "", .flags = KERNEL_SAME_N, .sit = alloc_pair_sit, OPS(alloc_pair) },
	/*
	 * No KERNEL_SAME_N: a live set that is replaced over and over does not
	 * depend on n.  With musl's n glibc's sample at 8 threads ends before its
	 * caches are warm, 27 ns an op where it takes 14.
	 */
	{ "Replace", "sizes=16..1039 live=1024 threads=1,2,4,8 place=spread", "malloc free", .usual = "",
	  .quick = "threads=1,8", .summary = "threads=1,8",
	  .sit = alloc_replace_sit, OPS(alloc_replace) },
	{ "Realloc", "step=double to=1048576 threads=1", "realloc free", .usual = "",
	  .quick = "", .flags = KERNEL_SAME_N, OPS(alloc_grow) },
	{ "Calloc", "size=65536 touched=ends threads=1", "calloc free", .usual = "",
	  .flags = KERNEL_SAME_N, OPS(alloc_calloc) },
	{ 0 }
};
