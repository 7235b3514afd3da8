package stats

import "math"

// BinomialAtMost returns the probability of k successes or fewer in n trials
// that succeed with probability p each. It is NaN if n is negative or p is
// outside 0 to 1.
func BinomialAtMost(k, n int, p float64) float64 {
	switch {
	case n < 0 || !(0 <= p && p <= 1):
		return math.NaN()
	case k < 0:
		return 0
	case k >= n || p == 0:
		return 1
	case p == 1:
		return 0
	}
	sum := 0.0
	for i := range k + 1 {
		sum += binomial(i, n, p)
	}
	return min(1, sum)
}

// BinomialAtLeast returns the probability of k successes or more in n trials
// that succeed with probability p each: what a null run that found k false
// alarms among n rows is judged by. It is NaN if n is negative or p is outside
// 0 to 1.
func BinomialAtLeast(k, n int, p float64) float64 {
	return BinomialAtMost(n-k, n, 1-p)
}

// binomial returns the probability of exactly k of n, 0 < p < 1.
func binomial(k, n int, p float64) float64 {
	return math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) +
		float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// ClopperPearson returns the exact interval for the success probability after
// k successes in n trials; its confidence is conf or more. It is 0 to 1 for no
// trials, and NaN for a k outside 0 to n or a conf outside 0 to 1.
//
// Source: Clopper & Pearson, The use of confidence or fiducial limits
// illustrated in the case of the binomial, Biometrika 26 (1934).
func ClopperPearson(k, n int, conf float64) Interval {
	if k < 0 || k > n || !(0 <= conf && conf <= 1) {
		return Interval{math.NaN(), math.NaN()}
	}
	tail := (1 - conf) / 2
	i := Interval{0, 1}
	if k > 0 {
		i.Lo = bisect(func(p float64) bool { return BinomialAtLeast(k, n, p) > tail })
	}
	if k < n {
		i.Hi = bisect(func(p float64) bool { return BinomialAtMost(k, n, p) < tail })
	}
	return i
}

// bisect returns the p between 0 and 1 from which on past is true.
func bisect(past func(p float64) bool) float64 {
	lo, hi := 0.0, 1.0
	for {
		p := (lo + hi) / 2
		if p == lo || p == hi {
			return hi
		}
		if past(p) {
			hi = p
		} else {
			lo = p
		}
	}
}

// AcceptanceBound returns how many of n rows may come out significant in a run
// that compares a build with itself: the smallest k that a sound run, whose
// rows do so with probability p0 each, exceeds with a probability of 1-conf at
// most. It is one-sided: fewer alarms are always fine. For 100 rows, a p0 of
// 0.05 and a conf of 0.99 it is 11.
//
// It is -1 if n is negative, p0 outside 0 to 1 or conf not below 1.
func AcceptanceBound(n int, p0, conf float64) int {
	if n < 0 || !(0 <= p0 && p0 <= 1) || !(conf < 1) {
		return -1
	}
	for k := range n {
		if BinomialAtMost(k, n, p0) >= conf {
			return k
		}
	}
	return n
}
