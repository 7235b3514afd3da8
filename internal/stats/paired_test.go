package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heavyTails returns n log ratios about 0 as a virtual machine shows them: nine
// in ten within a few percent, the rest anywhere. The robust sd is 0.054, the
// raw one 0.15.
func heavyTails(random *rand.Rand, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		sd := 0.048
		if random.Float64() < 0.1 {
			sd = 0.45
		}
		d[i] = sd * random.NormFloat64()
	}
	return d
}

// coarse returns n differences on a grid: full of ties and zeros.
func coarse(random *rand.Rand, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = float64(random.IntN(11) - 4)
	}
	return d
}

// signTestP is the two-sided p value of d, without ties and zeros, by its
// textbook definition: rank the absolute values, add up the ranks of the
// positive ones, and count how many of all 2^n signs give a sum as extreme.
func signTestP(d []float64) float64 {
	byMagnitude := slices.Clone(d)
	slices.SortFunc(byMagnitude, func(a, b float64) int {
		return cmp.Compare(math.Abs(a), math.Abs(b))
	})
	sum := 0
	for i, v := range byMagnitude {
		if v > 0 {
			sum += i + 1
		}
	}
	counts := signCounts(len(d))
	lower, upper := 0, 0
	for w, count := range counts {
		if w <= sum {
			lower += count
		}
		if w >= sum {
			upper += count
		}
	}
	return min(1, 2*math.Ldexp(float64(min(lower, upper)), -len(d)))
}

// Depression scores of nine patients before and after a tranquilliser: Hollander,
// Wolfe & Chicken, example 3.1, worked out there by hand.
func TestPairedDifferencePublished(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	e, err := PairedDifference(before, after, Confidence)
	require.NoError(t, err)
	assert.InDelta(t, -0.46, e.Value, 1e-12)
	assert.InDelta(t, -0.786, e.Lo, 1e-12)
	assert.InDelta(t, -0.010, e.Hi, 1e-12)
	assert.InDelta(t, 0.0390625, e.P, 1e-12) // twice the one-sided 0.0195
	assert.Equal(t, 9, e.N)
	assert.Equal(t, Confidence, e.Conf)
}

// Estimate and interval from a plain sort of all averages and a count of all
// signs.
func TestHodgesLehmannByHand(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for n := 1; n <= 12; n++ {
		for _, d := range [][]float64{heavyTails(random, n), coarse(random, n)} {
			var averages []float64
			for i := range d {
				for j := 0; j <= i; j++ {
					averages = append(averages, (d[i]+d[j])/2)
				}
			}
			slices.Sort(averages)
			m := len(averages)

			for _, conf := range []float64{0.8, 0.95, 0.99} {
				got, err := HodgesLehmann(d, conf)
				require.NoError(t, err)
				assert.InDelta(t, (averages[(m-1)/2]+averages[m/2])/2, got.Value, 1e-12)

				want := Interval{math.Inf(-1), math.Inf(1)}
				ways := 0
				for w, count := range signCounts(n)[:m/2+1] {
					ways += count
					if 2*math.Ldexp(float64(ways), -n) <= 1-conf {
						want = Interval{averages[w], averages[m-1-w]}
					}
				}
				assert.Equal(t, want, got.Interval, "n=%d conf=%v", n, conf)
				assert.Equal(t, want.Bounded(), !math.IsNaN(got.P), "n=%d conf=%v", n, conf)
			}
		}
	}
}

func TestHodgesLehmannPAgainstAllSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for range 300 {
		d := heavyTails(random, 6+random.IntN(7))
		shift := 0.1 * random.Float64()
		for i := range d {
			d[i] += shift
		}
		e, err := HodgesLehmann(d, Confidence)
		require.NoError(t, err)
		assert.InDelta(t, signTestP(d), e.P, 1e-12)
	}
}

// However ties and zeros are broken, the data would not have been less
// convincing than P says.
func TestHodgesLehmannTiesCountAgainst(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for range 100 {
		d := coarse(random, 6+random.IntN(5))
		e, err := HodgesLehmann(d, Confidence)
		require.NoError(t, err)
		for range 20 {
			broken := slices.Clone(d)
			for i := range broken {
				broken[i] += 1e-6 * random.NormFloat64()
			}
			require.LessOrEqual(t, signTestP(broken), e.P+1e-12, "%v", d)
		}
	}
}

func TestHodgesLehmannNothingChanged(t *testing.T) {
	for _, n := range []int{6, 20, 300} {
		e, err := HodgesLehmann(make([]float64, n), Confidence)
		require.NoError(t, err)
		assert.Equal(t, Estimate{0, Interval{0, 0}, 1, n, Confidence}, e)
	}
}

// P <= 1-conf exactly if the interval excludes 0: with ties and without, counted
// and approximated.
func TestHodgesLehmannPAgreesWithInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	excluded := 0
	for i := range 3000 {
		n := 6 + random.IntN(30)
		if i%100 == 0 {
			n = exactRounds + 1 + random.IntN(50)
		}
		d := coarse(random, n)
		if i%2 == 0 {
			d = heavyTails(random, n)
		}
		shift := 0.1 * math.Round(random.NormFloat64()*4) / math.Sqrt(float64(n))
		for i := range d {
			d[i] += shift
		}
		for _, conf := range []float64{0.5, 0.9, 0.95, 0.99} {
			e, err := HodgesLehmann(d, conf)
			require.NoError(t, err)
			require.Equal(t, e.P <= 1-conf, !e.Contains(0), "n=%d conf=%v: %+v", n, conf, e)
			require.True(t, e.Contains(e.Value))
			if !e.Contains(0) {
				excluded++
			}
		}
	}
	assert.Greater(t, excluded, 1000, "the property was hardly put to the test")
}

func TestPairedRatioMirrors(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	for _, n := range []int{3, 6, 17, 250} {
		base, other := make([]float64, n), make([]float64, n)
		for i, v := range heavyTails(random, n) {
			base[i] = 40 * math.Exp(random.NormFloat64())
			other[i] = base[i] * 1.05 * math.Exp(v)
		}
		e, err := PairedRatio(base, other, Confidence)
		require.NoError(t, err)

		swapped, err := PairedRatio(other, base, Confidence)
		require.NoError(t, err)
		assert.InEpsilon(t, 1/e.Value, swapped.Value, 1e-12)
		assert.Equal(t, e.Bounded(), swapped.Bounded())
		if e.Bounded() {
			assert.InEpsilon(t, 1/e.Hi, swapped.Lo, 1e-12)
			assert.InEpsilon(t, 1/e.Lo, swapped.Hi, 1e-12)
			assert.Equal(t, e.P, swapped.P)
		}

		for i := range base {
			base[i] *= 1e-9
			other[i] *= 1e-9
		}
		inSeconds, err := PairedRatio(base, other, Confidence)
		require.NoError(t, err)
		assert.InEpsilon(t, e.Value, inSeconds.Value, 1e-12)
		if e.Bounded() {
			assert.InEpsilon(t, e.Lo, inSeconds.Lo, 1e-12)
			assert.InEpsilon(t, e.Hi, inSeconds.Hi, 1e-12)
		}
	}
}

func TestPairedDifferenceMirrors(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	base, other := heavyTails(random, 21), heavyTails(random, 21)
	e, err := PairedDifference(base, other, Confidence)
	require.NoError(t, err)
	swapped, err := PairedDifference(other, base, Confidence)
	require.NoError(t, err)
	assert.Equal(t, Estimate{-e.Value, Interval{-e.Hi, -e.Lo}, e.P, 21, Confidence}, swapped)
}

// A slow phase hits both sides of a round alike.
func TestPairedRatioIgnoresPhases(t *testing.T) {
	base, other := make([]float64, 12), make([]float64, 12)
	for i := range base {
		phase := float64(1 + i%5*i)
		base[i], other[i] = 10*phase, 12*phase
	}
	e, err := PairedRatio(base, other, Confidence)
	require.NoError(t, err)
	assert.InDelta(t, 1.2, e.Value, 1e-12)
	assert.InDelta(t, 1.2, e.Lo, 1e-12)
	assert.InDelta(t, 1.2, e.Hi, 1e-12)
	assert.Equal(t, 2.0/(1<<12), e.P)
}

func TestPairedTooFewRounds(t *testing.T) {
	for n := range 6 {
		base, other := make([]float64, n), make([]float64, n)
		for i := range base {
			base[i], other[i] = 1, 2
		}
		e, err := PairedRatio(base, other, Confidence)
		require.NoError(t, err)
		assert.False(t, e.Bounded())
		assert.Equal(t, Interval{0, math.Inf(1)}, e.Interval)
		assert.True(t, math.IsNaN(e.P))
		assert.Equal(t, n, e.N)
		if n == 0 {
			assert.True(t, math.IsNaN(e.Value))
		} else {
			assert.InDelta(t, 2, e.Value, 1e-12)
		}
	}
}

func TestPairedErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := []float64{1, 2, 3}
	for _, bad := range []float64{nan, inf, -inf, 0, -1} {
		with := []float64{1, bad, 3}
		want := fmt.Sprintf("round 1: %v is not a positive number", bad)
		_, err := PairedRatio(with, good, Confidence)
		assert.EqualError(t, err, want)
		_, err = PairedRatio(good, with, Confidence)
		assert.EqualError(t, err, want)
	}
	for _, bad := range []float64{nan, inf, -inf} {
		want := fmt.Sprintf("round 2: %v is not a finite number", bad)
		_, err := PairedDifference([]float64{0, -1, 2}, []float64{0, -1, bad}, Confidence)
		assert.EqualError(t, err, want)
	}
	_, err := PairedDifference([]float64{-math.MaxFloat64}, []float64{math.MaxFloat64}, Confidence)
	assert.EqualError(t, err, "round 0: +Inf is not a finite number")
	_, err = PairedRatio(good, good[:2], Confidence)
	assert.EqualError(t, err, "3 rounds of base against 2 of other: not pairs")
	_, err = PairedDifference(good, good[:2], Confidence)
	assert.EqualError(t, err, "3 rounds of base against 2 of other: not pairs")
	for _, conf := range []float64{0, 1, 95, nan} {
		_, err = PairedRatio(good, good, conf)
		assert.EqualError(t, err, fmt.Sprintf("confidence %v is not between 0 and 1", conf))
	}
}

func TestHodgesLehmannLargeValues(t *testing.T) {
	d := slices.Repeat([]float64{math.MaxFloat64}, 6)
	e, err := HodgesLehmann(d, Confidence)
	require.NoError(t, err)
	assert.Equal(t, Interval{math.MaxFloat64, math.MaxFloat64}, e.Interval)
	assert.Equal(t, math.MaxFloat64, e.Value)
}

func TestMinRounds(t *testing.T) {
	assert.Equal(t, 6, MinRounds(0.95))
	assert.Equal(t, 8, MinRounds(0.99))
	assert.Equal(t, 5, MinRounds(0.9375)) // met exactly: 2/2^5
	assert.Equal(t, math.MaxInt, MinRounds(1))
	assert.Equal(t, math.MaxInt, MinRounds(95))
}

// The interval of 95 % holds the true ratio in 95 % of heavy-tailed runs: within
// 3.3 standard errors of the level that the discrete test really has.
func TestPairedRatioCoverage(t *testing.T) {
	const runs, ratio = 4000, 1.07
	random := rand.New(rand.NewPCG(7, 0))
	for _, n := range []int{10, 20, 40} {
		covered := 0
		for range runs {
			base, other := make([]float64, n), make([]float64, n)
			for i, v := range heavyTails(random, n) {
				base[i] = 100 * math.Exp(0.3*random.NormFloat64())
				other[i] = base[i] * ratio * math.Exp(v)
			}
			e, err := PairedRatio(base, other, Confidence)
			require.NoError(t, err)
			if e.Contains(ratio) {
				covered++
			}
		}
		level := map[int]float64{10: 0.9512, 20: 0.9516, 40: 0.9502}[n]
		assert.InDelta(t, level, float64(covered)/runs, 3.3*math.Sqrt(level*(1-level)/runs), "n=%d", n)
	}
}

func BenchmarkHodgesLehmann(b *testing.B) {
	random := rand.New(rand.NewPCG(8, 0))
	for _, n := range []int{20, 160, 1000, 2000} {
		d := heavyTails(random, n)
		b.Run(fmt.Sprintf("rounds=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := HodgesLehmann(d, Confidence); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
