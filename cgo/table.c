#include "shim.h"

#define FLOOR(k) .new = cgo_floor_new, .op = k##_op, .check = cgo_floor_check, .free = cgo_floor_free
#define OPS(k) .new = k##_new, .op = k##_op, .check = k##_check, .free = k##_free

const struct kernel cgo_kernels[] = {
	{ "Empty", "", 0, .usual = "", .quick = "", .flags = KERNEL_CONTROL, FLOOR(cgo_empty) },
	{ "Call", "", "cgo_nothing", .usual = "", .flags = KERNEL_CONTROL, FLOOR(cgo_call) },
	{ "CallPointer", "", "*", .usual = "", .flags = KERNEL_CONTROL, FLOOR(cgo_pointer) },
	{ "Nop", "batch=1", 0, .usual = "", .quick = "", .flags = KERNEL_CONTROL, FLOOR(cgo_nop) },
	{ "Callback", "", "cgo_back", .usual = "", .flags = KERNEL_CONTROL | KERNEL_CALLER, FLOOR(cgo_callback) },
	{ "Copy", "size=64 batch=1,10000", "memcpy", .usual = "",
	  .quick = "batch=1", .flags = KERNEL_BYTES, OPS(cgo_copy) },
	{ 0 }
};
