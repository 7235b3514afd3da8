// Package fsync measures.
package fsync

// #cgo CFLAGS: -O2 -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("fsync", unsafe.Pointer(&C.fsync_kernels), nil)
