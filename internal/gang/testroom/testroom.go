// Package testroom is a room whose kernels fail, share and count as their rows
// say, to test the gang with.
package testroom

// #cgo CFLAGS: -Wall -I${SRCDIR}/..
// #include "shim.h"
// int testroom_left(void);
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("testroom", unsafe.Pointer(&C.testroom_kernels), nil)

// Left is how many states were made and not freed.
func Left() int { return int(C.testroom_left()) }
