package stats

import (
	"fmt"
	"math"
)

// PairedRatio estimates other / base from one pair of positive numbers a
// round: [HodgesLehmann] of the log ratios, taken back to ratios. P is that of
// the ratio 1. Exchanging base and other inverts value and interval; a factor
// common to both changes nothing.
//
// The slices have the same length and unit; a value that is not positive and
// finite is an error.
func PairedRatio(base, other []float64, conf float64) (Estimate, error) {
	d, err := LogRatios(base, other)
	if err != nil {
		return Estimate{}, err
	}
	e, err := HodgesLehmann(d, conf)
	if err != nil {
		return Estimate{}, err
	}
	e.Value = math.Exp(e.Value)
	e.Interval = e.Interval.exp()
	return e, nil
}

// PairedDifference estimates other - base, in their unit, from one pair of
// finite numbers a round: [HodgesLehmann] of the differences. P is that of the
// difference 0.
func PairedDifference(base, other []float64, conf float64) (Estimate, error) {
	if err := checkPairs(base, other); err != nil {
		return Estimate{}, err
	}
	d := make([]float64, len(base))
	for i := range d {
		d[i] = other[i] - base[i]
	}
	return HodgesLehmann(d, conf)
}

// LogRatios returns log(other / base) of each round: what [RobustSD] takes to
// tell how much rounds scatter. Lengths that differ and values that are not
// positive and finite are errors.
func LogRatios(base, other []float64) ([]float64, error) {
	if err := checkPairs(base, other); err != nil {
		return nil, err
	}
	d := make([]float64, len(base))
	for i := range d {
		for _, v := range [...]float64{base[i], other[i]} {
			if !positive(v) {
				return nil, fmt.Errorf("round %d: %v is not a positive number", i, v)
			}
		}
		// A difference of logs changes sign exactly when the sides are
		// exchanged; the log of a quotient does not.
		d[i] = math.Log(other[i]) - math.Log(base[i])
	}
	return d, nil
}

// HodgesLehmann estimates the centre of d, a sample symmetric about it, in the
// unit of d: the median of the averages of all pairs of d, each value with
// itself included (Walsh averages). The interval is that of Wilcoxon's
// signed-rank test, and P the test's two-sided p value of the centre 0: exact
// for up to 200 rounds, approximated by a normal distribution beyond.
//
// Averages that are 0 (zeros in d, or ties of opposite sign) count for both
// sides. That makes P at least the p value of any way to break the ties, keeps
// the confidence of the interval at conf or more (Noether 1967), and ties the
// two together: P <= 1-conf exactly if the interval excludes 0.
//
// With fewer than [MinRounds] rounds the interval is unbounded and P is NaN: no
// data could have rejected, so nothing was tested (Tarone 1990). The value of
// no rounds is NaN. A NaN or an infinity in d is an error. It takes time and
// memory of the order of len(d) squared.
//
// Sources: Hodges & Lehmann, Estimates of location based on rank tests, Ann.
// Math. Stat. 34 (1963); Hollander, Wolfe & Chicken (2014), sections 3.1 to
// 3.3; Noether, Wilcoxon confidence intervals for location parameters in the
// discrete case, JASA 62 (1967); Tarone, A modified Bonferroni method for
// discrete data, Biometrics 46 (1990).
//
// Note: dropping zeros before the test, as is common, would let a row that
// never changed but for a few rounds look certain.
func HodgesLehmann(d []float64, conf float64) (Estimate, error) {
	if err := checkConfidence(conf); err != nil {
		return Estimate{}, err
	}
	for i, v := range d {
		if !finite(v) {
			return Estimate{}, fmt.Errorf("round %d: %v is not a finite number", i, v)
		}
	}

	w := walshAverages(d)
	e := Estimate{Value: median(w), Interval: everything, P: math.NaN(), N: len(d), Conf: conf}
	if len(d) < MinRounds(conf) {
		return e, nil
	}

	cdf := signedRankCDF(len(d))
	k := critical(cdf, len(w), (1-conf)/2)
	e.Lo = nth(w, k)
	e.Hi = nth(w, len(w)-1-k)

	atMost, atLeast := 0, 0
	for _, v := range w {
		if v <= 0 {
			atMost++
		}
		if v >= 0 {
			atLeast++
		}
	}
	e.P = min(1, 2*cdf(min(atMost, atLeast)))
	return e, nil
}

// walshAverages returns (d[i] + d[j]) / 2 for all i <= j.
func walshAverages(d []float64) []float64 {
	w := make([]float64, 0, len(d)*(len(d)+1)/2)
	for i, a := range d {
		for _, b := range d[i:] {
			w = append(w, a/2+b/2) // a+b could overflow
		}
	}
	return w
}

func checkPairs(base, other []float64) error {
	if len(base) != len(other) {
		return fmt.Errorf("%d rounds of base against %d of other: not pairs", len(base), len(other))
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
