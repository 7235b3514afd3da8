// Package attest tells which libc, allocator and functions are really inside
// the running program. A variant's name is a claim; this is the evidence.
package attest

// #cgo CFLAGS: -O2 -Wall
// #include "attest.h"
import "C"

import "unsafe"

// JSON is the program's facts on one line, as variant.Facts reads them.
func JSON() []byte {
	buf := make([]byte, 8192)
	n := int(C.attest_json((*C.char)(unsafe.Pointer(&buf[0])), C.size_t(len(buf))))
	return buf[:min(n, len(buf))]
}
