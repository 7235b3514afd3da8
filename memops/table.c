#include "shim.h"

#define OPS(family, function) .new = memops_##family##_new, .op = memops_##function##_op, \
	.check = memops_##family##_check, .free = memops_free
#define SIZES "size=1,8,31,64,256,1024,4096,16384,1048576 "

const struct kernel memops_kernels[] = {
	{ "Memcpy", SIZES "src=0 dst=0 threads=1", "memcpy", .usual = "",
	  .quick = "size=31,4096", .summary = "size=31,16384", .flags = KERNEL_BYTES, OPS(copy, memcpy) },
	{ "Memcpy", "size=4096 src=0 dst=1 threads=1", "memcpy", .usual = "",
	  .flags = KERNEL_BYTES, OPS(copy, memcpy) },
	{ "Memcpy", "sizes=1..64 src=0 dst=0 threads=1", "memcpy", .usual = "",
	  .quick = "", OPS(mixed, mixed) },
	{ "Memmove", SIZES "src=0 move=up,down by=64 threads=1", "memmove", .usual = "",
	  .flags = KERNEL_BYTES, OPS(move, memmove) },
	{ "Memset", SIZES "dst=0 byte=0 threads=1", "memset", .usual = "",
	  .quick = "size=4096", .flags = KERNEL_BYTES, OPS(fill, memset) },
	{ "Memcmp", SIZES "a=0 b=0 differ=none threads=1", "memcmp", .usual = "",
	  .quick = "size=1,4096", .summary = "size=4096", .flags = KERNEL_BYTES, OPS(compare, memcmp) },
	{ "Bcmp", SIZES "a=0 b=0 differ=none threads=1", "bcmp", .usual = "",
	  .flags = KERNEL_BYTES, OPS(compare, bcmp) },
	{ "Memchr", SIZES "src=0 needle=absent threads=1", "memchr", .usual = "",
	  .quick = "size=4096", .flags = KERNEL_BYTES, OPS(scan, memchr) },
	{ "Strlen", SIZES "src=0 threads=1", "strlen", .usual = "",
	  .quick = "size=64", .flags = KERNEL_BYTES, OPS(scan, strlen) },
	{ 0 }
};
