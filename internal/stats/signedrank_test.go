package stats

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
)

// signCounts counts, for each w, the ways to choose ranks from 1 to n that sum
// up to w, by trying all 2^n.
func signCounts(n int) []int {
	counts := make([]int, n*(n+1)/2+1)
	for chosen := range uint(1 << n) {
		sum := 0
		for left := chosen; left != 0; left &= left - 1 {
			sum += bits.TrailingZeros(left) + 1
		}
		counts[sum]++
	}
	return counts
}

func TestSignedRankCDFAgainstAllSigns(t *testing.T) {
	for n := 1; n <= 12; n++ {
		cdf := signedRankCDF(n)
		assert.Zero(t, cdf(-1), "n=%d", n)
		ways := 0
		for w, count := range signCounts(n) {
			ways += count
			assert.InDelta(t, math.Ldexp(float64(ways), -n), cdf(w), 1e-15, "n=%d w=%d", n, w)
		}
	}
}

// The two-sided critical values that are printed in most textbooks, after
// McCornack, Extended tables of the Wilcoxon matched pair signed rank
// statistic, JASA 60 (1965).
func TestSignedRankCriticalValues(t *testing.T) {
	tables := []struct {
		alpha float64
		first int // n of the first value
		want  []int
	}{
		{0.05, 6, []int{
			0, 2, 3, 5, 8, 10, 13, 17, 21, 25, 29, 34, 40, 46, 52, 58, 65, 73, 81, 89, 98, 107, 116, 126, 137,
			147, 159, 170, 182, 195, 208, 221, 235, 249, 264, 279, 294, 310, 327, 343, 361, 378, 396, 415, 434,
		}},
		{0.01, 8, []int{
			0, 1, 3, 5, 7, 9, 12, 15, 19, 23, 27, 32, 37, 42, 48, 54, 61, 68, 75, 83, 91, 100, 109,
		}},
	}
	for _, table := range tables {
		assert.Equal(t, -1, critical(signedRankCDF(table.first-1), table.first*(table.first-1)/2, table.alpha/2))
		for i, want := range table.want {
			n := table.first + i
			assert.Equal(t, want, critical(signedRankCDF(n), n*(n+1)/2, table.alpha/2), "n=%d alpha=%v", n, table.alpha)
		}
	}
}

// Just past the last n that is counted out, the approximation meets the count.
func TestSignedRankApproximation(t *testing.T) {
	n := exactRounds + 1
	ways := make([]float64, n*(n+1)/2+1)
	ways[0] = 1
	for r := 1; r <= n; r++ {
		for w := len(ways) - 1; w >= r; w-- {
			ways[w] += ways[w-r]
		}
	}
	cdf := signedRankCDF(n)
	sum := 0.0
	for w, count := range ways {
		sum += count
		want := math.Ldexp(sum, -n)
		if got := cdf(w); math.Abs(got-want) > 5e-4 || want < 0.025 && !(want < got && got < want+1.5e-4) {
			t.Fatalf("P(T <= %d) = %v, want %v", w, got, want)
		}
	}
}

func BenchmarkSignedRankCDF(b *testing.B) {
	for _, n := range []int{20, 200} {
		b.Run(fmt.Sprintf("rounds=%d", n), func(b *testing.B) {
			for b.Loop() {
				signedRankCDF(n)
			}
		})
	}
}
