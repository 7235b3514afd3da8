package runner

import (
	"libcost/internal/plan"
	"libcost/internal/results"
	"libcost/internal/stats"
)

// settled follows which rows are decided, by the rule of plan.Decided. It
// looks at whole rounds only, so that a resumed run skips what the first would
// have skipped.
type settled map[string]*progress

// A progress is what one row has shown so far.
type progress struct {
	variants []string             // the base first
	rounds   []map[string]float64 // the whole ones: ns/op by variant
	open     map[int]map[string]float64
	decided  bool
	last     int // the round that decided it
}

// newSettled follows no row of a run that does not stop.
func newSettled(m results.Manifest) settled {
	s := settled{}
	for _, r := range m.Rows {
		// Quantiles need their rounds, and controls are there to be equal.
		if m.Stops && len(r.Variants) > 1 && !r.Latency && !r.Control {
			s[r.Key()] = &progress{variants: r.Variants, open: map[int]map[string]float64{}}
		}
	}
	return s
}

func (s settled) add(sample results.Sample) {
	p := s[sample.Row]
	if p == nil || p.decided || sample.Status != results.OK {
		return
	}
	round := p.open[sample.Round]
	if round == nil {
		round = map[string]float64{}
		p.open[sample.Round] = round
	}
	round[sample.Variant] = float64(sample.Result.ElapsedNS) / float64(sample.N)
	if len(round) < len(p.variants) {
		return
	}
	delete(p.open, sample.Round)
	p.rounds = append(p.rounds, round)
	if plan.Decided(len(p.rounds), p.ratios()...) {
		p.decided, p.last = true, sample.Round
	}
}

// ratios are the median ratios of each variant to the base.
func (p *progress) ratios() []float64 {
	var ratios []float64
	for _, v := range p.variants[1:] {
		var pairs []float64
		for _, round := range p.rounds {
			pairs = append(pairs, round[v]/round[p.variants[0]])
		}
		ratios = append(ratios, stats.Median(pairs))
	}
	return ratios
}

// skips says whether a sample would come after its row was decided.
func (s settled) skips(sample plan.Sample) bool {
	p := s[sample.Row]
	return p != nil && p.decided && sample.Round > p.last
}
