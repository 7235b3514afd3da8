package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNthAgainstSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	shapes := map[string]func(i, n int) float64{
		"random":   func(int, int) float64 { return random.NormFloat64() },
		"ties":     func(int, int) float64 { return float64(random.IntN(3)) },
		"sorted":   func(i, _ int) float64 { return float64(i) },
		"reversed": func(i, _ int) float64 { return float64(-i) },
		"peak":     func(i, n int) float64 { return float64(min(i, n-i)) },
		"equal":    func(int, int) float64 { return 1 },
	}
	for name, shape := range shapes {
		for n := 1; n <= 40; n++ {
			x := make([]float64, n)
			for i := range x {
				x[i] = shape(i, n)
			}
			sorted := slices.Sorted(slices.Values(x))
			for k := range n {
				got := nth(x, k) // of what the last call left
				require.Equal(t, sorted[k], got, "%s n=%d k=%d", name, n, k)
				require.Equal(t, got, x[k])
				require.LessOrEqual(t, slices.Max(x[:k+1]), got)
				require.GreaterOrEqual(t, slices.Min(x[k:]), got)
			}
		}
	}
}
