// Package syscalls measures what a libc adds to a system call, and what its
// locks and threads cost.
//
// The kernel is the same under every libc. So the rows that hold the system
// call's bare instruction, via=raw, are controls, and what lies between such a
// row and the wrapper's is libc's.
//
// A Go program has several threads from the start, and libcs know. On a
// virtual machine with two CPUs, glibc 2.36 took 198 ns for a write of one byte
// and musl 1.2.3 took 158, where the instruction takes 152; in a program with a
// single thread both are as fast as the instruction. An uncontended lock and
// unlock went from 5 ns to 19 in glibc and was 19 in musl either way. The rows
// with proc=plain run in a worker that is not a Go program.
//
// Where threads meet, their places are part of the row: waking a thread took
// 2 µs on the waker's CPU and 47 µs on the other one.
package syscalls

// #cgo CFLAGS: -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("syscalls", unsafe.Pointer(&C.syscalls_kernels), nil)
