package cgo

import (
	"strings"
	"testing"
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
