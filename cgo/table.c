#include "shim.h"

#define FLOOR(k) .new = cgo_floor_new, .op = k##_op, .check = cgo_floor_check, .free = cgo_floor_free
#define OPS(k) .new = k##_new, .op = k##_op, .check = k##_check, .free = k##_free
#define LOOP .new = cgo_tally_new, .check = cgo_tally_check, .free = cgo_tally_free

/*
 * The default set holds the floors, on which all else stands; the ends of both
 * curves, between which a batch decides whether libc shows at all; and the
 * three ways in which a Go program meets libc's allocator and threads: a
 * string's copy, malloc from many goroutines, a thread that is made for a call.
 */
const struct kernel cgo_kernels[] = {
	{ "Empty", "", 0, .usual = "", .quick = "", .flags = KERNEL_CONTROL, FLOOR(cgo_empty),
	  .about = "one turn of an empty loop in C: the floor under every row" },
	{ "Call", "", "cgo_nothing", .usual = "", .flags = KERNEL_CONTROL, FLOOR(cgo_call),
	  .about = "a call in C of a function that does nothing" },
	{ "CallPointer", "", "*", .usual = "", .flags = KERNEL_CONTROL, FLOOR(cgo_pointer),
	  .about = "the same by pointer, as a PLT or a table of functions calls" },
	{ "Nop", "batch=1", 0, .usual = "", .quick = "", .flags = KERNEL_CONTROL, FLOOR(cgo_nop),
	  .about = "a call from Go of a C function that does nothing",
	  .source = "https://shane.ai/posts/cgo-performance-in-go1.21/" },
	{ "Callback", "", "cgo_back", .usual = "", .flags = KERNEL_CONTROL | KERNEL_CALLER, FLOOR(cgo_callback),
	  .about = "a call from C of a Go function that does nothing, on a thread of Go's" },
	{ "Copy", "size=64 batch=1,10,100,1000,10000", "memcpy", .usual = "batch=1,10000",
	  .quick = "batch=1", .flags = KERNEL_BYTES, OPS(cgo_copy),
	  .about = "memcpy of 64 bytes, batch= of them a call from Go: what the call hides" },
	{ "Pair", "size=64 batch=1,10,100,1000,10000", "malloc free", .usual = "batch=1,10000",
	  .flags = KERNEL_CURVE, OPS(cgo_pair),
	  .about = "malloc and free of 64 bytes, batch= pairs a call from Go: what the call hides" },
	{ "Args", "args=0,4,8", 0, .flags = KERNEL_CONTROL, LOOP,
	  .about = "a call from Go with so many arguments" },
	{ "Pass", "as=plain,noescape,nocallback,both", 0, .flags = KERNEL_CONTROL, LOOP,
	  .about = "the address of a Go variable passed to C, and what cgo is told of the function",
	  .source = "https://github.com/golang/go/issues/56378" },
	{ "String", "size=8,64,1024", 0, .usual = "size=64", LOOP,
	  .about = "C.CString and C.free: malloc, copy and free in two calls",
	  .source = "https://github.com/gluster/gogfapi/issues/13" },
	{ "Bytes", "size=8,64,1024", 0, .flags = KERNEL_CONTROL, LOOP,
	  .about = "C.GoBytes: a copy of C's memory in Go's heap, without a call" },
	{ "Errno", "set=no,yes", 0, LOOP,
	  .about = "a call whose errno is asked for: set to 0 before, read after" },
	{ "Goroutines", "call=nop goroutines=1,2,4,8,16,32,64 procs=1,4", 0,
	  .flags = KERNEL_CONTROL | KERNEL_CURVE, LOOP,
	  .about = "calls that do nothing, from goroutines on procs= threads of Go's scheduler" },
	{ "Goroutines", "call=malloc goroutines=1,8,64 procs=1,4", 0, .usual = "goroutines=8 procs=4",
	  .flags = KERNEL_CURVE, LOOP,
	  .about = "C.malloc and C.free from goroutines on procs= threads of Go's scheduler" },
	{ "Locked", "locked=no,yes procs=1", 0, .flags = KERNEL_CONTROL, LOOP,
	  .about = "a call asked of another goroutine, which keeps its thread or does not",
	  .source = "https://github.com/golang/go/issues/21827" },
	{ "First", "call=nop,malloc thread=kept procs=1", 0, LOOP,
	  .about = "a call from a new goroutine on a thread that is there: beside thread=new" },
	{ "First", "call=nop,malloc thread=new procs=1", 0, .usual = "call=nop", LOOP,
	  .about = "the only call of a thread that Go makes for it and ends" },
	{ "ThreadCallback", "calls=1,2", "pthread_create pthread_join", OPS(cgo_thread),
	  .about = "a thread made in C that calls Go so often and ends: the first call binds it",
	  .source = "https://github.com/golang/go/issues/51676" },
	{ 0 }
};
