package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// byOrders returns the mean over all orders of the parts of what each adds when
// its turn comes.
func byOrders(v []float64, n int) []float64 {
	sums := make([]float64, n)
	orders := 0.0
	gains := make([]float64, n)
	var visit func(set int)
	visit = func(set int) {
		if set == 1<<n-1 {
			orders++
			for i, gain := range gains {
				sums[i] += gain
			}
			return
		}
		for i := range n {
			if set&(1<<i) == 0 {
				gains[i] = v[set|1<<i] - v[set]
				visit(set | 1<<i)
			}
		}
	}
	visit(0)
	for i := range sums {
		sums[i] /= orders
	}
	return sums
}

func TestShapleyAgainstOrders(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for n := 1; n <= 7; n++ {
		v := make([]float64, 1<<n)
		for i := range v {
			v[i] = 100 * random.NormFloat64()
		}
		want := byOrders(v, n)
		sum := 0.0
		for i, share := range Shapley(v) {
			assert.InDelta(t, want[i], share.Value, 1e-9, "n=%d part %d", n, i)
			sum += share.Value
		}
		assert.InDelta(t, v[len(v)-1]-v[0], sum, 1e-9)
	}
}

// Two players hold a left glove each, one the only right one; a pair is worth 1.
func TestShapleyGloves(t *testing.T) {
	shares := Shapley([]float64{0, 0, 0, 0, 0, 1, 1, 1})
	assert.InDelta(t, 1.0/6, shares[0].Value, 1e-15)
	assert.InDelta(t, 1.0/6, shares[1].Value, 1e-15)
	assert.InDelta(t, 4.0/6, shares[2].Value, 1e-15)
	assert.Equal(t, Share{shares[2].Value, 0, 1}, shares[2])
}

// The airport game of Littlechild & Owen (1973), here with four planes that need
// a runway of 8, 11, 13 and 18: each metre is paid by those that need it.
func TestShapleyAirport(t *testing.T) {
	needs := []float64{8, 11, 13, 18}
	v := make([]float64, 1<<len(needs))
	for set := range v {
		for i, need := range needs {
			if set&(1<<i) != 0 {
				v[set] = max(v[set], need)
			}
		}
	}
	for i, want := range []float64{2, 3, 4, 9} {
		share := Shapley(v)[i]
		assert.InDelta(t, want, share.Value, 1e-12)
		assert.Equal(t, needs[i], share.First)
	}
	assert.Equal(t, 5.0, Shapley(v)[3].Last)
}

// Parts that don't work through each other have one share, whatever the order,
// and whatever no part at all is worth.
func TestShapleyAdditive(t *testing.T) {
	v := make([]float64, 1<<MaxParts)
	for set := range v {
		v[set] = 1000
		for i := range MaxParts {
			if set&(1<<i) != 0 {
				v[set] += float64(i)
			}
		}
	}
	for i, share := range Shapley(v) {
		assert.InDelta(t, float64(i), share.Value, 1e-9)
		assert.Equal(t, float64(i), share.First)
		assert.Equal(t, float64(i), share.Last)
	}
}

func TestShapleyNaNAndPanics(t *testing.T) {
	for _, share := range Shapley([]float64{0, 1, math.NaN(), 3}) {
		assert.True(t, math.IsNaN(share.Value))
	}
	for _, length := range []int{0, 1, 3, 7, 2 << MaxParts} {
		assert.Panics(t, func() { Shapley(make([]float64, length)) }, "length %d", length)
	}
}
