// Package attest tells which libc, allocator and functions are really inside
// the running program. A variant's name is a claim; this is the evidence.
package attest

// #cgo CFLAGS: -Wall
// #include <stdlib.h>
// #include "attest.h"
import "C"

import "unsafe"

// build is the hash of all that went into this binary; the builder sets it at
// link time (-X), so that a new hash compiles nothing anew.
var build = "unknown"

// JSON is the program's facts on one line, as variant.Facts reads them.
func JSON() []byte {
	buf := make([]byte, 8192)
	id := C.CString(build)
	defer C.free(unsafe.Pointer(id))
	n := C.attest_json((*C.char)(unsafe.Pointer(&buf[0])), C.size_t(len(buf)), id)
	return buf[:n]
}
