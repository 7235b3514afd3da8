package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMedian(t *testing.T) {
	assert.Equal(t, 3.0, Median([]float64{9, 1, 3}))
	assert.Equal(t, 2.0, Median([]float64{9, 1, 3, 1}))
	assert.Equal(t, 7.0, Median([]float64{7}))
	assert.Equal(t, math.MaxFloat64, Median([]float64{math.MaxFloat64, math.MaxFloat64}))
	assert.True(t, math.IsNaN(Median(nil)))
	assert.True(t, math.IsNaN(Median([]float64{1, math.NaN(), 3})))
}

// Values of R's quantile(x, type = 7).
func TestQuantile(t *testing.T) {
	x := []float64{10, 3, 1, 7, 5, 2, 9, 4, 6, 8}
	for q, want := range map[float64]float64{0: 1, 0.1: 1.9, 0.25: 3.25, 0.5: 5.5, 0.75: 7.75, 0.99: 9.91, 1: 10} {
		assert.InDelta(t, want, Quantile(x, q), 1e-12, "q=%v", q)
	}
	assert.Equal(t, 4.0, Quantile([]float64{4}, 0.3))
	assert.True(t, math.IsNaN(Quantile(nil, 0.5)))
	assert.True(t, math.IsNaN(Quantile([]float64{1, math.NaN()}, 0.5)))
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		assert.True(t, math.IsNaN(Quantile(x, q)), "q=%v", q)
	}
}

func TestDescriptionsLeaveSampleAsItIs(t *testing.T) {
	x := []float64{5, 4, 3, 2, 1, 9, 8}
	was := slices.Clone(x)
	Median(x)
	Quantile(x, 0.3)
	RobustSD(x)
	MedianInterval(x, Confidence)
	assert.Equal(t, was, x)
}

func TestRobustSD(t *testing.T) {
	assert.InDelta(t, 1.4826, RobustSD([]float64{1, 1, 2, 2, 4, 6, 900}), 1e-12) // away: 1 1 0 0 2 4 898
	assert.Zero(t, RobustSD([]float64{3, 3, 3, 4}))
	assert.True(t, math.IsNaN(RobustSD(nil)))
	assert.True(t, math.IsNaN(RobustSD([]float64{1, math.NaN()})))

	random := rand.New(rand.NewPCG(1, 0))
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = 10 + 3*random.NormFloat64()
	}
	assert.InEpsilon(t, 3, RobustSD(x), 0.02)
}

// Ranks as in printed tables for the interval of a median.
func TestMedianIntervalPublishedRanks(t *testing.T) {
	for n, want := range map[int]Interval{
		6: {1, 6}, 7: {1, 7}, 8: {1, 8}, 9: {2, 8}, 10: {2, 9}, 12: {3, 10}, 15: {4, 12}, 20: {6, 15},
		25: {8, 18}, 30: {10, 21}, 40: {14, 27}, 50: {18, 33}, 100: {40, 61},
	} {
		assert.Equal(t, want, MedianInterval(ranks(n), 0.95), "n=%d", n)
	}
	assert.Equal(t, Interval{1, 8}, MedianInterval(ranks(8), 0.99))
}

// Exactly: as far in as the coin allows, and no further.
func TestMedianIntervalAgainstFractions(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for _, conf := range []float64{0.5, 0.9375, 0.95, 0.99} {
			got := MedianInterval(ranks(n), conf)
			tail := new(big.Rat).SetFloat64((1 - conf) / 2)
			in := 0
			for in < n && binomialAtMost(in, n, big.NewRat(1, 2)).Cmp(tail) <= 0 {
				in++
			}
			want := everything
			if in > 0 {
				want = Interval{float64(in), float64(n + 1 - in)}
			}
			assert.Equal(t, want, got, "n=%d conf=%v", n, conf)
		}
	}
}

func TestMedianIntervalUnbounded(t *testing.T) {
	assert.Equal(t, everything, MedianInterval(ranks(5), 0.95))
	assert.Equal(t, everything, MedianInterval(nil, 0.95))
	assert.Equal(t, everything, MedianInterval(append(ranks(9), math.NaN()), 0.95))
	for _, conf := range []float64{-1, 0, 1, 95, math.NaN()} {
		assert.Equal(t, everything, MedianInterval(ranks(50), conf), "conf=%v", conf)
	}
}

// ranks returns 1 to n, not in order.
func ranks(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	rand.New(rand.NewPCG(uint64(n), 0)).Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
	return x
}
