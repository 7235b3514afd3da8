package compare

import "libcost/internal/stats"

// A Family counts the verdicts of one room on one variant.
type Family struct {
	Room, Variant              string
	Slower, Faster, Same, Open int
	Worst, Best                *Line // the largest effect each way, nil without one
}

// Families counts the verdicts by room, in the order of the lines.
func (t Table) Families(variant string) []Family {
	var list []Family
	at := map[string]int{}
	for i := range t.Lines {
		l := &t.Lines[i]
		c, ok := l.Cell(variant)
		if l.Side || !ok {
			continue
		}
		if _, ok := at[l.Room()]; !ok {
			at[l.Room()] = len(list)
			list = append(list, Family{Room: l.Room(), Variant: variant})
		}
		list[at[l.Room()]].count(l, c)
	}
	return list
}

func (f *Family) count(l *Line, c Cell) {
	switch c.Verdict.Word {
	case stats.Slower:
		f.Slower++
		f.Worst = larger(f.Worst, l, f.Variant)
	case stats.Faster:
		f.Faster++
		f.Best = larger(f.Best, l, f.Variant)
	case stats.Same, stats.SameWithin:
		f.Same++
	default:
		f.Open++
	}
}

// larger is the line with the larger effect, either way.
func larger(a, b *Line, variant string) *Line {
	if a == nil || effect(*b, variant) > effect(*a, variant) {
		return b
	}
	return a
}

func effect(l Line, variant string) float64 {
	c, _ := l.Cell(variant)
	return max(c.Paired.Value, 1/c.Paired.Value)
}
