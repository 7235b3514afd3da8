package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"libcost/internal/compare"
	"libcost/internal/results"
	"libcost/internal/stats"
)

// Ending is what a run prints when it is done: the rows that decide most, what
// was not measured, and what to type next.
func Ending(w io.Writer, run *results.Run, took time.Duration) {
	m := run.Manifest
	t := compare.Compare(compare.FromRun(run))
	if len(t.Variants) == 0 {
		noDisk(w, t)
		skipped(w, t.Skipped)
		unwell(w, run)
		fmt.Fprintf(w, "%s\n  medians:              go tool benchstat %s%s.txt\n  to compare, run both: make bench-musl bench-gnu\n", display(run.Dir), display(run.Dir), m.Base)
		return
	}
	banner(w, t)
	if m.Set == "quick" {
		fmt.Fprintln(w, "quick: sees about 15 %, not for decisions")
	}
	deployed := ""
	notes := &footnotes{}
	for _, v := range t.Variants {
		if joined(m, t, v) {
			deployed = v
			continue
		}
		fmt.Fprintf(w, "%s against %s, %s; ratio = %s / %s\n", v, t.Base, difference(m, t.Base, v), v, t.Base)
		families(w, t, v)
		summary(w, m, t, v, notes)
	}
	if deployed != "" {
		asDeployed(w, run, deployed, notes)
	}
	notes.explain(w)
	canaries(w, t)
	noDisk(w, t)
	unpaired(w, t)
	skipped(w, t.Skipped)
	unwell(w, run)
	resolution(w, t, m, took)
	fmt.Fprintf(w, "%s\n%s", display(run.Dir), next(run, t))
}

// joined says whether a variant runs only some of the rows that are compared.
func joined(m results.Manifest, t compare.Table, variant string) bool {
	for _, r := range m.Rows {
		compared := slices.ContainsFunc(t.Variants, func(v string) bool { return slices.Contains(r.Variants, v) })
		if compared && !slices.Contains(r.Variants, variant) {
			return true
		}
	}
	return false
}

// difference says what two variants have in common and what not.
func difference(m results.Manifest, a, b string) string {
	var va, vb results.Variant
	for _, v := range m.Variants {
		if v.Name == a {
			va = v
		}
		if v.Name == b {
			vb = v
		}
	}
	var same []string
	if va.Facts.Linkage == vb.Facts.Linkage {
		same = append(same, "both "+va.Facts.Linkage)
	} else {
		same = append(same, vb.Facts.Linkage+" against "+va.Facts.Linkage)
	}
	if va.Facts.Compiler == vb.Facts.Compiler {
		same = append(same, "same "+va.Facts.Compiler)
	}
	return strings.Join(same, ", ")
}

// canaries says how the base came out against its own copy; banner has told
// already if it did not come out equal.
func canaries(w io.Writer, t compare.Table) {
	sing := 0
	for _, c := range t.Canaries {
		if c.Sings() {
			sing++
		}
	}
	if n := len(t.Canaries); n > 0 {
		fmt.Fprintf(w, "canaries: %s against a second copy of itself differs on %d of %d rows\n", t.Base, sing, n)
	}
}

// summary prints the rows that decide most; in a run without them the first
// eight.
func summary(w io.Writer, m results.Manifest, t compare.Table, variant string, notes *footnotes) {
	chosen := map[string]bool{}
	for _, r := range m.Rows {
		chosen[r.Key()] = r.Summary
	}
	lines := pick(t, variant, func(l compare.Line) bool { return chosen[l.Row] })
	if len(lines) == 0 {
		lines = pick(t, variant, func(compare.Line) bool { return true })
		lines = lines[:min(8, len(lines))]
	}
	print := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		c, _ := l.Cell(variant)
		fmt.Fprintf(print, "  %s\t%s\t%s\t%s\t%s → %s\t%s\n", Plain(l.Row), l.Unit, Verdict(l, c)+notes.marks(c), Interval(c.Paired.Interval),
			Value(c.BaseMedian, l.Unit), Value(c.Median, l.Unit), sides(t, l, variant))
	}
	print.Flush()
}

// pick takes the lines with a verdict on a variant; of a row with several
// quantiles the first.
func pick(t compare.Table, variant string, want func(compare.Line) bool) []compare.Line {
	var lines []compare.Line
	for _, l := range t.Lines {
		if l.Side || !want(l) || len(lines) > 0 && lines[len(lines)-1].Row == l.Row {
			continue
		}
		if _, ok := l.Cell(variant); ok {
			lines = append(lines, l)
		}
	}
	return lines
}

// sides are the counters beside a row's time where the two differ by half.
func sides(t compare.Table, of compare.Line, variant string) string {
	note := ""
	if of.Control {
		note = "control: libc has no part"
	}
	for _, l := range t.Lines {
		if !l.Side || l.Row != of.Row || l.Unit == "cpu-ns/op" && of.Unit == "ns/op" && !strings.Contains(l.Row, "place=") {
			continue
		}
		c, ok := l.Cell(variant)
		if !ok || max(c.Median, c.BaseMedian) < 0.05 || max(c.Median, c.BaseMedian) < 1.5*min(c.Median, c.BaseMedian) {
			continue
		}
		note = strings.TrimLeft(fmt.Sprintf("%s, %s %s → %s", note, l.Unit, Value(c.BaseMedian, l.Unit), Value(c.Median, l.Unit)), ", ")
	}
	return note
}

// asDeployed compares what people deploy: a dynamic glibc against a static musl.
func asDeployed(w io.Writer, run *results.Run, deployed string, notes *footnotes) {
	in := compare.FromRun(run)
	in.Base = deployed
	t := compare.Compare(in)
	for _, v := range t.Variants {
		if v != run.Manifest.Base && len(pick(t, v, func(compare.Line) bool { return true })) > 0 {
			fmt.Fprintf(w, "as deployed: %s against %s, %s; ratio = %s / %s\n", v, deployed, difference(run.Manifest, deployed, v), v, deployed)
			summary(w, run.Manifest, t, v, notes)
		}
	}
}

func skipped(w io.Writer, skips []compare.Skip) {
	for _, s := range skips {
		fmt.Fprintf(w, "skipped %s: %s\n", Plain(s.Row), Plain(s.Reason))
	}
}

// unwell tells the samples that gave no number, once for each row, variant and
// cause.
func unwell(w io.Writer, run *results.Run) {
	type cause struct{ row, variant, error string }
	count := map[cause]int{}
	var order []cause
	for _, s := range slices.Concat(run.Samples, run.Counts.Samples) {
		if s.Status == results.OK {
			continue
		}
		c := cause{s.Row, s.Variant, s.Error}
		if count[c]++; count[c] == 1 {
			order = append(order, c)
		}
	}
	for _, c := range order {
		fmt.Fprintf(w, "%s, %s: %s (%d %s)\n", Plain(c.row), c.variant, Plain(c.error), count[c], plural(count[c], "sample"))
	}
}

// resolution says what the run could have seen.
func resolution(w io.Writer, t compare.Table, m results.Manifest, took time.Duration) {
	var halves []float64
	open, differ, verdicts := 0, 0, 0
	for _, l := range t.Lines {
		if l.Side {
			continue
		}
		for _, c := range l.Cells {
			verdicts++
			switch c.Verdict.Word {
			case stats.NotResolved, stats.TooFewRounds:
				open++
			case stats.Slower, stats.Faster:
				differ++
			}
			if c.Paired.Bounded() {
				halves = append(halves, stats.Resolution(c.Paired.Interval))
			}
		}
	}
	if len(halves) == 0 {
		fmt.Fprintf(w, "no row has the %d rounds that an interval needs\n", stats.MinRounds(stats.Confidence))
		return
	}
	p := stats.Precision{Resolution: stats.Median(halves), Rounds: m.Rounds}
	fmt.Fprintf(w, "%d of %d verdicts not resolved; the median row sees about %.0f %%", open, verdicts, max(1, p.Sees()))
	// From few rounds no law leads to many.
	if rounds := p.RoundsToSee(2); rounds > m.Rounds && m.Rounds >= 20 && m.Layouts < 2 {
		rounds = (rounds + 9) / 10 * 10
		long := time.Duration(float64(took) * float64(rounds) / float64(m.Rounds))
		fmt.Fprintf(w, " (2 %%: ROUNDS=%d, about %s)", rounds, long.Round(time.Minute))
	}
	fmt.Fprintln(w)
	if looks := verdicts + len(t.Canaries); looks > 1 {
		fmt.Fprintf(w, "looking at %d verdicts at once: a difference takes %.1fx the rounds that it would take alone (%.1fx if nothing else differed)\n",
			looks, stats.CorrectionCost(min(looks, differ+1), looks), stats.CorrectionCost(1, looks))
	}
}

// next is what to type next.
func next(run *results.Run, t compare.Table) string {
	var files []string
	for _, v := range append([]string{t.Base}, t.Variants...) {
		if !joined(run.Manifest, t, v) {
			files = append(files, display(run.Dir)+v+".txt")
		}
	}
	return "  all rows:  make compare RUN=" + strings.TrimSuffix(run.Dir, "/") + "\n  benchstat: go tool benchstat " + strings.Join(files, " ") + "\n"
}

// display ends a directory's name with a slash.
func display(dir string) string { return strings.TrimSuffix(dir, "/") + "/" }

// Value is a number with its unit: "2.67 µs", "1.22 nvcsw/op".
func Value(x float64, unit string) string {
	ns := unit == "ns/op" || unit == "cpu-ns/op" || strings.HasSuffix(unit, "-ns")
	switch {
	case !ns:
		return fmt.Sprintf("%.3g", x)
	case x < 1e3:
		return fmt.Sprintf("%.3g ns", x)
	case x < 1e6:
		return fmt.Sprintf("%.3g µs", x/1e3)
	default:
		return fmt.Sprintf("%.3g ms", x/1e6)
	}
}
