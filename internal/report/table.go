package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"libcost/internal/compare"
	"libcost/internal/stats"
)

// Formats are what a table can be written in.
var Formats = []string{"text", "md", "csv", "json"}

// Table writes a comparison in one of the formats. All of them say the same,
// in the same words.
func Table(w io.Writer, format string, t compare.Table) error {
	if format == "json" {
		return tableJSON(w, t)
	}
	rows := newTable(w)
	notes := footnotes{}
	header := table.Row{"row", "unit", t.Base, "variant", "median", "ratio of medians", "paired ratio", "95 % interval", "verdict"}
	rows.AppendHeader(header)
	for _, l := range t.Lines {
		for _, c := range l.Cells {
			if l.Side && !telling(l, c) {
				continue
			}
			rows.AppendRow(table.Row{
				Plain(l.Row), Plain(l.Unit), Value(c.BaseMedian, l.Unit), c.Variant, Value(c.Median, l.Unit), Medians(l, c),
				Ratio(c.Paired.Value), Interval(c.Paired.Interval), words(l, c) + notes.marks(c),
			})
		}
	}
	switch format {
	case "text":
		Summary(w, t)
		rows.Render()
		notes.print(w, t)
	case "md":
		banner(w, t)
		rows.RenderMarkdown()
		fmt.Fprintln(w)
		notes.print(w, t)
	case "csv":
		rows.RenderCSV()
	}
	return nil
}

// newTable is a table in this project's style.
func newTable(w io.Writer) table.Writer {
	rows := table.NewWriter()
	rows.SetOutputMirror(w)
	rows.SetStyle(table.StyleLight)
	rows.Style().Options = table.Options{SeparateColumns: true}
	rows.Style().Format.Header = 0
	rows.Style().Box.MiddleVertical = " "
	return rows
}

// render writes a table as text, or in Markdown.
func render(w io.Writer, format string, rows table.Writer) {
	if format == "md" {
		rows.RenderMarkdown()
		fmt.Fprintln(w)
		return
	}
	rows.Render()
}

// words are the verdict, or nothing for a unit that gets none.
func words(l compare.Line, c compare.Cell) string {
	if l.Side {
		return ""
	}
	return Verdict(l, c)
}

// telling says whether a side metric explains something: it is not next to
// nothing, and the two differ by half.
func telling(_ compare.Line, c compare.Cell) bool {
	high, low := max(c.Median, c.BaseMedian), min(c.Median, c.BaseMedian)
	return high >= 0.05 && high >= 1.5*low
}

// Summary writes what the families come to, in ten lines at most.
func Summary(w io.Writer, t compare.Table) {
	banner(w, t)
	for _, v := range t.Variants {
		fmt.Fprintf(w, "%s against %s; ratio = %s / %s\n", v, t.Base, v, t.Base)
		families(w, t, v)
	}
	fmt.Fprintln(w)
}

// families counts the verdicts of each room, and names the largest each way.
func families(w io.Writer, t compare.Table, v string) {
	for _, f := range t.Families(v) {
		line := fmt.Sprintf("  %-10s %d slower, %d faster, %d same, %d not resolved", f.Room, f.Slower, f.Faster, f.Same, f.Open)
		for _, l := range []*compare.Line{f.Worst, f.Best} {
			if l != nil {
				c, _ := l.Cell(v)
				line += fmt.Sprintf("; %s %s", strings.TrimPrefix(Plain(l.Row), f.Room+"/"), Verdict(*l, c))
			}
		}
		fmt.Fprintln(w, line)
	}
}

// banner warns if the base came out different from its own copy.
func banner(w io.Writer, t compare.Table) {
	for _, c := range t.Canaries {
		if c.Sings() {
			fmt.Fprintf(w, "CAUTION: %s against a second copy of itself on %s: %s %s. Something on this machine moved while it was measured; repeat the run.\n",
				t.Base, Plain(c.Row), Ratio(c.Paired.Value), Interval(c.Paired.Interval))
		}
	}
}

// noDisk warns where the rows that write files have no disk below them.
func noDisk(w io.Writer, t compare.Table) {
	if t.NoDisk != "" {
		fmt.Fprintf(w, "CAUTION: the rows that write files say nothing of a disk: %s (DIR=a directory on a disk)\n", t.NoDisk)
	}
}

// footnotes are what qualifies a verdict, counted as they are marked.
type footnotes struct{ alone, layout, flagged, changes int }

// marks are the signs behind a verdict.
func (f *footnotes) marks(c compare.Cell) string {
	marks := ""
	switch c.Verdict.Note {
	case stats.AloneSignificant:
		f.alone++
		marks += " ¹"
	case stats.WithinLayout:
		f.layout++
		marks += " ²"
	}
	f.flagged += c.Flagged
	if c.Changes {
		f.changes++
		marks += " ³"
	}
	return marks
}

func (f *footnotes) print(w io.Writer, t compare.Table) {
	f.explain(w)
	canaries(w, t)
	noDisk(w, t)
	if t.NoCounts != "" {
		fmt.Fprintf(w, "no system calls counted: %s; nvcsw/op stands in\n", t.NoCounts)
	}
	unpaired(w, t)
	skipped(w, t.Skipped)
}

func unpaired(w io.Writer, t compare.Table) {
	for _, u := range t.Unpaired {
		fmt.Fprintf(w, "%s: %d %s of %s and %d of %s; the %d that both have are compared\n",
			Plain(u.Row), u.Base, plural(u.Base, "round"), t.Base, u.Other, u.Variant, u.Rounds)
	}
}

// explain says what the marks mean.
func (f *footnotes) explain(w io.Writer) {
	if f.alone > 0 {
		fmt.Fprintf(w, "¹ alone significant: the interval leaves out 1, which is not enough for one of so many rows (%d)\n", f.alone)
	}
	if f.layout > 0 {
		fmt.Fprintf(w, "² significant, but below %d %%, which the layout of the code alone can do (%d; LAYOUTS=%d spreads the rounds over several)\n", stats.LayoutFloor, f.layout, layoutsAdvised)
	}
	if f.changes > 0 {
		fmt.Fprintf(w, "³ another verdict without the flagged samples (%d)\n", f.changes)
	}
	if f.flagged > 0 {
		fmt.Fprintf(w, "%d samples are flagged: the machine was busy with something else while they ran; they are kept\n", f.flagged)
	}
}

// layoutsAdvised is enough to see 2 % past what layouts do: MinLayouts would
// give an interval from the least ratio to the largest.
const layoutsAdvised = 8

// number is a float that JSON can hold: null for NaN and infinities.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func tableJSON(w io.Writer, t compare.Table) error {
	type cell struct {
		Variant       string `json:"variant"`
		BaseMedian    number `json:"base_median"`
		Median        number `json:"median"`
		Ratio         number `json:"ratio_of_medians"`
		Paired        number `json:"paired_ratio"`
		Lo            number `json:"lo"`
		Hi            number `json:"hi"`
		P             number `json:"p"`
		Q             number `json:"q"`
		Rounds        int    `json:"rounds"`
		Layouts       int    `json:"layouts"`
		Verdict       string `json:"verdict,omitempty"`
		Note          string `json:"note,omitempty"`
		Flagged       int    `json:"flagged"`
		FlaggedChange bool   `json:"flagged_change_verdict"`
	}
	type line struct {
		Row   string `json:"row"`
		Unit  string `json:"unit"`
		Side  bool   `json:"side"`
		Cells []cell `json:"cells"`
	}
	type canary struct {
		Row   string `json:"row"`
		Ratio number `json:"ratio"`
		Lo    number `json:"lo"`
		Hi    number `json:"hi"`
		Sings bool   `json:"sings"`
	}
	out := struct {
		Base     string             `json:"base"`
		Lines    []line             `json:"lines"`
		Canaries []canary           `json:"canaries"`
		Skipped  []compare.Skip     `json:"skipped"`
		Unpaired []compare.Unpaired `json:"unpaired"`
		NoCounts string             `json:"no_counts,omitempty"`
		NoDisk   string             `json:"no_disk,omitempty"`
	}{Base: t.Base, Skipped: t.Skipped, Unpaired: t.Unpaired, NoCounts: t.NoCounts, NoDisk: t.NoDisk}
	for _, c := range t.Canaries {
		out.Canaries = append(out.Canaries, canary{c.Row, number(c.Paired.Value), number(c.Paired.Lo), number(c.Paired.Hi), c.Sings()})
	}
	for _, l := range t.Lines {
		j := line{Row: l.Row, Unit: l.Unit, Side: l.Side}
		for _, c := range l.Cells {
			j.Cells = append(j.Cells, cell{c.Variant, number(c.BaseMedian), number(c.Median), number(c.Ratio), number(c.Paired.Value),
				number(c.Paired.Lo), number(c.Paired.Hi), number(c.Paired.P), number(c.Q), c.Rounds, c.Layouts, words(l, c), c.Verdict.Note.String(), c.Flagged, c.Changes})
		}
		out.Lines = append(out.Lines, j)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}
