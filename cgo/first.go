package cgo

// #include "shim.h"
import "C"

import (
	"runtime"
	"syscall"
	"unsafe"

	"libcost/internal/gang"
)

// first calls C once from a new goroutine. With thread=new that goroutine
// keeps its thread and so ends it: the next one finds none and has to have one
// made, whose first call this is. call=malloc makes it the thread's first
// malloc as well.
func first(row gang.Row, state unsafe.Pointer, n int) syscall.Errno {
	fresh, malloc := row.Value("thread") == "new", row.Value("call") == "malloc"
	seat, done := seat(state, 0), make(chan struct{})
	for range n {
		go func() {
			if fresh {
				runtime.LockOSThread()
			}
			C.cgo_first(seat)
			if malloc {
				C.free(C.malloc(64))
			}
			done <- struct{}{}
		}()
		<-done
	}
	return 0
}
