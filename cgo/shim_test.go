package cgo

import (
	"runtime"
	"strings"
	"testing"

	"libcost/internal/gang"
)

func TestKernels(t *testing.T) { Kernels.Verify(t) }

// Rows with batch= count their calls from Go, so that check sees whether each
// batch was one and the rest another.
func TestBatches(t *testing.T) {
	for _, row := range Kernels.Rows() {
		if !strings.Contains(row.Name, "/batch=") {
			continue
		}
		for _, n := range []int{1, 2, 9999, 10000, 10001, 20000, 20001} {
			if _, err := Kernels.Run(row, n, ""); err != nil {
				t.Errorf("%d ops: %v", n, err)
			}
		}
	}
}

// Any number of ops is done, also fewer than there are goroutines.
func TestOps(t *testing.T) {
	for _, row := range Kernels.Rows() {
		for _, n := range []int{1, 2, 3, 63, 65} {
			if _, err := Kernels.Run(row, n, ""); err != nil {
				t.Errorf("%d ops: %v", n, err)
			}
		}
	}
}

// A Go variable whose address goes to C is moved to the heap, but for a
// function that cgo is told neither keeps the pointer nor calls back.
func TestPassEscapes(t *testing.T) {
	for as, escapes := range map[string]bool{"plain": true, "nocallback": true, "noescape": true, "both": false} {
		row := find(t, "Pass/as="+as)
		const n = 10000
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Kernels.Run(row, n, ""); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if allocs := after.Mallocs - before.Mallocs; (allocs >= n) != escapes {
			t.Errorf("%s: %d ops allocate %d times", row.Name, n, allocs)
		}
	}
}

// A goroutine that keeps its thread has to be woken by the kernel.
func TestLockedWaits(t *testing.T) {
	const n = 1000
	for locked, waits := range map[string]bool{"no": false, "yes": true} {
		r, err := Kernels.Run(find(t, "Locked/locked="+locked+"/procs=1"), n, "")
		if err != nil {
			t.Fatal(err)
		}
		if (r.NVCSw+r.NIvCSw >= n) != waits {
			t.Errorf("locked=%s: %d ops, %d switches of threads", locked, n, r.NVCSw+r.NIvCSw)
		}
	}
}

func find(t *testing.T, name string) gang.Row {
	t.Helper()
	for _, row := range Kernels.Rows() {
		if row.Name == name {
			return row
		}
	}
	t.Fatalf("no row %s", name)
	return gang.Row{}
}
