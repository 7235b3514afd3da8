// Package memops measures the memory and string functions: copying, moving,
// filling, comparing and searching, by size, by where the buffers lie and by
// what they hold.
//
// glibc 2.36 picks vector code for the CPU when the program starts. musl 1.2.3
// copies with rep movsq on x86-64, moves upwards with a rep movsb that runs
// backwards, and compares byte by byte in C. So one number for each function
// says nothing. On a 2-CPU x86-64 virtual machine musl takes 7 times as long as
// glibc to copy 31 bytes and 0.96 times for 16 KiB; memcmp of equal buffers is
// even at 1 byte and 30 to 56 times slower at 4 KiB; a move of 4 KiB is even
// downwards and 60 times slower upwards.
//
// The ops of a row don't wait for each other, and up to 16 KiB their buffers
// stay in the first-level cache: this is each function at its best.
package memops

// #cgo CFLAGS: -Wall -fno-stack-protector -U_FORTIFY_SOURCE -I${SRCDIR}/../internal/gang
// #include "shim.h"
import "C"

import (
	"unsafe"

	"libcost/internal/gang"
)

// Kernels are the room's rows.
var Kernels = gang.New("memops", unsafe.Pointer(&C.memops_kernels), nil)
