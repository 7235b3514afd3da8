#include "shim.h"

#define OPS(loop) .new = fsync_file_new, .op = loop, .check = fsync_file_check, .free = fsync_file_free

/*
 * An appended file is as long as n says, and a quantile is one of n ops: every
 * variant runs the same n.
 */
enum { FLAGS = KERNEL_SAME_N | KERNEL_LATENCY | KERNEL_DISK | KERNEL_CONTROL };

const struct kernel fsync_kernels[] = {
	{ "Sync", "size=4096 by=fsync file=append threads=1", "write fsync", .usual = "",
	  .flags = FLAGS, OPS(fsync_append_fsync) },
	{ "Sync", "size=4096 by=fdatasync file=append threads=1", "write fdatasync", .usual = "",
	  .summary = "", .flags = FLAGS, OPS(fsync_append_fdatasync) },
	{ "Sync", "size=4096 by=fsync file=zeros threads=1", "pwrite fsync", .usual = "",
	  .flags = FLAGS, OPS(fsync_overwrite_fsync) },
	{ "Sync", "size=4096 by=fdatasync file=zeros threads=1", "pwrite fdatasync", .usual = "",
	  .quick = "", .flags = FLAGS, OPS(fsync_overwrite_fdatasync) },
	{ 0 }
};
