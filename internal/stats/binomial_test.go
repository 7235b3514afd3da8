package stats

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

// binomialAtMost adds up P(X <= k) in fractions.
func binomialAtMost(k, n int, p *big.Rat) *big.Rat {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	sum := new(big.Rat)
	for i := 0; i <= k; i++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		for range i {
			term.Mul(term, p)
		}
		for range n - i {
			term.Mul(term, q)
		}
		sum.Add(sum, term)
	}
	return sum
}

func float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

func TestBinomialAgainstFractions(t *testing.T) {
	for _, p := range []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 2), big.NewRat(9, 10)} {
		for _, n := range []int{1, 2, 7, 40} {
			for k := 0; k < n; k++ {
				atMost := binomialAtMost(k, n, p)
				assert.InEpsilon(t, float(atMost), BinomialAtMost(k, n, float(p)), 1e-11, "k=%d n=%d p=%v", k, n, p)
				more := float(new(big.Rat).Sub(big.NewRat(1, 1), atMost))
				assert.InEpsilon(t, more, BinomialAtLeast(k+1, n, float(p)), 1e-11, "k=%d n=%d p=%v", k+1, n, p)
			}
		}
	}
}

func TestBinomialEdges(t *testing.T) {
	assert.Equal(t, 0.0, BinomialAtMost(-1, 5, 0.3))
	assert.Equal(t, 1.0, BinomialAtMost(0, 0, 0.3))
	assert.Equal(t, 1.0, BinomialAtMost(5, 5, 0.3))
	assert.Equal(t, 1.0, BinomialAtMost(0, 5, 0))
	assert.Equal(t, 0.0, BinomialAtMost(4, 5, 1))
	assert.Equal(t, 1.0, BinomialAtMost(5, 5, 1))
	assert.Equal(t, 1.0, BinomialAtLeast(0, 5, 0.3))
	assert.Equal(t, 0.0, BinomialAtLeast(6, 5, 0.3))
	assert.Equal(t, 0.0, BinomialAtLeast(1, 5, 0))
	assert.LessOrEqual(t, BinomialAtMost(9_000, 10_000, 0.05), 1.0)
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		assert.True(t, math.IsNaN(BinomialAtMost(1, 5, p)))
	}
	assert.True(t, math.IsNaN(BinomialAtMost(-2, -1, 0.5)))
}

// The ends of the interval are where k becomes too many or too few.
func TestClopperPearsonAgainstFractions(t *testing.T) {
	for _, n := range []int{1, 5, 20} {
		for k := 0; k <= n; k++ {
			got := ClopperPearson(k, n, 0.95)
			if k == 0 {
				assert.Zero(t, got.Lo)
			} else {
				lo := new(big.Rat).SetFloat64(got.Lo)
				assert.InDelta(t, 0.975, float(binomialAtMost(k-1, n, lo)), 1e-12, "k=%d n=%d", k, n)
			}
			if k == n {
				assert.Equal(t, 1.0, got.Hi)
			} else {
				hi := new(big.Rat).SetFloat64(got.Hi)
				assert.InDelta(t, 0.025, float(binomialAtMost(k, n, hi)), 1e-12, "k=%d n=%d", k, n)
			}
		}
	}
}

// Printed bounds, and the closed form for no success.
func TestClopperPearsonPublished(t *testing.T) {
	none := ClopperPearson(0, 10, 0.95)
	assert.InDelta(t, 0.3085, none.Hi, 5e-5)
	assert.InDelta(t, 1-math.Pow(0.025, 0.1), none.Hi, 1e-12)
	half := ClopperPearson(5, 10, 0.95)
	assert.InDelta(t, 0.1871, half.Lo, 5e-5)
	assert.InDelta(t, 0.8129, half.Hi, 5e-5)
	assert.Equal(t, Interval{0, 1}, ClopperPearson(0, 0, 0.95))
	certain := ClopperPearson(3, 9, 1)
	assert.InDelta(t, 0, certain.Lo, 1e-15)
	assert.Equal(t, 1.0, certain.Hi)

	for _, bad := range []Interval{ClopperPearson(-1, 5, 0.95), ClopperPearson(6, 5, 0.95), ClopperPearson(1, 5, 95)} {
		assert.True(t, math.IsNaN(bad.Lo) && math.IsNaN(bad.Hi))
	}
}

func TestAcceptanceBoundAgainstFractions(t *testing.T) {
	for _, n := range []int{0, 1, 10, 60, 100, 127} {
		want := 0
		for want < n && float(binomialAtMost(want, n, big.NewRat(1, 20))) < 0.99 {
			want++
		}
		assert.Equal(t, want, AcceptanceBound(n, 0.05, 0.99), "n=%d", n)
	}
	assert.Equal(t, 11, AcceptanceBound(100, 0.05, 0.99))
	assert.Equal(t, 5, AcceptanceBound(5, 1, 0.99))
	assert.Equal(t, 0, AcceptanceBound(5, 0, 0.99))
	assert.Equal(t, 0, AcceptanceBound(1, 0.5, 0.5)) // met exactly
	assert.Equal(t, -1, AcceptanceBound(-1, 0.05, 0.99))
	assert.Equal(t, -1, AcceptanceBound(10, 5, 0.99))
	assert.Equal(t, -1, AcceptanceBound(10, 0.05, 1))
}
