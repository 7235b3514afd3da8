// Package stdlib measures the other functions of libc that reports of a slow
// program blame: sorting and searching, numbers to text and back, stdio,
// getenv, regular expressions and multibyte text.
//
// Here a libc's choice of algorithm decides, not its machine code. glibc 2.36
// sorts by merging in memory from malloc, musl 1.2.3 by smoothsort in place: for
// 1000 random numbers 8,700 compares and 44 µs, and 22,000 compares and 400 µs,
// of CPU time on a 2-CPU x86-64 virtual machine; numbers in order cost both the
// same. There musl's getenv took 5 times as long with 200 variables, its
// regexec 6 to 13 times; its mbstowcs of ASCII took 0.4 times as long.
//
// A FILE has a lock, which both leave out until the program has had a second
// thread. A Go program is beyond that from its start, so those rows run in a
// worker that is not one, proc=plain.
package stdlib

// #cgo CFLAGS: -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("stdlib", unsafe.Pointer(&C.stdlib_kernels), nil)
