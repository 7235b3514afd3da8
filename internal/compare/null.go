package compare

import (
	"libcost/internal/stats"
)

// A Null is what a comparison of a variant with its own copy came to: every
// finding in it is false.
type Null struct {
	Lines    int    // with an interval
	Outside  int    // whose interval leaves out 1
	Bound    int    // as many may, by chance, in 99 of 100 runs
	False    []Line // called slower or faster
	Families []Seen
}

// A Seen is the resolution of one room: what its rows could have seen.
type Seen struct {
	Room string
	Rows int
	Sees float64 // in %, the median row's, with 80 % power
}

// Holds says whether the method kept its word: an interval of 95 % may leave
// out the truth in 5 % of rows.
func (n Null) Holds() bool { return n.Lines > 0 && n.Outside <= n.Bound }

// JudgeNull judges the table of a variant against its copy.
func JudgeNull(t Table) Null {
	var n Null
	at := map[string]int{}
	halves := map[string][]float64{}
	rounds := map[string][]float64{}
	for _, l := range t.Lines {
		if l.Side {
			continue
		}
		for _, c := range l.Cells {
			if !c.Paired.Bounded() {
				continue
			}
			n.Lines++
			if !c.Paired.Contains(1) {
				n.Outside++
			}
			if w := c.Verdict.Word; w == stats.Slower || w == stats.Faster {
				n.False = append(n.False, l)
			}
			if _, ok := at[l.Room()]; !ok {
				at[l.Room()] = len(n.Families)
				n.Families = append(n.Families, Seen{Room: l.Room()})
			}
			halves[l.Room()] = append(halves[l.Room()], stats.Resolution(c.Paired.Interval))
			rounds[l.Room()] = append(rounds[l.Room()], float64(c.Rounds))
		}
	}
	n.Bound = stats.AcceptanceBound(n.Lines, 1-stats.Confidence, 0.99)
	for i := range n.Families {
		f := &n.Families[i]
		f.Rows = len(halves[f.Room])
		f.Sees = stats.Precision{Resolution: stats.Median(halves[f.Room]), Rounds: int(stats.Median(rounds[f.Room]))}.Sees()
	}
	return n
}
