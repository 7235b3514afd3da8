package stats

import (
	"fmt"
	"math"
)

// The level at which this project decides.
const (
	Confidence = 0.95
	Alpha      = 0.05
)

// An Interval is the closed range from Lo to Hi.
//
// Where there were too few rounds for the confidence asked for, it is
// everything: -Inf to +Inf, or 0 to +Inf for a ratio.
type Interval struct {
	Lo, Hi float64
}

var everything = Interval{math.Inf(-1), math.Inf(1)}

// Contains reports whether x lies in the interval, its ends included.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

// Bounded reports whether there were enough rounds for an interval at all.
func (i Interval) Bounded() bool { return !math.IsInf(i.Hi, 1) }

// exp takes an interval of log ratios to one of ratios.
func (i Interval) exp() Interval { return Interval{math.Exp(i.Lo), math.Exp(i.Hi)} }

// An Estimate is one number with what is known of it.
type Estimate struct {
	Value    float64
	Interval         // of confidence Conf
	P        float64 // two-sided, of no effect (ratio 1, difference 0); NaN if nothing was tested
	N        int     // rounds
	Conf     float64
}

// MinRounds returns how many rounds an interval of confidence conf takes: 6
// for 0.95, 8 for 0.99. With fewer, even rounds that all agree in sign are
// more likely than 1-conf when there is no effect, for the signed-rank test
// and the sign test alike. No number of rounds is enough for a conf of 1.
func MinRounds(conf float64) int {
	if !(conf < 1) {
		return math.MaxInt
	}
	n := 1
	for math.Ldexp(2, -n) > 1-conf {
		n++
	}
	return n
}

func checkConfidence(conf float64) error {
	if !(0 < conf && conf < 1) {
		return fmt.Errorf("confidence %v is not between 0 and 1", conf)
	}
	return nil
}
