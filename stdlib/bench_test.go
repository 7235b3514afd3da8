package stdlib

import (
	"testing"

	"libcost/internal/gang"
)

// The benchmarks are the rows of the table in C.
func TestMain(m *testing.M) { gang.Main(m, Kernels) }
