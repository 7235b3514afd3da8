package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What 1555 pairs of identical builds, resampled, needed for a power of 80 %: 40
// pairs for 5 %, 160 for 2 %, 640 for 1 %, with an interval of +-2.6 to 3.1 % at
// 40 and robust sds of 4.8 to 6.7 %.
func TestPrecisionMeasured(t *testing.T) {
	for _, p := range []Precision{{2.85, 40}, Expected(5.9, 40)} {
		assert.InEpsilon(t, 640, p.RoundsToSee(1), 0.1)
		assert.InEpsilon(t, 160, p.RoundsToSee(2), 0.1)
		assert.InEpsilon(t, 40, p.RoundsToSee(5), 0.4) // few rounds waste some power
		assert.InEpsilon(t, 2, p.At(160).Sees(), 0.1)
	}
}

// Four runs in five find the effect that their resolution says they see.
func TestPrecisionPower(t *testing.T) {
	const runs = 400
	random := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{20, 40, 80} {
		var resolution float64
		samples := make([][]float64, runs)
		for i := range samples {
			samples[i] = heavyTails(random, n)
			e, err := HodgesLehmann(samples[i], Confidence)
			require.NoError(t, err)
			resolution += Resolution(e.Interval.exp()) / runs
		}
		shift := math.Log1p(Precision{resolution, n}.Sees() / 100)
		found := 0
		for _, d := range samples {
			for i := range d {
				d[i] += shift
			}
			e, err := HodgesLehmann(d, Confidence)
			require.NoError(t, err)
			if e.Lo > 0 {
				found++
			}
		}
		assert.InDelta(t, 0.8, float64(found)/runs, 0.07, "n=%d", n)
	}
}

func TestPrecisionInverse(t *testing.T) {
	p := Precision{Resolution: 4, Rounds: 20}
	assert.Equal(t, 80, p.RoundsToResolve(2))
	assert.Equal(t, 81, p.RoundsToResolve(1.9999))
	assert.InDelta(t, 2, p.At(80).Resolution, 1e-12)
	for _, effect := range []float64{0.5, 1, 2, 3.3} {
		n := p.RoundsToSee(effect)
		assert.LessOrEqual(t, p.At(n).Sees(), effect)
		assert.Greater(t, p.At(n-1).Sees(), effect)
	}
}

func TestPrecisionEdges(t *testing.T) {
	p := Precision{Resolution: 4, Rounds: 20}
	assert.Equal(t, 6, p.RoundsToSee(500))
	assert.Equal(t, math.MaxInt, p.RoundsToSee(0))
	assert.Equal(t, math.MaxInt, Precision{math.Inf(1), 5}.RoundsToSee(5))
	assert.Equal(t, 6, Precision{0, 20}.RoundsToSee(1))
}

// Normal quantiles of a printed table: z(0.9975) = 2.8070, z(0.99975) = 3.4808,
// z(0.975) = 1.9600, z(0.8) = 0.8416.
func TestCorrectionCost(t *testing.T) {
	assert.InDelta(t, 1, CorrectionCost(1, 1), 1e-12)
	assert.InDelta(t, 1, CorrectionCost(40, 40), 1e-12)
	assert.InDelta(t, (2.8070+0.8416)*(2.8070+0.8416)/((1.9600+0.8416)*(1.9600+0.8416)), CorrectionCost(1, 10), 1e-3)
	assert.InDelta(t, (3.4808+0.8416)*(3.4808+0.8416)/((1.9600+0.8416)*(1.9600+0.8416)), CorrectionCost(1, 100), 1e-3)
}
