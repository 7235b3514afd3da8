package stats

// A Word is what may be said of a row.
type Word int

const (
	TooFewRounds Word = iota // no interval, or fewer rounds than the rules ask for
	NotResolved              // the interval neither shows an effect nor proves a margin worth the word
	SameWithin               // the same within Verdict.Margin %
	Same                     // the same within Verdict.Margin %, which is 3 at most
	Faster                   // better, in the direction of the unit
	Slower                   // worse
)

func (w Word) String() string {
	return [...]string{"too few rounds", "not resolved", "same within", "same", "faster", "slower"}[w]
}

// A Note qualifies a verdict.
type Note int

const (
	NoNote           Note = iota
	AloneSignificant      // the interval excludes 1, but not by enough for one of so many rows
	WithinLayout          // significant, but no larger than what code layout may do
)

func (n Note) String() string {
	return [...]string{"", "alone significant", "below 2 % without layout replicates"}[n]
}

// Better is the direction in which a unit improves.
type Better int

const (
	LowerIsBetter  Better = iota // ns/op, B/op
	HigherIsBetter               // MB/s
)

// Code layout alone (where the linker happens to put a loop) moves a row by a
// standard deviation of 0.5 to 0.9 %, and every round of one build has the same
// layout: more rounds don't average it out, other builds do.
//
// Source: Mytkowicz et al., Producing wrong data without doing anything
// obviously wrong, ASPLOS 2009; Curtsinger & Berger, Stabilizer, ASPLOS 2013.
const (
	LayoutFloor = 2 // %: nothing finer is claimed of a single layout
	MinLayouts  = 6 // builds with a layout of their own, for each side: an interval over them needs as many
)

const (
	sameMargin   = 3.0  // %: the widest margin that goes without saying
	widestMargin = 10.0 // %: the widest that is worth the word
)

// Rules are what a row's verdict depends on beside its numbers. They are fixed
// before the run. The zero value suits a row of times.
type Rules struct {
	Better       Better
	MinRounds    int     // too few below it, even if there is an interval; see [QuantileRounds]
	Layouts      int     // how many layouts the rounds of each side were spread over
	WidestMargin float64 // in %, for SameWithin; 0 means 10
}

// A Verdict is a word with what goes beside it.
type Verdict struct {
	Word   Word
	Margin float64 // of Same and SameWithin, in %; rounding it, upwards, is the caller's
	Note   Note
}

// Judge returns the verdict on a row from the estimate of its ratio, at
// [Confidence], and its q value among all rows of the run (see
// [BenjaminiHochberg]; NaN is not significant). The first that holds is taken:
//
//  1. TooFewRounds, without an interval or below rules.MinRounds.
//  2. Slower or Faster, if q is [Alpha] at most, the interval excludes 1 and
//     the estimate is [LayoutFloor] or more away from 1. With [MinLayouts] the
//     last condition falls.
//  3. Same or SameWithin, if the interval proves a [Margin] of 3 % or of
//     rules.WidestMargin at most. A single layout proves no margin below
//     LayoutFloor, however narrow its interval: what another layout would show
//     is not in it.
//  4. NotResolved.
//
// So a small effect that is certain for this layout is the same within a margin
// that covers it, noted WithinLayout; and a row may be Same and AloneSignificant
// at once: it is known to be close to 1, and 1 is not quite where it seems to be.
//
// Note: without a widest margin every row would be the same within something,
// and no row not resolved.
func Judge(ratio Estimate, q float64, rules Rules) Verdict {
	if !ratio.Bounded() || ratio.N < rules.MinRounds {
		return Verdict{Word: TooFewRounds}
	}

	floor := float64(LayoutFloor)
	if rules.Layouts >= MinLayouts {
		floor = 0
	}
	var note Note
	switch {
	case ratio.Contains(1):
	case !(q <= Alpha):
		note = AloneSignificant
	case effect(ratio.Value) < floor:
		note = WithinLayout
	case (ratio.Value > 1) == (rules.Better == LowerIsBetter):
		return Verdict{Word: Slower}
	default:
		return Verdict{Word: Faster}
	}

	widest := rules.WidestMargin
	if widest == 0 {
		widest = widestMargin
	}
	switch m := max(Margin(ratio.Interval), floor); {
	case m <= min(sameMargin, widest):
		return Verdict{Same, m, note}
	case m <= widest:
		return Verdict{SameWithin, m, note}
	default:
		return Verdict{NotResolved, 0, note}
	}
}
