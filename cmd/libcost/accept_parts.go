package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"libcost/internal/accept"
	"libcost/internal/compare"
	"libcost/internal/explain"
	"libcost/internal/report"
	"libcost/internal/results"
	"libcost/internal/stats"
	"libcost/internal/variant"
)

// A part that is in both builds leaves no difference on the rows that it
// covers: within 3 % or 0.3 ns. Rows that a part covers, and those of them in
// which something else of libc takes part.
var covered = []struct {
	part   string
	rows   func(variant.Row) bool
	except map[string]string // row's prefix: why
}{
	{"mimalloc", func(r variant.Row) bool { return r.Room == "alloc" && r.Threads == 1 && r.Unit == "" }, nil},
	{"memops", func(r variant.Row) bool { return r.Room == "memops" }, map[string]string{
		"memops/Clone": "its malloc is each libc's own",
	}},
	{"locks", func(r variant.Row) bool {
		return strings.HasPrefix(r.Key(), "syscalls/Mutex/") && r.Threads == 1
	}, nil},
}

// Rounds and margins of a part's neutrality.
const (
	neutralRounds  = 80
	neutralPercent = 3
	neutralNS      = 0.3
)

// acceptParts sees that a replacement part is the same in both builds, by the
// rows of the default set that it covers.
func (a *app) acceptParts(ctx context.Context, f runFlags, _ []*variant.Built, _ []accept.Case) ([]accept.Finding, error) {
	var findings []accept.Finding
	for _, c := range covered {
		names := []string{"gnu+" + c.part, "musl+" + c.part}
		built, err := a.builder().Build(mustParse(names[0]), mustParse(names[1]))
		if err != nil {
			return nil, err
		}
		var rows []results.Row
		for _, r := range built[0].Rows {
			if r.Usual && c.rows(r) {
				rows = append(rows, results.Row{Row: r, Rounds: neutralRounds, Variants: names})
			}
		}
		run, err := a.measureRows(ctx, f, built, rows)
		if err != nil {
			return nil, err
		}
		in := compare.FromRun(run)
		for _, r := range rows {
			findings = append(findings, neutral(in, c.part, names, r, c.except))
		}
	}
	return findings, nil
}

// neutral judges one row of a part that both builds have.
func neutral(in compare.Input, part string, names []string, row results.Row, except map[string]string) accept.Finding {
	f := accept.Finding{Case: "part " + part, What: row.Key() + ", " + names[1] + " / " + names[0],
		Expected: fmt.Sprintf("the same within %d %% or %g ns", neutralPercent, neutralNS)}
	ratio, apart, ok := in.Pair(row.Key(), names[0], names[1])
	if !ok {
		f.Measured, f.Answer = "not measured: "+row.Skipped, accept.Unjudged
		return f
	}
	f.Measured = fmt.Sprintf("%s %s, %+.2f ns apart", report.Ratio(ratio.Value), report.Interval(ratio.Interval), apart.Value)
	for prefix, why := range except {
		if strings.HasPrefix(row.Key(), prefix) {
			f.Measured, f.Answer = f.Measured+"; "+why, accept.Unjudged
			return f
		}
	}
	// The estimates must agree: that an interval holds 1 may be its width alone.
	if stats.Margin(stats.Interval{Lo: ratio.Value, Hi: ratio.Value}) <= neutralPercent || math.Abs(apart.Value) <= neutralNS {
		f.Answer = accept.Holds
	}
	return f
}

// planted are the functions in which causes are planted, each in a workload
// that calls it often enough: six waits of 200 ns in a query of 270 µs are less
// than where the linker puts the code does. "" plants nothing.
var planted = []struct{ function, workload string }{
	{"", "e2e/sqlite-query"}, {"malloc", "e2e/sqlite-upsert"}, {"memcmp", "e2e/sqlite-query"}, {"pthread_mutex_lock", "e2e/sqlite-query"},
}

// acceptPlanted plants causes into one of two builds of one libc, and sees that
// each is found under its part, at what it is; and that without one there is no
// gap.
func (a *app) acceptPlanted(ctx context.Context, f runFlags, _ []*variant.Built, _ []accept.Case) ([]accept.Finding, error) {
	var findings []accept.Finding
	for _, c := range planted {
		e := explainFlags{rounds: 30, neutral: variant.Allocators[0], metric: "time", results: f.results, dir: f.dir, timeout: f.timeout, seed: f.seed, plant: c.function}
		q, err := a.startInquiry(ctx, []string{c.workload, "gnu", "gnu"}, e)
		if err != nil {
			return nil, err
		}
		gap, err := q.measure(ctx, a, metrics[e.metric])
		if err != nil {
			return nil, err
		}
		finding := accept.Finding{Case: "planted", What: c.workload + ", gnu against itself", Expected: "no gap resolved"}
		if c.function == "" {
			finding.Measured = report.Interval(gap.Ledger.Ratio.Interval)
			if !gap.Ledger.Resolved {
				finding.Answer = accept.Holds
			}
		} else {
			found, err := q.planted(ctx, gap.Ledger)
			if err != nil {
				return nil, err
			}
			finding.What = fmt.Sprintf("%d ns in each %s of %s", explain.PlantNS, c.function, c.workload)
			finding.Expected = fmt.Sprintf("%.4g ns an op under %s", found.NS, found.Factor)
			finding.Measured = fmt.Sprintf("%.4g [%.4g, %.4g]", found.Found.Value, found.Found.Lo, found.Found.Hi)
			if found.Holds() {
				finding.Answer = accept.Holds
			}
		}
		findings = append(findings, finding)
	}
	return findings, nil
}
