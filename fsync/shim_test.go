package fsync

import "testing"

func TestKernels(t *testing.T) { Kernels.Verify(t) }
