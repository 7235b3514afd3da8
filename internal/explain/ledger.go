package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"libcost/internal/stats"
)

// A Ledger says where a gap comes from. Times are in ns an op.
type Ledger struct {
	Base, Other stats.Estimate    // of the two builds as asked for
	Gap         stats.Estimate    // Other - Base
	Ratio       stats.Estimate    // Other / Base
	Resolved    bool              // the gap's interval leaves out 0; without it there are no shares
	Linkage     []Cause           // of each side that is dynamic where the other is static
	Causes      []Cause           // by size
	Residual    Cause             // what is left when all is replaced
	Price       [2]stats.Estimate // what the replacements cost each side: ratio of all replaced to none
	Rounds      int
	Enough      int // rounds after which the residual's interval would be within MaxResidual; 0 if it is
}

// A Cause is one part's doing.
type Cause struct {
	Name        string
	NS          stats.Estimate
	First, Last stats.Estimate // replaced alone, and after all others
	Share       stats.Estimate // in % of the gap, if it is resolved
	Explains    bool
	factor      int // of Design.Factors

	Joint []string // it works through these: no number is its own
}

// Bracket is from the least to the largest share in %, replaced alone or last.
func (c Cause) Bracket(gap float64) (first, last float64) {
	return 100 * c.First.Value / gap, 100 * c.Last.Value / gap
}

// What it takes for a part to be called an explanation.
const (
	MaxResidual  = 10 // % of the gap that the residual's interval may reach
	widestSingle = 10 // points between first and last; beyond, a part is jointly caused
	placement    = 1  // % of the run time: a part without a call reads as much
)

// NewLedger works a ledger out of times[round][binary], in ns an op.
func NewLedger(d Design, times [][]float64, seed uint64) (Ledger, error) {
	blocks, err := stats.Blocks(times)
	if err != nil {
		return Ledger{}, fmt.Errorf("explain: %w", err)
	}
	if len(blocks) == 0 {
		return Ledger{}, fmt.Errorf("explain: no round is complete")
	}
	estimates, err := stats.Bootstrap(blocks, func(rounds []stats.Block) []float64 { return d.account(stats.Typical(rounds)).flat() },
		stats.Resamples, stats.Confidence, seed)
	if err != nil {
		return Ledger{}, fmt.Errorf("explain: %w", err)
	}
	return d.ledger(estimates, len(blocks)), nil
}

// An account is what one set of typical times comes to.
type account struct {
	base, other, ratio float64
	price              [2]float64
	residual           float64
	linkage            [2]float64
	parts              []stats.Share
}

func (d Design) account(times []float64) account {
	t := func(side, set int) float64 { return times[d.at(side, set, false)] }
	gap := func(set int) float64 { return t(1, set) - t(0, set) }
	a := account{base: times[d.given(0)], other: times[d.given(1)], residual: gap(d.all())}
	a.ratio = a.other / a.base
	a.linkage = [2]float64{t(0, 0) - a.base, a.other - t(1, 0)}
	for side := range a.price {
		a.price[side] = t(side, d.all()) / t(side, 0)
	}
	if len(d.Factors) > 0 {
		closed := make([]float64, 1<<len(d.Factors))
		for set := range closed {
			closed[set] = gap(0) - gap(set)
		}
		a.parts = stats.Shapley(closed)
	}
	return a
}

// flat is the account as a list of numbers, and each part of it as a share of
// the gap behind them.
func (a account) flat() []float64 {
	gap := a.other - a.base
	share := func(x float64) float64 { return 100 * x / gap }
	list := []float64{a.base, a.other, gap, a.ratio, a.price[0], a.price[1],
		a.residual, share(a.residual), a.linkage[0], share(a.linkage[0]), a.linkage[1], share(a.linkage[1])}
	for _, p := range a.parts {
		list = append(list, p.Value, share(p.Value), p.First, p.Last)
	}
	return list
}

// ledger puts the estimates of account.flat into words' order.
func (d Design) ledger(e []stats.Estimate, rounds int) Ledger {
	l := Ledger{Base: e[0], Other: e[1], Gap: e[2], Ratio: e[3], Price: [2]stats.Estimate{e[4], e[5]}, Rounds: rounds}
	l.Resolved = l.Gap.Bounded() && !l.Gap.Contains(0)
	l.Residual = Cause{Name: "rest", NS: e[6], Share: e[7]}
	for side, v := range d.Sides {
		if d.at(side, 0, true) >= 0 {
			l.Linkage = append(l.Linkage, Cause{Name: "linkage of " + v.Name, NS: e[8+2*side], First: e[8+2*side], Last: e[8+2*side], Share: e[9+2*side]})
		}
	}
	for i, f := range d.Factors {
		at := e[12+4*i:]
		l.Causes = append(l.Causes, Cause{Name: f.Name, factor: i, NS: at[0], Share: at[1], First: at[2], Last: at[3]})
	}
	l.joint()
	closes := l.Resolved && l.Residual.Share.Lo >= -MaxResidual && l.Residual.Share.Hi <= MaxResidual
	for _, causes := range [][]Cause{l.Linkage, l.Causes} {
		for i := range causes {
			c := &causes[i]
			c.Explains = closes && !c.Share.Contains(0) && math.Abs(c.NS.Value) >= placement*l.Base.Value/100
		}
	}
	if l.Resolved && !closes {
		l.Enough = l.enough()
	}
	slices.SortStableFunc(l.Causes, func(a, b Cause) int { return cmp.Compare(math.Abs(b.NS.Value), math.Abs(a.NS.Value)) })
	return l
}

// joint finds the parts whose share depends on what else is replaced.
func (l *Ledger) joint() {
	var wide []string
	for _, c := range l.Causes {
		if first, last := c.Bracket(l.Gap.Value); math.Abs(first-last) > widestSingle {
			wide = append(wide, c.Name)
		}
	}
	if len(wide) < 2 {
		return
	}
	for i := range l.Causes {
		c := &l.Causes[i]
		if at := slices.Index(wide, c.Name); at >= 0 {
			c.Joint = slices.Concat(wide[:at], wide[at+1:])
		}
	}
}

// enough is how many rounds would bring the residual's interval within
// MaxResidual, if its estimate stays; 0 if none would.
func (l Ledger) enough() int {
	half := (l.Residual.Share.Hi - l.Residual.Share.Lo) / 2
	room := MaxResidual - math.Abs(l.Residual.Share.Value)
	if room <= 0 || math.IsInf(half, 0) {
		return 0
	}
	return stats.Precision{Resolution: half, Rounds: l.Rounds}.RoundsToResolve(room)
}

// RoundsToResolveGap is how many rounds would tell the gap from 0, if its
// estimate stays.
func (l Ledger) RoundsToResolveGap() int {
	half := (l.Gap.Hi - l.Gap.Lo) / 2
	return stats.Precision{Resolution: half, Rounds: l.Rounds}.RoundsToResolve(math.Abs(l.Gap.Value))
}
