package cgo

// #include "shim.h"
import "C"

import (
	"bytes"
	"syscall"
	"unsafe"

	"libcost/internal/gang"
)

// content is what size= bytes hold: no zero, which would end a C string.
func content(row gang.Row) []byte {
	b := bytes.Repeat([]byte("libcost "), int(row.Number("size", 0))/8+1)
	return b[:row.Number("size", 0)]
}

// toC makes a C string of a Go string of size= bytes, looks at its ends and
// frees it: two calls.
func toC(row gang.Row, state unsafe.Pointer, n int) syscall.Errno {
	text := string(content(row))
	var done uint64
	for range n {
		p := unsafe.Pointer(C.CString(text))
		c := unsafe.Slice((*byte)(p), len(text)+1)
		if c[0] == text[0] && c[len(text)-1] == text[len(text)-1] && c[len(text)] == 0 {
			done++
		}
		C.free(p)
	}
	tell(state, 0, done)
	return 0
}

// toGo makes a Go slice of size= bytes of C's memory.
func toGo(row gang.Row, state unsafe.Pointer, n int) syscall.Errno {
	text := content(row)
	p := C.CBytes(text)
	defer C.free(p)
	var done uint64
	for range n {
		b := C.GoBytes(p, C.int(len(text)))
		if len(b) == len(text) && b[0] == text[0] && b[len(b)-1] == text[len(text)-1] {
			done++
		}
	}
	tell(state, 0, done)
	return 0
}

// errno asks for errno as a second result, 0 or ERANGE.
func errno(row gang.Row, state unsafe.Pointer, n int) syscall.Errno {
	var value syscall.Errno
	var want error
	if row.Value("set") == "yes" {
		value = syscall.ERANGE
		want = value
	}
	var done uint64
	for range n {
		if _, err := C.cgo_errno(C.int(value)); err == want {
			done++
		}
	}
	tell(state, 0, done)
	return 0
}
