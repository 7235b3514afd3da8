package runner

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/results"
)

func TestCalibrate(t *testing.T) {
	perOp := func(gnu, musl float64) func(string, int) time.Duration {
		return func(v string, n int) time.Duration {
			return time.Duration(float64(n) * map[string]float64{"gnu": gnu, "musl": musl}[v])
		}
	}
	sameN := func(r *results.Row) { r.SameN = true }
	for what, c := range map[string]struct {
		change func(*results.Row)
		time   func(v string, n int) time.Duration
		want   map[string]int
		most   int // samples of a variant
	}{
		"stateless: 40 ms each":          {nil, perOp(10, 40), map[string]int{"gnu": 4e6, "musl": 1e6}, 4},
		"state of n: the slowest's":      {sameN, perOp(10, 40), map[string]int{"gnu": 2e6, "musl": 2e6}, 4},
		"the slowest may come first":     {sameN, perOp(40, 10), map[string]int{"gnu": 2e6, "musl": 2e6}, 4},
		"two digits":                     {nil, perOp(33, 29), map[string]int{"gnu": 1200000, "musl": 1400000}, 4},
		"a disk: 300 for p90":            {func(r *results.Row) { r.Disk, r.Latency, r.SameN = true, true, true }, perOp(1e6, 1e3), map[string]int{"gnu": 300, "musl": 300}, 1},
		"slow ops":                       {nil, perOp(1e9, 7e6), map[string]int{"gnu": 2, "musl": 6}, 1},
		"as fast as can be":              {nil, perOp(0.001, 1e-9), map[string]int{"gnu": 1e9, "musl": 1e9}, 6},
		"a time that does not grow":      {nil, func(string, int) time.Duration { return time.Microsecond }, map[string]int{"gnu": 1e9, "musl": 1e9}, 6},
		"a time that shrinks":            {nil, func(_ string, n int) time.Duration { return time.Duration(1e6/n + 1) }, map[string]int{"gnu": 1e9, "musl": 1e9}, 6},
		"the first ops are the slow":     {nil, func(_ string, n int) time.Duration { return time.Duration(3e6 + 10*n) }, map[string]int{"gnu": 3100000, "musl": 3100000}, 4},
		"slower than linear":             {nil, func(_ string, n int) time.Duration { return time.Duration(n * n / 1000) }, map[string]int{"gnu": 250000, "musl": 250000}, 8},
	} {
		t.Run(what, func(t *testing.T) {
			r, f := newFake(func(c Command) Outcome { return took(c.row(), c.n(), max(1, c.elapsed(c2t(c, t), nil))) })
			_ = r
			_ = f
		})
		_ = c
	}
	_ = perOp
	_ = require.NoError
	_ = assert.Equal
	_ = context.Background
	_ = syscall.SIGKILL
}
