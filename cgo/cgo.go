// Package cgo measures the way from Go to C and back: the floor under every
// other row, and what is left of libc's differences above it.
//
// On a 2-CPU x86-64 virtual machine an iteration of an empty loop takes 0.7 ns,
// with a call in it 1.4, and a cgo call 34 to 40, or 45 to 130 beside other
// work. It is no constant, and part of it overlaps with what is called: no
// floor may be subtracted from another row. But it hides: memcpy of 64 bytes
// takes musl 1.2.3 4 to 7 times as long as glibc 2.36 where C loops over it,
// and 1.09 times as long where each copy has a cgo call of its own.
package cgo

// #cgo CFLAGS: -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("cgo", unsafe.Pointer(&C.cgo_kernels), map[string]gang.Loop{
	"Args":       args,
	"Pass":       pass,
	"String":     toC,
	"Bytes":      toGo,
	"Errno":      errno,
	"Goroutines": goroutines,
	"Locked":     locked,
	"First":      first,
})

// seat is the address of the count of a loop's i-th goroutine.
func seat(state unsafe.Pointer, i int) C.size_t {
	return C.cgo_seat(C.size_t(uintptr(state)), C.int(i))
}

// tell adds what a loop counted in Go.
func tell(state unsafe.Pointer, i int, done uint64) {
	C.cgo_add(seat(state, i), C.ulong(done))
}

// cgo_back is what Callback's ops call. It counts in Go, so that the count
// proves the way back.
//
//export cgo_back
func cgo_back(done *C.ulong) { *done++ }
