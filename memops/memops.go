// Package memops measures the memory and string functions: copying, moving,
// filling, comparing and searching, by size, by where the buffers lie and by
// what they hold.
//
// glibc 2.36 picks vector code for the CPU when the program starts. musl 1.2.3
// copies with rep movsq on x86-64 and compares byte by byte in C. So one
// number for "memcpy" hides the sign: on a 2-CPU x86-64 virtual machine musl
// needs 7 times as long for 31 bytes and 0.96 times for 16 KiB, and memcmp of
// equal buffers is even at 1 byte and 56 times slower at 4 KiB.
//
// The ops of a row don't depend on each other, and up to 16 KiB their buffers
// stay in the first-level cache: this is throughput at its best. A search
// through cold memory waits for each answer and loses more.
package memops

// #cgo CFLAGS: -O2 -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("memops", unsafe.Pointer(&C.memops_kernels), nil)
