// Package stdlib measures the other functions of libc that reports of a slow
// program blame: sorting and searching, numbers to text and back, stdio,
// getenv, regular expressions and multibyte text.
//
// Here a libc's choice of algorithm decides, not its machine code. glibc 2.36
// sorts by merging in memory from malloc, musl by smoothsort in place; glibc
// decodes ASCII in a loop of its own, musl one character at a time in either
// case. And a FILE has a lock, which both leave out until the program has had a
// second thread: a Go program is beyond that from its start, so the rows with
// proc=plain run in a worker that is not one.
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
