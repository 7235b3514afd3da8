// Package bugreport writes what a maintainer of a libc or an allocator can act
// on: one row of a run as a text, and the loop that was measured as a program
// that needs no libcost.
package bugreport

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"libcost/internal/compare"
	"libcost/internal/report"
	"libcost/internal/results"
	"libcost/internal/stats"
	"libcost/internal/variant"
)

// A Report is one row of a run, in one variant against the base.
type Report struct {
	Run     *results.Run
	Table   compare.Table
	Row     results.Row
	Base    results.Variant
	Variant results.Variant

	Listings []Listing // of the loop and of the function that it reaches
	Compiled []string  // "gcc: compiles", one for each compiler that was tried
	Archive  string    // name of the reproducer's file
}

// A Listing is a function's disassembly in one build.
type Listing struct{ Variant, Function, Text string }

// New finds the row and the variant; other is "" for the first one that is
// compared.
func New(run *results.Run, table compare.Table, row, other string) (Report, error) {
	r := Report{Run: run, Table: table}
	at := slices.IndexFunc(run.Manifest.Rows, func(row2 results.Row) bool { return row2.Key() == row })
	if at < 0 {
		return r, fmt.Errorf("no row %s in this run", row)
	}
	r.Row = run.Manifest.Rows[at]
	if r.Row.Skipped != "" {
		return r, fmt.Errorf("%s was not measured: %s", row, r.Row.Skipped)
	}
	if other == "" {
		for _, v := range table.Variants {
			if slices.Contains(r.Row.Variants, v) {
				other = v
				break
			}
		}
	}
	for _, v := range run.Manifest.Variants {
		switch v.Name {
		case table.Base:
			r.Base = v
		case other:
			r.Variant = v
		}
	}
	if r.Variant.Name == "" || r.Variant.Name == r.Base.Name || !slices.Contains(r.Row.Variants, other) {
		return r, fmt.Errorf("%s ran in %s alone: a report needs two variants", row, strings.Join(r.Row.Variants, ", "))
	}
	if len(r.lines(row)) == 0 {
		return r, fmt.Errorf("%s has no sample that went well in both variants", row)
	}
	return r, nil
}

// lines are the row's units with a verdict.
func (r Report) lines(row string) []compare.Line {
	var lines []compare.Line
	for _, l := range r.Table.Lines {
		if _, ok := l.Cell(r.Variant.Name); ok && l.Row == row && !l.Side {
			lines = append(lines, l)
		}
	}
	return lines
}

// Markdown writes the report. Names come from files: they are shown as text.
func (r Report) Markdown(w io.Writer) {
	line := r.lines(r.Row.Key())[0]
	cell, _ := line.Cell(r.Variant.Name)
	m := r.Run.Manifest
	fmt.Fprintf(w, "%s, %s; %s. %s\n\n", describe(r.Variant), m.Host.OS, "against "+describe(r.Base), r.newer())
	fmt.Fprintf(w, "# %s: %s\n\n", Text(r.Row.Key()), Text(report.Verdict(line, cell)))
	if r.Row.About != "" {
		fmt.Fprintf(w, "One op: %s.\n\n", Text(r.Row.About))
	}
	if r.Row.Source != "" {
		fmt.Fprintf(w, "This shape was met in %s.\n\n", Text(r.Row.Source))
	}
	r.result(w)
	r.neighbours(w)
	r.counts(w)
	r.sure(w, cell)
	r.reproduce(w, cell, line)
	for _, l := range r.Listings {
		fmt.Fprintf(w, "## %s in %s\n\n```\n%s\n```\n\n", Text(l.Function), Text(l.Variant), strings.ReplaceAll(l.Text, "```", "'''"))
	}
}

// describe names a variant by what is really in it.
func describe(v results.Variant) string {
	f := v.Facts
	text := fmt.Sprintf("%s %s, %s", f.Libc, f.LibcVersion, f.Linkage)
	if f.Allocator != "native" {
		text += ", " + f.Allocator
	}
	return Text(fmt.Sprintf("%s, %s (%s)", text, f.Compiler, v.Name))
}

// newer says whether the same row was tried on a musl of another version.
func (r Report) newer() string {
	for _, v := range r.Run.Manifest.Variants {
		if strings.HasPrefix(v.Name, variant.MuslSource) && slices.Contains(r.Row.Variants, v.Name) && v.Facts.LibcVersion != r.Variant.Facts.LibcVersion {
			return "Tried on musl " + Text(v.Facts.LibcVersion) + " as well."
		}
	}
	return "Not tried on a newer release."
}

func (r Report) result(w io.Writer) {
	fmt.Fprintf(w, "| unit | %s | %s | ratio | 95 %% interval | verdict |\n| --- | --- | --- | --- | --- | --- |\n", Text(r.Base.Name), Text(r.Variant.Name))
	for _, l := range r.lines(r.Row.Key()) {
		r.row(w, l.Unit, l)
	}
	fmt.Fprintln(w)
}

func (r Report) row(w io.Writer, name string, l compare.Line) {
	c, _ := l.Cell(r.Variant.Name)
	fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", Text(name), report.Value(c.BaseMedian, l.Unit), report.Value(c.Median, l.Unit),
		report.Ratio(c.Paired.Value), report.Interval(c.Paired.Interval), report.Verdict(l, c))
}

// A neighbour is a row that differs in the value of one key.
type neighbour struct {
	key, value string
	number     float64
	line       compare.Line
}

// neighbours are the rows round this one: where does it begin, and where does
// the sign change?
func (r Report) neighbours(w io.Writer) {
	unit := r.lines(r.Row.Key())[0].Unit
	byKey := map[string][]neighbour{}
	var keys []string
	for _, other := range r.Run.Manifest.Rows {
		key, value, ok := differsIn(r.Row.Key(), other.Key())
		if !ok {
			continue
		}
		for _, l := range r.lines(other.Key()) {
			if l.Unit == unit {
				if byKey[key] == nil {
					keys = append(keys, key)
				}
				byKey[key] = append(byKey[key], neighbour{key, value, number(value), l})
			}
		}
	}
	for _, key := range keys {
		own := neighbour{key, valueOf(r.Row.Key(), key), number(valueOf(r.Row.Key(), key)), r.lines(r.Row.Key())[0]}
		around := append(byKey[key], own)
		slices.SortStableFunc(around, func(a, b neighbour) int {
			switch {
			case a.number < b.number:
				return -1
			case a.number > b.number:
				return 1
			}
			return strings.Compare(a.value, b.value)
		})
		fmt.Fprintf(w, "## By %s\n\n| %s | %s | %s | ratio | 95 %% interval | verdict |\n| --- | --- | --- | --- | --- | --- |\n", Text(key), Text(key), Text(r.Base.Name), Text(r.Variant.Name))
		for _, n := range around {
			r.row(w, n.value, n.line)
		}
		fmt.Fprintf(w, "\n%s", r.turns(key, around))
	}
}

// turns says where the verdict changes its sign.
func (r Report) turns(key string, around []neighbour) string {
	text := ""
	last := stats.NotResolved
	for _, n := range around {
		c, _ := n.line.Cell(r.Variant.Name)
		word := c.Verdict.Word
		if word != stats.Slower && word != stats.Faster {
			continue
		}
		if last != stats.NotResolved && word != last {
			text += fmt.Sprintf("The sign changes at %s=%s: %s from there.\n\n", Text(key), Text(n.value), word)
		}
		last = word
	}
	return text
}

// number is a value's number, or the first of a range; infinite for a word.
func number(value string) float64 {
	first, _, _ := strings.Cut(value, "..")
	x, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return math.Inf(1)
	}
	return x
}

// differsIn says in which one key two rows differ, and the other's value.
func differsIn(row, other string) (key, value string, ok bool) {
	a, b := strings.Split(row, "/"), strings.Split(other, "/")
	if len(a) != len(b) || row == other {
		return "", "", false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		ka, _, okA := strings.Cut(a[i], "=")
		kb, vb, okB := strings.Cut(b[i], "=")
		if !okA || !okB || ka != kb || key != "" {
			return "", "", false
		}
		key, value = kb, vb
	}
	return key, value, key != ""
}

func valueOf(row, key string) string {
	for _, part := range strings.Split(row, "/") {
		if v, ok := strings.CutPrefix(part, key+"="); ok {
			return v
		}
	}
	return ""
}

// counts are what the kernel counted beside the time.
func (r Report) counts(w io.Writer) {
	var rows []string
	for _, l := range r.Table.Lines {
		if c, ok := l.Cell(r.Variant.Name); ok && l.Side && l.Row == r.Row.Key() && max(c.BaseMedian, c.Median) >= 0.0005 {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s |", Text(l.Unit), report.Value(c.BaseMedian, l.Unit), report.Value(c.Median, l.Unit)))
		}
	}
	if len(rows) > 0 {
		fmt.Fprintf(w, "## Counted\n\n| unit | %s | %s |\n| --- | --- | --- |\n%s\n\n", Text(r.Base.Name), Text(r.Variant.Name), strings.Join(rows, "\n"))
	}
}

// sure says how far the numbers can be trusted.
func (r Report) sure(w io.Writer, c compare.Cell) {
	m := r.Run.Manifest
	fmt.Fprintf(w, "## How sure\n\n%d rounds, each a fresh process of either build, in turns (paired, balanced order)", c.Rounds)
	if m.Layouts > 1 {
		fmt.Fprintf(w, ", over %d code layouts", m.Layouts)
	}
	fmt.Fprintf(w, "; the verdict is corrected for all %d verdicts of the run (q = %.2g).\n", verdicts(r.Table), c.Q)
	sing := 0
	for _, canary := range r.Table.Canaries {
		if canary.Sings() {
			sing++
		}
	}
	if n := len(r.Table.Canaries); n > 0 {
		fmt.Fprintf(w, "%s against a second copy of itself, in the same run, differs on %d of %d rows.\n", Text(r.Base.Name), sing, n)
	}
	if c.Flagged > 0 {
		fmt.Fprintf(w, "%d samples were disturbed by something else; they are in the numbers.\n", c.Flagged)
	}
	machine := Text(m.Host.CPU)
	if m.Host.Virtual != "" {
		machine += ", a virtual machine (" + Text(m.Host.Virtual) + ")"
	}
	fmt.Fprintf(w, "Machine: %s, %d CPUs, Linux %s.\n\n", machine, len(m.Host.CPUs), Text(m.Host.Kernel))
}

func verdicts(t compare.Table) int {
	n := len(t.Canaries)
	for _, l := range t.Lines {
		if !l.Side {
			n += len(l.Cells)
		}
	}
	return n
}

func (r Report) reproduce(w io.Writer, c compare.Cell, l compare.Line) {
	if r.Archive == "" {
		return
	}
	fmt.Fprintf(w, "## Reproduce\n\n%s holds the loop that was measured, and no more is needed:\n\n", Text(r.Archive))
	fmt.Fprintf(w, "    tar xzf %s && cd %s\n    gcc -O2 -static -pthread *.c -o gnu && ./gnu\n    musl-gcc -O2 -static -pthread *.c -o musl && ./musl\n\n", Text(r.Archive), Text(strings.TrimSuffix(r.Archive, ".tar.gz")))
	fmt.Fprintf(w, "Expected, about: %s in %s, %s in %s (%s). Both run the ops of the base's sample.\n", report.Value(c.BaseMedian, l.Unit), Text(r.Base.Name), report.Value(c.Median, l.Unit), Text(r.Variant.Name), Text(l.Unit))
	for _, line := range r.Compiled {
		fmt.Fprintln(w, "Tried where this was written:", Text(line)+".")
	}
	fmt.Fprintln(w)
}

// Text makes a name from a file safe in Markdown and on a terminal: nothing in
// it is markup.
func Text(s string) string {
	s = report.Plain(s)
	return strings.NewReplacer("&", "&amp;", "\\", "\\\\", "<", "&lt;", ">", "&gt;", "|", "\\|", "`", "'", "[", "\\[", "]", "\\]", "*", "\\*").Replace(s)
}
