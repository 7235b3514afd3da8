package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rounds that only differ in the pace of the machine are one round.
func TestTypicalIgnoresPhases(t *testing.T) {
	costs := []float64{100, 210, 95, 1300}
	var times [][]float64
	for _, phase := range []float64{1, 1.9, 0.8, 7, 1.1} {
		var round []float64
		for _, cost := range costs {
			round = append(round, cost*phase)
		}
		times = append(times, round)
	}
	blocks, err := Blocks(times)
	require.NoError(t, err)
	for i, typical := range Typical(blocks) {
		assert.InEpsilon(t, 1.1*costs[i], typical, 1e-12) // 1.1 is the median phase
	}
	for _, b := range blocks {
		sum := 0.0
		for _, v := range b.Centred {
			sum += v
		}
		assert.InDelta(t, 0, sum, 1e-12)
	}
}

// Of two binaries, the ratio is the median of the paired ratios.
func TestTypicalOfTwo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	base, other, times := make([]float64, 15), make([]float64, 15), make([][]float64, 15)
	for i, v := range heavyTails(random, len(times)) {
		base[i] = 100 * math.Exp(random.NormFloat64())
		other[i] = base[i] * 2 * math.Exp(v)
		times[i] = []float64{base[i], other[i]}
	}
	logs, err := LogRatios(base, other)
	require.NoError(t, err)
	blocks, err := Blocks(times)
	require.NoError(t, err)
	typical := Typical(blocks)
	assert.InEpsilon(t, math.Exp(Median(logs)), typical[1]/typical[0], 1e-12)
}

// A sample that went wrong moves no other binary and hardly its own.
func TestTypicalRobust(t *testing.T) {
	times := make([][]float64, 21)
	for i := range times {
		times[i] = []float64{100, 200, 400}
	}
	times[3][1] = 1e6
	times[8][2] = 1e-6
	blocks, err := Blocks(times)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{100, 200, 400}, Typical(blocks), 1e-9)
}

func TestTypicalOfNothing(t *testing.T) {
	blocks, err := Blocks(nil)
	require.NoError(t, err)
	assert.Empty(t, Typical(blocks))
}

func TestBlocksErrors(t *testing.T) {
	_, err := Blocks([][]float64{{1, 2}, {1}})
	assert.EqualError(t, err, "round 1: 1 values where round 0 has 2")
	_, err = Blocks([][]float64{{1, 2}, {1, 0}})
	assert.EqualError(t, err, "round 1: value 1: 0 is not a positive number")
	_, err = Blocks([][]float64{{math.NaN()}})
	assert.EqualError(t, err, "round 0: value 0: NaN is not a positive number")
}

func TestBlocksLeaveTimesAsTheyAre(t *testing.T) {
	times := [][]float64{{1, 2}, {3, 4}}
	_, err := Blocks(times)
	require.NoError(t, err)
	assert.Equal(t, [][]float64{{1, 2}, {3, 4}}, times)
}
