// Package compare sets the variants of a run side by side: for each row and
// unit both medians, the paired ratio with its interval, and a verdict that
// takes into account how many rows were looked at.
package compare

import (
	"maps"
	"math"
	"slices"
	"strings"

	"libcost/internal/stats"
)

// A Series is one row's values of one unit in one variant.
type Series struct {
	Row     string // alloc/Pair/size=64/live=1/threads=1
	Unit    string
	Variant string
	Values  map[int]float64 // by round
	Flagged map[int]bool    // rounds in which the machine was busy with something else
	Layout  map[int]int     // code layout of each round; nil is one for all
}

// An Input is what Compare compares.
type Input struct {
	Base     string
	Variants []string // the base among them
	Series   []Series // in the order in which they are shown
	Better   map[string]stats.Better
	Side     map[string]bool // units that are shown beside the others and get no verdict
	Control  map[string]bool // rows in which libc has no part
	Skipped  []Skip
	NoCounts string // why system calls were not counted, "" if they were
	NoDisk   string // why the rows that write files are no disk's, "" if they are
	Canary   string // the variant that is a second copy of the base, "" without one
}

// A Skip is a row without a comparison.
type Skip struct {
	Row, Reason string
	Lacking     bool // the machine lacks something; nothing is wrong
}

// A Table is the comparison.
type Table struct {
	Base     string
	Variants []string // without the base
	Lines    []Line
	Canaries []Canary
	Skipped  []Skip
	Unpaired []Unpaired
	NoCounts string
	NoDisk   string
}

// Unpaired are rounds of a row that one variant has and the base has not, or
// the other way round; they are left out.
type Unpaired struct {
	Row, Variant string
	Base, Other  int // rounds of each
	Rounds       int // of both
}

// A Canary is a row on which the base was compared with a copy of itself.
type Canary struct {
	Row string
	Cell
	Adjusted float64 // p by Holm over the canaries
}

// Sings says that the machine, or the method, made a difference where there is
// none. In one run of twenty a canary sings by chance.
func (c Canary) Sings() bool { return c.Adjusted <= stats.Alpha }

// A Line is one row in one unit. A throughput is a unit like any other: its
// ratio is variant / base too, and its Better says which way is good.
type Line struct {
	Row     string
	Unit    string
	Better  stats.Better
	Side    bool
	Control bool
	Cells   []Cell // one for each variant that ran it
}

// Room is the package of the row.
func (l Line) Room() string {
	room, _, _ := strings.Cut(l.Row, "/")
	return room
}

// Cell finds the cell of a variant.
func (l Line) Cell(variant string) (Cell, bool) {
	for _, c := range l.Cells {
		if c.Variant == variant {
			return c, true
		}
	}
	return Cell{}, false
}

// A Cell compares one variant with the base.
type Cell struct {
	Variant    string
	BaseMedian float64
	Median     float64
	Ratio      float64        // of the medians, variant / base
	Paired     stats.Estimate // of the ratio, over rounds; NaN where a value is 0
	Q          float64        // among all verdicts of the table
	Verdict    stats.Verdict
	Rounds     int  // in which both ran
	Layouts    int  // code layouts that they were spread over
	Flagged    int  // of them
	Changes    bool // enough rounds are not flagged, and they give another verdict
}

// Compare makes the table. The verdicts' q values are over all lines that get
// one, so a longer table asks more of each.
func Compare(in Input) Table {
	t := Table{Base: in.Base, Skipped: in.Skipped, NoCounts: in.NoCounts, NoDisk: in.NoDisk}
	for _, v := range in.Variants {
		if v != in.Base && v != in.Canary {
			t.Variants = append(t.Variants, v)
		}
	}
	type key struct{ row, unit string }
	lines := map[key]map[string]Series{}
	var order []key
	for _, s := range in.Series {
		k := key{s.Row, s.Unit}
		if lines[k] == nil {
			lines[k] = map[string]Series{}
			order = append(order, k)
		}
		lines[k][s.Variant] = s
	}
	for _, k := range order {
		l := Line{Row: k.row, Unit: k.unit, Better: in.Better[k.unit], Side: in.Side[k.unit], Control: in.Control[k.row]}
		base, ok := lines[k][in.Base]
		if !ok {
			continue
		}
		for _, v := range t.Variants {
			if s, ok := lines[k][v]; ok {
				l.Cells = append(l.Cells, cell(base, s))
				t.unpaired(base, s)
			}
		}
		if s, ok := lines[k][in.Canary]; ok && !l.Side {
			t.Canaries = append(t.Canaries, Canary{Row: l.Row, Cell: cell(base, s)})
		}
		if len(l.Cells) > 0 {
			t.Lines = append(t.Lines, l)
		}
	}
	t.judge(in, func(row, unit, variant string) (Series, Series) {
		k := key{row, unit}
		return lines[k][in.Base], lines[k][variant]
	})
	return t
}

// unpaired notes a row of which one variant has rounds that the other lacks,
// once, whatever its units are.
func (t *Table) unpaired(base, other Series) {
	p, _ := pairRounds(base, other, true)
	u := Unpaired{base.Row, other.Variant, len(base.Values), len(other.Values), len(p.base)}
	if u.Base == u.Rounds && u.Other == u.Rounds || slices.Contains(t.Unpaired, u) {
		return
	}
	t.Unpaired = append(t.Unpaired, u)
}

// cell compares two series over the rounds that both have.
func cell(base, other Series) Cell {
	c := Cell{Variant: other.Variant, Q: math.NaN()}
	p, flagged := pairRounds(base, other, true)
	c.Rounds, c.Layouts, c.Flagged = len(p.base), p.layouts(), flagged
	c.BaseMedian, c.Median = stats.Median(p.base), stats.Median(p.other)
	c.Ratio = c.Median / c.BaseMedian
	paired, err := p.ratio()
	if err != nil {
		// A count that is 0 in some round has no ratio.
		paired = stats.Estimate{Value: math.NaN(), Interval: stats.Interval{Lo: 0, Hi: math.Inf(1)}, P: math.NaN()}
	}
	c.Paired = paired
	return c
}

// PairedRatio estimates other / base over the rounds that both have.
func PairedRatio(base, other Series) (stats.Estimate, error) {
	p, _ := pairRounds(base, other, true)
	return p.ratio()
}

// Pair estimates other / base and other - base, in ns, of a row's time; !ok if
// there are no rounds of both.
func (in Input) Pair(row, base, other string) (ratio, difference stats.Estimate, ok bool) {
	of := map[string]Series{}
	for _, s := range in.Series {
		if s.Row == row && s.Unit == "ns/op" {
			of[s.Variant] = s
		}
	}
	p, _ := pairRounds(of[base], of[other], true)
	ratio, err := p.ratio()
	if err != nil {
		return ratio, difference, false
	}
	difference, err = stats.PairedDifference(p.base, p.other, stats.Confidence)
	return ratio, difference, err == nil && len(p.base) > 0
}

// pairs are the values of the rounds that two series both have, in order.
type pairs struct {
	base, other []float64
	layout      []int
}

// pairRounds pairs two series, with or without the flagged rounds.
func pairRounds(base, other Series, all bool) (p pairs, flagged int) {
	var rounds []int
	for r := range base.Values {
		if _, ok := other.Values[r]; ok {
			rounds = append(rounds, r)
		}
	}
	slices.Sort(rounds)
	for _, r := range rounds {
		if base.Flagged[r] || other.Flagged[r] {
			flagged++
			if !all {
				continue
			}
		}
		p.base, p.other, p.layout = append(p.base, base.Values[r]), append(p.other, other.Values[r]), append(p.layout, base.Layout[r])
	}
	return p, flagged
}

// layouts is how many code layouts there are.
func (p pairs) layouts() int {
	distinct := slices.Clone(p.layout)
	slices.Sort(distinct)
	return len(slices.Compact(distinct))
}

// ratio estimates other / base over the rounds, or over the layouts where there
// are several: all rounds of one layout share what that layout does, so more of
// them tell no more about it.
//
// Source: Kalibera & Jones, Rigorous benchmarking in reasonable time, ISMM 2013.
func (p pairs) ratio() (stats.Estimate, error) {
	if p.layouts() < 2 {
		return stats.PairedRatio(p.base, p.other, stats.Confidence)
	}
	of := map[int]pairs{}
	for i, l := range p.layout {
		at := of[l]
		at.base, at.other = append(at.base, p.base[i]), append(at.other, p.other[i])
		of[l] = at
	}
	var ones, ratios []float64
	for _, l := range slices.Sorted(maps.Keys(of)) {
		e, err := stats.PairedRatio(of[l].base, of[l].other, stats.Confidence)
		if err != nil {
			return e, err
		}
		ones, ratios = append(ones, 1), append(ratios, e.Value)
	}
	return stats.PairedRatio(ones, ratios, stats.Confidence)
}

// judge gives each cell its verdict, and asks whether it stands without the
// flagged rounds.
func (t *Table) judge(in Input, series func(row, unit, variant string) (base, other Series)) {
	var cells []*Cell
	var lines []*Line
	var p []float64
	for i := range t.Lines {
		if t.Lines[i].Side {
			continue
		}
		for j := range t.Lines[i].Cells {
			c := &t.Lines[i].Cells[j]
			cells, lines, p = append(cells, c), append(lines, &t.Lines[i]), append(p, c.Paired.P)
		}
	}
	q := stats.BenjaminiHochberg(append(p, t.judgeCanaries()...))
	for i, c := range cells {
		rules := stats.Rules{Better: lines[i].Better, Layouts: c.Layouts}
		if need := stats.QuantileRounds(Quantile(lines[i].Unit)); c.Rounds < need {
			rules.MinRounds = need
		}
		c.Q = q[i]
		c.Verdict = stats.Judge(c.Paired, c.Q, rules)
		if c.Flagged == 0 || math.IsNaN(c.Paired.Value) {
			continue
		}
		base, other := series(lines[i].Row, lines[i].Unit, c.Variant)
		unflagged, _ := pairRounds(base, other, false)
		without, err := unflagged.ratio()
		c.Changes = err == nil && without.Bounded() && stats.Judge(without, c.Q, rules).Word != c.Verdict.Word
	}
}

// judgeCanaries adjusts the canaries' p values, and returns them as they were:
// they are looked at too, so they count among all that was.
func (t *Table) judgeCanaries() []float64 {
	var p []float64
	for _, c := range t.Canaries {
		p = append(p, c.Paired.P)
	}
	for i, adjusted := range stats.Holm(p) {
		t.Canaries[i].Adjusted = adjusted
	}
	return p
}

// Quantile is what a unit like p99.9-ns is of, 0 for other units.
func Quantile(unit string) float64 {
	switch unit {
	case "p99-ns":
		return 0.99
	case "p99.9-ns":
		return 0.999
	}
	return 0
}
