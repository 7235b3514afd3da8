// Package fsync measures a block's way to the disk: a write of 4 KiB and the
// sync behind it, one op at a time, with the quantiles of its latency.
//
// No libc has a part in it. Both make the same two system calls, and what is
// left between them is 0.04 µs of an op that takes 60 to 200. The rows are
// controls: a run in which they differ has met something else.
//
// What decides is the file. An append changes its length, which fdatasync has
// to write as well: on ext4 that was 84 to 113 µs where overwriting zeros was
// 59 to 62. And the place decides: on tmpfs a sync does nothing, and an op
// takes a microsecond or two.
//
// Whether the bytes survive a power failure is the disk's business, and nothing here
// sees it.
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
