package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mean(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return []float64{sum / float64(len(x))}
}

// All 6^6 resamples of six rounds instead of some.
func TestBootstrapAgainstAllResamples(t *testing.T) {
	x := []float64{1, 2.3, 4.1, 8.2, 16, 31.7}
	var means []float64
	for resample := range 46656 {
		sum := 0.0
		for range x {
			sum += x[resample%6]
			resample /= 6
		}
		means = append(means, sum/6)
	}
	got, err := Bootstrap(x, mean, 40_000, 0.9, 1)
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.InDelta(t, 63.3/6, got[0].Value, 1e-12)
	assert.InDelta(t, Quantile(means, 0.05), got[0].Lo, 0.15)
	assert.InDelta(t, Quantile(means, 0.95), got[0].Hi, 0.15)
	assert.True(t, math.IsNaN(got[0].P))
	assert.Equal(t, 6, got[0].N)
	assert.Equal(t, 0.9, got[0].Conf)
}

// What cancels within a round cancels in every resample.
func TestBootstrapKeepsRoundsWhole(t *testing.T) {
	type round struct{ gnu, musl float64 }
	random := rand.New(rand.NewPCG(1, 0))
	rounds := make([]round, 12)
	for i := range rounds {
		gnu := float64(random.IntN(1000))
		rounds[i] = round{gnu, gnu + 5}
	}
	got, err := Bootstrap(rounds, func(rounds []round) []float64 {
		gap := 0.0
		for _, r := range rounds {
			gap += (r.musl - r.gnu) / float64(len(rounds))
		}
		return []float64{gap}
	}, 500, Confidence, 1)
	require.NoError(t, err)
	assert.InDelta(t, 5, got[0].Lo, 1e-9)
	assert.InDelta(t, 5, got[0].Hi, 1e-9)
}

func TestBootstrapSeed(t *testing.T) {
	x := heavyTails(rand.New(rand.NewPCG(1, 0)), 20)
	run := func(seed uint64) Interval {
		got, err := Bootstrap(x, mean, 200, Confidence, seed)
		require.NoError(t, err)
		return got[0].Interval
	}
	assert.Equal(t, run(7), run(7))
	assert.NotEqual(t, run(7), run(8))
}

func TestBootstrapTooFewRounds(t *testing.T) {
	got, err := Bootstrap([]float64{1, 2, 3, 4, 5}, mean, 100, Confidence, 1)
	require.NoError(t, err)
	assert.Equal(t, 3.0, got[0].Value)
	assert.Equal(t, everything, got[0].Interval)

	got, err = Bootstrap([]float64{1, 2, 3, 4, 5, 6}, mean, 1, Confidence, 1)
	require.NoError(t, err)
	assert.True(t, got[0].Bounded())
}

// One number that is undefined at times doesn't cost the others their interval.
func TestBootstrapUndefined(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6}
	got, err := Bootstrap(x, func(x []float64) []float64 {
		undefined := 1.0
		if x[0] != 0 {
			undefined = math.NaN()
		}
		return append(mean(x), undefined)
	}, 100, Confidence, 1)
	require.NoError(t, err)
	assert.True(t, got[0].Bounded())
	assert.Equal(t, 1.0, got[1].Value)
	assert.Equal(t, everything, got[1].Interval)
}

func TestBootstrapErrors(t *testing.T) {
	_, err := Bootstrap(nil, mean, 100, Confidence, 1)
	assert.EqualError(t, err, "no rounds to resample")
	_, err = Bootstrap([]float64{1}, mean, 0, Confidence, 1)
	assert.EqualError(t, err, "0 resamples: at least 1 is needed")
	_, err = Bootstrap([]float64{1}, mean, 100, 95, 1)
	assert.EqualError(t, err, "confidence 95 is not between 0 and 1")
}
