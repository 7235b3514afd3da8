package stats

import "math"

// A Precision says how finely some number of rounds resolves a row.
//
// From about 20 rounds up, an interval narrows with the square root of their
// number, n = (c / resolution)^2; one run gives c. Fewer rounds resolve less than
// that: a run of 10 asks for two to three times too many.
type Precision struct {
	Resolution float64 // in %: half-width of the interval at Confidence
	Rounds     int
}

// seen is (z(0.975) + z(0.8)) / z(0.975): by how much an effect has to exceed
// the half-width of the interval for four runs in five to find it.
const seen = (1.960 + 0.842) / 1.960

// spread is the half-width times the square root of n, in robust standard
// deviations. Measured on heavy-tailed pairs; for normal ones it would be 2.0.
const spread = 3.0

// Expected returns the precision to expect of a run, in place of one that was
// observed, from the robust standard deviation of the log ratios of its rounds
// in % (100 times [RobustSD] of [LogRatios]). Expect it to be off by a third:
// the tails, which the robust standard deviation does not see, decide.
func Expected(sd float64, rounds int) Precision {
	return Precision{spread * sd / math.Sqrt(float64(rounds)), rounds}
}

// At returns the precision that another number of rounds would give.
func (p Precision) At(rounds int) Precision {
	return Precision{p.Resolution * math.Sqrt(float64(p.Rounds)/float64(rounds)), rounds}
}

// Sees returns the effect, in %, that four runs in five would find significant:
// 1.43 times the resolution.
//
// Source: the power of a test of a normal estimate, as in Cohen, Statistical
// Power Analysis, 2nd ed. (1988). 1555 pairs of identical builds, resampled with
// an effect put in, bear it out: at a robust standard deviation of 5 to 6 % (and
// a raw one of 15 %) the resolution of 40 rounds was 2.6 to 3.1 %, and an effect
// of 5 % took about 40 rounds, 2 % 160 and 1 % 640. A formula that puts the
// robust standard deviation in the place of a normal one asks for too few rounds
// by a factor of 2 to 5.
func (p Precision) Sees() float64 { return seen * p.Resolution }

// RoundsToSee returns how many rounds it takes to find an effect, in %, four
// times in five.
func (p Precision) RoundsToSee(effect float64) int { return p.roundsTo(effect / seen) }

// RoundsToResolve returns how many rounds it takes to get the half-width of the
// interval down to resolution, in %.
func (p Precision) RoundsToResolve(resolution float64) int { return p.roundsTo(resolution) }

// roundsTo is [MinRounds] at least. It is math.MaxInt for what no number of
// rounds reaches, and if p is of too few rounds to tell.
func (p Precision) roundsTo(resolution float64) int {
	ratio := p.Resolution / resolution
	n := math.Ceil(float64(p.Rounds)*ratio*ratio - 1e-9)
	if !(n < math.MaxInt32) {
		return math.MaxInt
	}
	return max(int(n), MinRounds(Confidence))
}

// CorrectionCost returns how many times the rounds it takes, for an effect that
// four runs in five would find alone, to find it among n looks of which the
// differing ones are significant with it: by [BenjaminiHochberg] its p has to
// be Alpha * differing / n at most. differing counts the effect itself, 1 to n.
//
// Source: the power of a test of a normal estimate, as for [Precision.Sees].
func CorrectionCost(differing, n int) float64 {
	z := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
	needs := func(level float64) float64 { return z(1-level/2) + z(0.8) }
	ratio := needs(Alpha*float64(differing)/float64(n)) / needs(Alpha)
	return ratio * ratio
}
