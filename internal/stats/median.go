package stats

import (
	"math"
	"slices"
)

// Median returns the middle value of x, or the mean of the two middle ones. It
// is NaN if x is empty or holds a NaN. x is left as it is.
func Median(x []float64) float64 {
	return median(slices.Clone(x))
}

// median is Median, but rearranges x.
func median(x []float64) float64 {
	if len(x) == 0 || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	k := len(x) / 2
	upper := nth(x, k)
	if len(x)%2 == 1 {
		return upper
	}
	return slices.Max(x[:k])/2 + upper/2
}

// MedianInterval returns an interval for the median of what x was drawn from,
// whatever its distribution: two order statistics of x, as far in from its ends
// as the binomial distribution allows at confidence conf, which is therefore
// met or exceeded. It is unbounded with fewer than [MinRounds] values, with a
// NaN among them, and for a conf that is not between 0 and 1.
//
// Source: Conover, Practical Nonparametric Statistics, 3rd ed. (1999), section
// 3.2.
func MedianInterval(x []float64, conf float64) Interval {
	n := len(x)
	if n < MinRounds(conf) || checkConfidence(conf) != nil || slices.ContainsFunc(x, math.IsNaN) {
		return everything
	}
	x = slices.Clone(x)
	const slack = 1 + 1e-12 // for the rounding of BinomialAtMost
	k := critical(func(k int) float64 { return BinomialAtMost(k, n, 0.5) }, n, (1-conf)/2*slack)
	return Interval{nth(x, k), nth(x, n-1-k)}
}

// Quantile returns the q quantile of x, q from 0 to 1: linear interpolation
// between the order statistics about (n-1)q, so that 0 gives the smallest
// value, 1 the largest and 0.5 the [Median]. It is NaN if x is empty or holds
// a NaN, or q is outside 0 to 1. x is left as it is.
//
// Source: definition 7 of Hyndman & Fan, Sample quantiles in statistical
// packages, The American Statistician 50 (1996); the default of R and NumPy.
func Quantile(x []float64, q float64) float64 {
	if len(x) == 0 || !(0 <= q && q <= 1) || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	x = slices.Clone(x)
	below, part := math.Modf(q * float64(len(x)-1))
	k := int(below)
	v := nth(x, k)
	if part == 0 {
		return v
	}
	return v*(1-part) + slices.Min(x[k+1:])*part
}

// RobustSD returns the standard deviation of x as its quiet half shows it: the
// median distance from the median, times 1.4826, which makes it the standard
// deviation if x is normal. It is in the unit of x, and NaN if x is empty or
// holds a NaN.
//
// Source: Rousseeuw & Croux, Alternatives to the median absolute deviation,
// JASA 88 (1993).
func RobustSD(x []float64) float64 {
	centre := Median(x)
	away := make([]float64, len(x))
	for i, v := range x {
		away[i] = math.Abs(v - centre)
	}
	return 1.4826 * median(away)
}
