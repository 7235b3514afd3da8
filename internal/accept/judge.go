package accept

import (
	"fmt"
	"math"

	"libcost/internal/compare"
	"libcost/internal/stats"
)

// An Answer is how an expectation came out.
type Answer int

const (
	Misses Answer = iota
	Holds
	Unjudged // the machine lacks what it takes; Finding.Measured says what
)

func (a Answer) String() string { return [...]string{"MISSES", "holds", "not judged"}[a] }

// A Finding is one expectation, judged.
type Finding struct {
	Case     string // "case 3", "null", "peer"
	What     string
	Expected string // what the report showed, and the band
	Measured string
	Answer   Answer
}

// Judge judges the cases by a comparison of gnu and musl. in is what the table
// was made of.
func Judge(cases []Case, in compare.Input, t compare.Table) []Finding {
	var findings []Finding
	for _, c := range cases {
		for _, e := range c.Expects {
			name := c.Title
			if c.Number > 0 {
				name = fmt.Sprintf("case %d", c.Number)
			}
			f := Finding{Case: name, What: e.What(), Expected: e.Expected + "; " + e.Band()}
			f.Measured, f.Answer = e.judge(in, t)
			findings = append(findings, f)
		}
	}
	return findings
}

func (e Expect) judge(in compare.Input, t compare.Table) (measured string, a Answer) {
	for _, s := range t.Skipped {
		if s.Row == e.Row || s.Row == e.Per {
			if s.Lacking {
				return s.Reason, Unjudged
			}
			return s.Reason, Misses
		}
	}
	switch e.Value {
	case "count":
		return e.count(in)
	case "level":
		return e.level(in)
	case "per":
		return e.per(in)
	case "apart":
		return e.apart(in)
	case "ratio":
		if in.Side[e.Unit] {
			return e.side(in)
		}
	}
	for _, l := range t.Lines {
		c, ok := l.Cell("musl")
		if l.Row != e.Row || l.Unit != e.Unit || !ok {
			continue
		}
		measured = fmt.Sprintf("%.3g [%.3g, %.3g]", c.Paired.Value, c.Paired.Lo, c.Paired.Hi)
		if e.Value == "same" {
			margin := stats.Margin(c.Paired.Interval)
			return fmt.Sprintf("%s, within %.1f %%", measured, margin), answer(margin <= e.Margin)
		}
		return measured, e.band(c.Paired.Value)
	}
	return "not measured", Misses
}

func (e Expect) band(x float64) Answer {
	return answer((e.Min == nil || x >= *e.Min) && (e.Max == nil || x <= *e.Max))
}

func answer(holds bool) Answer {
	if holds {
		return Holds
	}
	return Misses
}

func find(in compare.Input, row, unit, variant string) (compare.Series, bool) {
	for _, s := range in.Series {
		if s.Row == row && s.Unit == unit && s.Variant == variant {
			return s, true
		}
	}
	return compare.Series{}, false
}

func (e Expect) count(in compare.Input) (string, Answer) {
	s, ok := find(in, e.Row, e.Unit, e.Variant)
	if !ok {
		return "no counter: " + in.NoCounts, Unjudged
	}
	x := median(s)
	return fmt.Sprintf("%.3g", x), e.band(x)
}

// level is the median of one variant.
func (e Expect) level(in compare.Input) (string, Answer) {
	s, ok := find(in, e.Row, e.Unit, e.Variant)
	if !ok {
		return "not measured", Misses
	}
	x := median(s)
	return fmt.Sprintf("%.3g", x), e.band(x)
}

// apart is the difference of the two medians.
func (e Expect) apart(in compare.Input) (string, Answer) {
	gnu, ok := find(in, e.Row, e.Unit, "gnu")
	musl, also := find(in, e.Row, e.Unit, "musl")
	if !ok || !also {
		return "not measured", Misses
	}
	x := median(musl) - median(gnu)
	return fmt.Sprintf("%.3g apart", x), answer(math.Abs(x) <= e.Margin)
}

func median(s compare.Series) float64 {
	var values []float64
	for _, v := range s.Values {
		values = append(values, v)
	}
	return stats.Median(values)
}

// side is musl / gnu in a unit that stands beside a row's time and so has no
// line in the table: CPU time.
func (e Expect) side(in compare.Input) (string, Answer) {
	gnu, ok := find(in, e.Row, e.Unit, "gnu")
	musl, also := find(in, e.Row, e.Unit, "musl")
	if !ok || !also {
		return "not measured", Misses
	}
	return e.paired(gnu, musl)
}

func (e Expect) paired(base, other compare.Series) (string, Answer) {
	x, err := compare.PairedRatio(base, other)
	if err != nil {
		return err.Error(), Misses
	}
	return fmt.Sprintf("%.3g [%.3g, %.3g]", x.Value, x.Lo, x.Hi), e.band(x.Value)
}

// per pairs two rows of one variant by round: they ran within the same minute
// or two, side by side with all others.
func (e Expect) per(in compare.Input) (string, Answer) {
	row, ok := find(in, e.Row, e.Unit, e.Variant)
	per, also := find(in, e.Per, e.Unit, e.Variant)
	if !ok || !also {
		return "not measured", Misses
	}
	return e.paired(per, row)
}
