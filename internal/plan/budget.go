package plan

import (
	"math"
	"time"
)

// A Claim is what the budget knows of a row before the run.
type Claim struct {
	Threads bool          // more than one thread: scatters most
	Control bool          // must come out the same: a narrow margin is its point
	Round   time.Duration // of one round of it, all variants
}

const (
	threadedTimes = 3 // as many rounds for rows with threads, if they fit
	controlTimes  = 2 // as many for controls
	leastRounds   = 6 // an interval needs them
)

// Budget gives each row its rounds: rounds for all, more for the rows that need
// them as far as the time allows, and fewer for all where even that is too
// long. It knows nothing of any result.
func Budget(claims []Claim, rounds int, budget time.Duration) []int {
	var plain, extra float64
	for _, c := range claims {
		plain += float64(rounds) * float64(c.Round)
		extra += float64(rounds) * float64(c.Round) * (times(c) - 1)
	}
	most := float64(rounds)
	share := 1.0 // of the extra rounds that fits
	if extra > 0 {
		share = min(1, max(0, (float64(budget)-plain)/extra))
	}
	if plain > float64(budget) {
		most *= float64(budget) / plain
	}
	given := make([]int, len(claims))
	for i, c := range claims {
		given[i] = max(min(rounds, leastRounds), int(math.Floor(most*(1+share*(times(c)-1))+1e-9)))
	}
	return given
}

func times(c Claim) float64 {
	switch {
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
