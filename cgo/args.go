package cgo

// #include "shim.h"
import "C"

import (
	"syscall"
	"unsafe"

	"libcost/internal/gang"
)

// args calls a C function with args= arguments.
func args(row gang.Row, _ unsafe.Pointer, n int) syscall.Errno {
	switch row.Number("args", 0) {
	case 0:
		for range n {
			C.cgo_args0()
		}
	case 4:
		for range n {
			C.cgo_args4(1, 2, 3, 4)
		}
	case 8:
		for range n {
			C.cgo_args8(1, 2, 3, 4, 5, 6, 7, 8)
		}
	default:
		return syscall.EINVAL
	}
	return 0
}
