// Package fsync measures a block's way to the disk: a write of 4 KiB and the
// sync behind it, with the quantiles of its latency.
//
// No libc has a part in it. Both make the same two system calls, and what is
// left between them, 0.06 µs, is lost in an op of 40 to 200 µs. So the rows are
// controls: two variants that differ here have met something else. It shows
// only on tmpfs, where a sync does nothing and an op takes 1 µs.
//
// What decides is the file. An append changes its length, and fdatasync has to
// write that as well: 64 µs at the median on a virtual disk with ext4, where
// overwriting zeros took 38.
//
// Whether a block survives a power failure is between the kernel and the disk.
// The rows read back what was written; they can't tell where it lies.
package fsync

// #cgo CFLAGS: -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("fsync", unsafe.Pointer(&C.fsync_kernels), nil)
