// Package tiny is the smallest room: one kernel with one row for the test
// binary and one for the plain worker.
package tiny

// #cgo CFLAGS: -O2 -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("tiny", unsafe.Pointer(&C.tiny_kernels), nil)
