package stdlib

import "testing"

func TestKernels(t *testing.T) { Kernels.Verify(t) }
