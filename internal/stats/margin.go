package stats

import "math"

// Margin returns the smallest m, in %, for which the interval of a ratio lies
// within 1/(1+m) to 1+m: what the interval proves the two sides to be the same
// within. It is +Inf for an unbounded interval, and 0 only for that of 1 to 1.
// Rounding is the caller's, and goes up.
//
// Proving a margin is the one way to claim that nothing changed; a large p value
// is none. Source: Schuirmann, A comparison of the two one-sided tests procedure
// and the power approach, J. Pharmacokinet. Biopharm. 15 (1987). An interval of
// 95 % rather than his 90 % makes the claim the more careful.
func Margin(ratio Interval) float64 {
	return 100 * (max(ratio.Hi, 1/ratio.Lo) - 1)
}

// Resolution returns the half-width of the interval of a ratio, in %: the r for
// which it reaches from c/(1+r) to c(1+r) about its middle c. A row can't tell
// apart effects that differ by much less. It is +Inf for an unbounded interval
// and never above the [Margin].
//
// Note: half of Hi-Lo would call a ratio of 56 [52, 60] blind to 400 %, where it
// is known to 7 %.
func Resolution(ratio Interval) float64 {
	return 100 * (math.Sqrt(ratio.Hi/ratio.Lo) - 1)
}

// effect returns how far a ratio is from 1, in %, the same for r and 1/r.
func effect(ratio float64) float64 {
	return 100 * (max(ratio, 1/ratio) - 1)
}
