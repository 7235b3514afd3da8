package cgo

// #include "shim.h"
// #cgo noescape cgo_pass_noescape
// #cgo noescape cgo_pass_both
// #cgo nocallback cgo_pass_nocallback
// #cgo nocallback cgo_pass_both
import "C"

import (
	"syscall"
	"unsafe"

	"libcost/internal/gang"
)

// pass hands a Go variable to C by address. It is a new one for each op: cgo
// moves it to the heap, unless it is told both that C keeps no pointer and that
// C does not call back, since a callback may move the stack. noescape alone
// changes nothing (Go 1.26, cmd/cgo/out.go).
func pass(row gang.Row, state unsafe.Pointer, n int) syscall.Errno {
	var done uint64
	switch row.Value("as") {
	case "plain":
		for range n {
			var x C.ulong
			C.cgo_pass(&x)
			done += uint64(x)
		}
	case "noescape":
		for range n {
			var x C.ulong
			C.cgo_pass_noescape(&x)
			done += uint64(x)
		}
	case "nocallback":
		for range n {
			var x C.ulong
			C.cgo_pass_nocallback(&x)
			done += uint64(x)
		}
	case "both":
		for range n {
			var x C.ulong
			C.cgo_pass_both(&x)
			done += uint64(x)
		}
	default:
		return syscall.EINVAL
	}
	tell(state, 0, done)
	return 0
}
