package cgo

// #include "shim.h"
import "C"

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"libcost/internal/gang"
)

// goroutines shares n calls out to goroutines= goroutines that start together.
// call=malloc makes a pair of malloc and free of each, two calls.
func goroutines(row gang.Row, state unsafe.Pointer, n int) syscall.Errno {
	each := count
	if row.Value("call") == "malloc" {
		each = pair
	}
	all := int(row.Number("goroutines", 1))
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range all {
		share := n / all
		if i < n%all {
			share++
		}
		group.Go(func() {
			<-start
			each(state, i, share)
		})
	}
	close(start)
	group.Wait()
	return 0
}

func count(state unsafe.Pointer, i, n int) {
	seat := seat(state, i)
	for range n {
		C.cgo_count(seat)
	}
}

func pair(state unsafe.Pointer, i, n int) {
	var done uint64
	for range n {
		p := C.malloc(64)
		*(*byte)(p) = 1
		done += uint64(*(*byte)(p))
		C.free(p)
	}
	tell(state, i, done)
}

// locked asks another goroutine for each call, over a channel, and waits for
// the answer. With locked=yes that goroutine keeps its thread, as a library
// needs that is bound to one, and each request wakes a thread.
func locked(row gang.Row, state unsafe.Pointer, n int) syscall.Errno {
	requests, answers := make(chan struct{}), make(chan struct{})
	go func() {
		if row.Value("locked") == "yes" {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		seat := seat(state, 0)
		for range requests {
			C.cgo_count(seat)
			answers <- struct{}{}
		}
		close(answers)
	}()
	for range n {
		requests <- struct{}{}
		<-answers
	}
	close(requests)
	<-answers
	return 0
}
