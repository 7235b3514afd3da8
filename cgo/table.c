#include "shim.h"

#define FLOOR(k) .new = cgo_floor_new, .op = k##_op, .check = cgo_floor_check, .free = cgo_floor_free
#define OPS(k) .new = k##_new, .op = k##_op, .check = k##_check, .free = k##_free

const struct kernel cgo_kernels[] = {
	{ "Empty", "", 0, .quick = "", .flags = KERNEL_CONTROL, FLOOR(cgo_empty) },
	{ "Call", "", "cgo_nothing", .flags = KERNEL_CONTROL, FLOOR(cgo_call) },
	{ "CallPointer", "", "*", .flags = KERNEL_CONTROL, FLOOR(cgo_pointer) },
	{ "Nop", "batch=1", 0, .quick = "", .flags = KERNEL_CONTROL, FLOOR(cgo_nop) },
	{ "Callback", "", "cgo_back", .flags = KERNEL_CONTROL | KERNEL_CALLER, FLOOR(cgo_callback) },
	{ "Copy", "size=64 batch=1,10000", "memcpy",
	  .quick = "batch=1", .flags = KERNEL_BYTES, OPS(cgo_copy) },
	{ 0 }
};
