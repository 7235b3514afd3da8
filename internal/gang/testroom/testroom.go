// Package testroom is a room whose kernels fail, share and count as their rows
// say, to test the gang with.
package testroom

// #cgo CFLAGS: -Wall -I${SRCDIR}/..
// #include "shim.h"
// int testroom_left(void);
// void testroom_looped(int, unsigned long);
import "C"

import (
	"runtime"
	"syscall"
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("testroom", unsafe.Pointer(&C.testroom_kernels), map[string]gang.Loop{"Loop": loop})

// loop spends some time and leaves what it saw.
func loop(row gang.Row, _ unsafe.Pointer, n int) syscall.Errno {
	done := make(chan struct{})
	go func() {
		for range 1_000_000 {
			runtime.KeepAlive(row)
		}
		close(done)
	}()
	<-done
	C.testroom_looped(C.int(runtime.GOMAXPROCS(0)), C.ulong(n))
	return 0
}

// Left is how many states were made and not freed.
func Left() int { return int(C.testroom_left()) }
