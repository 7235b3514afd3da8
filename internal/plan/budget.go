package plan

import (
	"math"
	"time"
)

// A Claim is what the budget knows of a row before the run.
type Claim struct {
	Threads bool          // more than one thread: scatters most
	Control bool          // must come out the same: a narrow margin is its point
	Half    bool          // half the rounds do, and an interval at least
	Round   time.Duration // of one round of it, all variants
}

const (
	threadedTimes = 3 // as many rounds for rows with threads, if they fit
	controlTimes  = 2 // as many for controls
	leastRounds   = 6 // an interval needs them
)

// Budget gives each row its rounds: rounds for all, half of them where half will
// do, more for the rows that need them as far as the time allows, and fewer for
// all where even that is too long. It knows nothing of any result.
func Budget(claims []Claim, rounds int, budget time.Duration) []int {
	var plain, extra float64
	for _, c := range claims {
		plain += c.base(rounds) * float64(c.Round)
		extra += c.base(rounds) * float64(c.Round) * (c.times() - 1)
	}
	shrink := 1.0
	if plain > float64(budget) {
		shrink = float64(budget) / plain
	}
	share := 1.0 // of the extra rounds that fits
	if extra > 0 {
		share = min(1, max(0, (float64(budget)-plain)/extra))
	}
	given := make([]int, len(claims))
	for i, c := range claims {
		given[i] = max(min(rounds, leastRounds), int(math.Floor(c.base(rounds)*shrink*(1+share*(c.times()-1))+1e-9)))
	}
	return given
}

// base is what a row gets before anything is left over.
func (c Claim) base(rounds int) float64 {
	if c.Half {
		return float64(rounds) / 2
	}
	return float64(rounds)
}

func (c Claim) times() float64 {
	switch {
	case c.Half:
		return 1
	case c.Threads:
		return threadedTimes
	case c.Control:
		return controlTimes
	default:
		return 1
	}
}

const (
	stopAfter = 10 // rounds
	stopAbove = 2  // times as long, either way
)

// Decided says whether a row's rounds may end: it had ten, and what it shows is
// so large that more rounds would make no other decision. The rule is fixed
// before the run and looks at the size of the effect, not at its significance,
// which would stop on luck.
func Decided(rounds int, ratios ...float64) bool {
	if rounds < stopAfter || len(ratios) == 0 {
		return false
	}
	for _, r := range ratios {
		if !(r > stopAbove || r < 1.0/stopAbove) {
			return false
		}
	}
	return true
}
