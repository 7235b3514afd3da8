package compare

import (
	"slices"

	"libcost/internal/results"
	"libcost/internal/stats"
)

// quantileUnits are the units of Result.Quantiles.
var quantileUnits = [...]string{"p50-ns", "p90-ns", "p99-ns", "p99.9-ns"}

// sideUnits stand beside a row's time: they explain it and get no verdict.
var sideUnits = []string{"cpu-ns/op", "minflt/op", "nvcsw/op", "nivcsw/op"}

// FromRun takes the numbers of a run. A row of single ops with a time each is
// compared by its quantiles, every other row by ns/op.
func FromRun(run *results.Run) Input {
	m := run.Manifest
	in := Input{Base: m.Base, Better: map[string]stats.Better{}, Side: map[string]bool{}, Control: map[string]bool{}}
	for _, v := range m.Variants {
		in.Variants = append(in.Variants, v.Name)
	}
	for _, u := range sideUnits {
		in.Side[u] = true
	}
	in.NoCounts = run.Counts.Missing
	in.Canary = m.Canary
	if slices.ContainsFunc(m.Rows, func(r results.Row) bool { return r.Disk }) {
		in.NoDisk = m.Disk.Caution
	}
	type id struct{ row, variant string }
	samples := map[id][]results.Sample{}
	for _, s := range run.Samples {
		if s.Status == results.OK {
			k := id{s.Row, s.Variant}
			samples[k] = append(samples[k], s)
		}
	}
	for _, row := range m.Rows {
		in.Control[row.Key()] = row.Control
		if row.Skipped != "" {
			in.Skipped = append(in.Skipped, Skip{row.Key(), row.Skipped, row.Lacking})
			continue
		}
		units := []string{"ns/op"}
		switch {
		case row.Latency:
			units = quantileUnits[:]
		case row.Unit != "":
			units = []string{row.Unit}
		}
		for _, unit := range append(units[:len(units):len(units)], sideUnits...) {
			for _, v := range row.Variants {
				s := Series{Row: row.Key(), Unit: unit, Variant: v, Values: map[int]float64{}, Flagged: map[int]bool{}, Layout: map[int]int{}}
				for _, sample := range samples[id{row.Key(), v}] {
					if x, ok := value(sample.Result, unit, row.Unit); ok {
						s.Values[sample.Round] = x
						s.Flagged[sample.Round] = sample.Flagged()
						s.Layout[sample.Round] = sample.Layout
					}
				}
				if len(s.Values) > 0 {
					in.Series = append(in.Series, s)
				}
			}
		}
		in.Series = append(in.Series, counts(run.Counts, row.Key())...)
	}
	for _, call := range run.Counts.Calls {
		in.Side[call+"/op"] = true
	}
	return in
}

// counts are a row's system calls an op, a series for each call and variant.
// They come of one sample each: a count hardly scatters.
func counts(c results.Counts, row string) []Series {
	var series []Series
	for _, sample := range c.Samples {
		if sample.Row != row || sample.Status != results.OK {
			continue
		}
		for i, call := range c.Calls {
			if i < len(sample.Result.Calls) && sample.Result.Calls[i] >= 0 {
				series = append(series, Series{Row: row, Unit: call + "/op", Variant: sample.Variant,
					Values: map[int]float64{0: float64(sample.Result.Calls[i]) / float64(sample.N)}})
			}
		}
	}
	return series
}

// value is a result in one unit, own being the row's own; quantiles that too few ops back are none.
func value(r *results.Result, unit, own string) (float64, bool) {
	n := float64(r.N)
	switch unit {
	case own:
		if r.Value == nil {
			return 0, false
		}
		return *r.Value, true
	case "ns/op":
		return float64(r.ElapsedNS) / n, true
	case "cpu-ns/op":
		return float64(r.CPUNS) / n, true
	case "minflt/op":
		return float64(r.MinFlt) / n, true
	case "nvcsw/op":
		return float64(r.NVCSw) / n, true
	case "nivcsw/op":
		return float64(r.NIvCSw) / n, true
	}
	for i, q := range quantileUnits {
		if q == unit && i < len(r.Quantiles) && r.Quantiles[i] > 0 {
			return float64(r.Quantiles[i]), true
		}
	}
	return 0, false
}
