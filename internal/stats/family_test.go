package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFamilyRatio(t *testing.T) {
	ratios := make([][]float64, 7)
	for i := range ratios {
		ratios[i] = []float64{2, 8, 1.0 / 2}
	}
	ratios[4] = []float64{100, 100, 100}
	e, err := FamilyRatio(ratios, 1000, Confidence, 1)
	require.NoError(t, err)
	assert.InDelta(t, 2, e.Value, 1e-12)
	assert.InDelta(t, 2, e.Lo, 1e-12)
	assert.Equal(t, 7, e.N)
}

// A phase that hits the whole family widens the interval: rows of one round are
// not so many independent rounds.
func TestFamilyRatioCoverage(t *testing.T) {
	const runs, n, rows, ratio = 200, 20, 6, 1.5
	random := rand.New(rand.NewPCG(1, 0))
	covered := 0
	for range runs {
		ratios := make([][]float64, n)
		for i, phase := range heavyTails(random, n) {
			ratios[i] = make([]float64, rows)
			for k, v := range heavyTails(random, rows) {
				ratios[i][k] = ratio * math.Exp(phase+v)
			}
		}
		e, err := FamilyRatio(ratios, 300, Confidence, 1)
		require.NoError(t, err)
		if e.Contains(ratio) {
			covered++
		}
	}
	assert.InDelta(t, 0.95, float64(covered)/runs, 0.06)
}

func TestFamilyRatioErrors(t *testing.T) {
	_, err := FamilyRatio([][]float64{{1, 2}, {1, -2}}, 100, Confidence, 1)
	assert.EqualError(t, err, "round 1: value 1: -2 is not a positive number")
	_, err = FamilyRatio(nil, 100, Confidence, 1)
	assert.EqualError(t, err, "no rounds to resample")

	empty, err := FamilyRatio(make([][]float64, 9), 100, Confidence, 1)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(empty.Value))
	assert.False(t, empty.Bounded())
}
