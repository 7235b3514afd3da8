package tiny

import (
	"testing"

	"libcost/internal/gang"
)

func TestMain(m *testing.M) { gang.Main(m, Kernels) }
