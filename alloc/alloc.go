// Package alloc measures the allocator: malloc, free, calloc and realloc by
// size, by what is already on the heap, and by the number of threads.
//
// A malloc and free pair alone measures a corner of an allocator. musl's
// mallocng takes 74 ns for a pair of 64 bytes on an empty heap and 24 with ten
// blocks live, so the state of the heap is part of every row's name.
package alloc

// #cgo CFLAGS: -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("alloc", unsafe.Pointer(&C.alloc_kernels), nil)
