package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"libcost/internal/explain"
	"libcost/internal/stats"
)

// A Gap is a ledger with what is said around it.
type Gap struct {
	Workload, Op, Unit string
	Base, Other        string // the variants
	Clients            int    // of a server, 0 for what is none
	Ledger             explain.Ledger
	Side               []SideMetric
	Notes              []string // footnotes
	Mechanism          []explain.Prediction
	InSitu             map[string]float64 // share over prediction, by cause
}

// A SideMetric is a counter of both builds, as medians over rounds.
type SideMetric struct {
	Unit        string
	Base, Other float64
}

// LedgerFormats are what a ledger can be written in.
var LedgerFormats = []string{"text", "md", "json"}

// Ledger writes where a gap comes from.
func Ledger(w io.Writer, format string, g Gap) error {
	if format == "json" {
		return ledgerJSON(w, g)
	}
	l := g.Ledger
	fmt.Fprintln(w, headline(g))
	rows := newTable(w)
	rows.AppendHeader(table.Row{"cause", "ns an op", "95 % interval", "share of the gap", "first .. last", ""})
	for _, c := range append(append(l.Linkage[:len(l.Linkage):len(l.Linkage)], l.Causes...), l.Residual) {
		rows.AppendRow(table.Row{c.Name, signed(c.NS.Value), span(c.NS), share(l, c), bracket(l, c), word(l, c)})
	}
	render(w, format, rows)
	for _, note := range notes(g) {
		fmt.Fprintln(w, note)
	}
	mechanism(w, format, g)
	return nil
}

// mechanism is what counts and rows predict, below the ledger.
func mechanism(w io.Writer, format string, g Gap) {
	if len(g.Mechanism) == 0 {
		return
	}
	fmt.Fprintln(w, "\nmechanism: calls an op x what a call costs more in a row; a prediction, never added to the shares")
	rows := newTable(w)
	rows.AppendHeader(table.Row{"function", "calls an op", "a call more", "ns an op", "95 % interval", "row", ""})
	for _, p := range g.Mechanism {
		note := ""
		if p.Part == "" {
			note = "predicted, not swapped"
		}
		rows.AppendRow(table.Row{p.Function, fmt.Sprintf("%.4g", p.Calls), signed(p.Each.Value), signed(p.NS.Value), span(p.NS), p.Row, note})
	}
	render(w, format, rows)
	for _, c := range g.Ledger.Causes {
		if x := g.InSitu[c.Name]; x > 0 {
			fmt.Fprintf(w, "%s: %.1fx the prediction in place\n", c.Name, x)
		}
	}
}

// Sweep writes what becomes of a gap and its shares as clients grow.
func Sweep(w io.Writer, format string, gaps []Gap) {
	first := gaps[0]
	fmt.Fprintf(w, "\n%s: %s against %s, by clients\n", first.Workload, first.Other, first.Base)
	rows := newTable(w)
	header := table.Row{"clients", "ops a second", "time", "95 % interval"}
	var causes []string
	for _, c := range append(first.Ledger.Linkage[:len(first.Ledger.Linkage):len(first.Ledger.Linkage)], first.Ledger.Causes...) {
		causes = append(causes, c.Name)
	}
	slices.Sort(causes)
	for _, name := range append(causes[:len(causes):len(causes)], first.Ledger.Residual.Name) {
		header = append(header, name)
	}
	for _, s := range first.Side {
		header = append(header, s.Unit)
	}
	rows.AppendHeader(header)
	for _, g := range gaps {
		l := g.Ledger
		row := table.Row{g.Clients, fmt.Sprintf("%.4g → %.4g", 1e9/l.Base.Value, 1e9/l.Other.Value), Ratio(l.Ratio.Value) + "x", Interval(l.Ratio.Interval)}
		all := append(append(l.Linkage[:len(l.Linkage):len(l.Linkage)], l.Causes...), l.Residual)
		for _, name := range append(causes[:len(causes):len(causes)], l.Residual.Name) {
			cell := ""
			for _, c := range all {
				if c.Name == name {
					if cell = share(l, c); cell == "" {
						cell = signed(c.NS.Value)
					}
				}
			}
			row = append(row, cell)
		}
		for _, s := range g.Side {
			row = append(row, Value(s.Base, s.Unit)+" → "+Value(s.Other, s.Unit))
		}
		rows.AppendRow(row)
	}
	render(w, format, rows)
}

// headline is the gap in one line.
func headline(g Gap) string {
	l := g.Ledger
	name := g.Workload
	if g.Clients > 0 {
		name = fmt.Sprintf("%s, %d %s", name, g.Clients, plural(g.Clients, "client"))
	}
	text := fmt.Sprintf("%s: %s against %s, %d rounds, %s an op (%s): %s → %s", name, g.Other, g.Base, l.Rounds,
		map[string]string{"ns/op": "time", "cpu-ns/op": "CPU time"}[g.Unit], g.Op, Value(l.Base.Value, g.Unit), Value(l.Other.Value, g.Unit))
	if !l.Resolved {
		if !l.Gap.Bounded() {
			return fmt.Sprintf("%s: no gap resolved (%d %s; needs %d)", text, l.Rounds, plural(l.Rounds, "round"), stats.MinRounds(stats.Confidence))
		}
		return fmt.Sprintf("%s: no gap resolved, the same within %.0f %% %s", text, math.Ceil(stats.Margin(l.Ratio.Interval)-1e-9), Interval(l.Ratio.Interval))
	}
	way := "slower"
	if l.Gap.Value < 0 {
		way = "faster"
	}
	return fmt.Sprintf("%s: %s %s %s", text, Size(l.Ratio.Value), way, Interval(l.Ratio.Interval))
}

// signed is a time with its sign.
func signed(ns float64) string {
	if ns < 0 {
		return "-" + Value(-ns, "ns/op")
	}
	return "+" + Value(ns, "ns/op")
}

func span(e stats.Estimate) string {
	if !e.Bounded() {
		return ""
	}
	return fmt.Sprintf("[%s, %s]", signed(e.Lo), signed(e.Hi))
}

// share is a part's share with its interval, "" where there is no gap to share.
func share(l explain.Ledger, c explain.Cause) string {
	if !l.Resolved {
		return ""
	}
	return fmt.Sprintf("%.1f %% [%.0f, %.0f]", c.Share.Value, c.Share.Lo, c.Share.Hi)
}

func bracket(l explain.Ledger, c explain.Cause) string {
	if !l.Resolved || c.Name == l.Residual.Name || c.First == c.Last {
		return ""
	}
	first, last := c.Bracket(l.Gap.Value)
	return fmt.Sprintf("%.0f .. %.0f", first, last)
}

// word is what may be said of a part.
func word(l explain.Ledger, c explain.Cause) string {
	var words []string
	if c.Explains {
		words = append(words, "explains")
	}
	if l.Resolved && len(c.Joint) > 0 {
		words = append(words, "jointly caused with "+strings.Join(c.Joint, ", "))
	}
	return strings.Join(words, "; ")
}

// notes are what stands below the table.
func notes(g Gap) []string {
	l := g.Ledger
	var list []string
	switch {
	case !l.Resolved && l.Gap.Bounded():
		list = append(list, fmt.Sprintf("no share is given of a gap that may be none; about %d rounds would tell this one from 0", l.RoundsToResolveGap()))
	case l.Resolved && l.Enough > 0:
		list = append(list, fmt.Sprintf("the rest is not known to lie within %d %% of the gap: nothing is said to explain it (about %d rounds would do)", explain.MaxResidual, l.Enough))
	case l.Resolved && (l.Residual.Share.Lo < -explain.MaxResidual || l.Residual.Share.Hi > explain.MaxResidual):
		list = append(list, fmt.Sprintf("the rest is more than %d %% of the gap: something else than these parts has a share in it", explain.MaxResidual))
	}
	if len(l.Causes) > 0 {
		list = append(list, fmt.Sprintf("price of the replacements: %s %s, %s %s", g.Base, change(l.Price[0].Value), g.Other, change(l.Price[1].Value)))
	}
	for _, s := range g.Side {
		list = append(list, fmt.Sprintf("%s: %s → %s", s.Unit, Value(s.Base, s.Unit), Value(s.Other, s.Unit)))
	}
	return append(list, g.Notes...)
}

func change(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }

func ledgerJSON(w io.Writer, g Gap) error {
	type estimate struct {
		Value number `json:"value"`
		Lo    number `json:"lo"`
		Hi    number `json:"hi"`
	}
	est := func(e stats.Estimate) estimate { return estimate{number(e.Value), number(e.Lo), number(e.Hi)} }
	type cause struct {
		Name     string    `json:"name"`
		NS       estimate  `json:"ns_op"`
		Share    *estimate `json:"share_percent,omitempty"`
		First    *number   `json:"first_percent,omitempty"`
		Last     *number   `json:"last_percent,omitempty"`
		Explains bool      `json:"explains"`
		Joint    []string  `json:"jointly_caused_with,omitempty"`
	}
	l := g.Ledger
	one := func(c explain.Cause) cause {
		out := cause{Name: c.Name, NS: est(c.NS), Explains: c.Explains}
		if l.Resolved {
			share := est(c.Share)
			out.Share, out.Joint = &share, c.Joint
			if c.Name != l.Residual.Name {
				first, last := c.Bracket(l.Gap.Value)
				f, t := number(first), number(last)
				out.First, out.Last = &f, &t
			}
		}
		return out
	}
	type prediction struct {
		Function string   `json:"function"`
		Part     string   `json:"part,omitempty"`
		Row      string   `json:"row"`
		Calls    number   `json:"calls_op"`
		Each     estimate `json:"ns_call"`
		NS       estimate `json:"ns_op"`
	}
	type side struct {
		Unit  string `json:"unit"`
		Base  number `json:"base"`
		Other number `json:"other"`
	}
	out := struct {
		Workload  string       `json:"workload"`
		Op        string       `json:"op"`
		Unit      string       `json:"unit"`
		Base      string       `json:"base"`
		Other     string       `json:"other"`
		Rounds    int          `json:"rounds"`
		BaseNS    estimate     `json:"base_ns_op"`
		OtherNS   estimate     `json:"other_ns_op"`
		Gap       estimate     `json:"gap_ns_op"`
		Ratio     estimate     `json:"ratio"`
		Resolved  bool         `json:"resolved"`
		Causes    []cause      `json:"causes"`
		Residual  cause        `json:"residual"`
		Price     []estimate   `json:"price_of_replacements"`
		Side      []side       `json:"side"`
		Notes     []string     `json:"notes"`
		Mechanism []prediction `json:"mechanism,omitempty"`
	}{Workload: g.Workload, Op: g.Op, Unit: g.Unit, Base: g.Base, Other: g.Other, Rounds: l.Rounds, BaseNS: est(l.Base), OtherNS: est(l.Other),
		Gap: est(l.Gap), Ratio: est(l.Ratio), Resolved: l.Resolved, Residual: one(l.Residual), Price: []estimate{est(l.Price[0]), est(l.Price[1])}, Notes: notes(g)}
	for _, c := range append(l.Linkage[:len(l.Linkage):len(l.Linkage)], l.Causes...) {
		out.Causes = append(out.Causes, one(c))
	}
	for _, s := range g.Side {
		out.Side = append(out.Side, side{s.Unit, number(s.Base), number(s.Other)})
	}
	for _, p := range g.Mechanism {
		out.Mechanism = append(out.Mechanism, prediction{p.Function, p.Part, p.Row, number(p.Calls), est(p.Each), est(p.NS)})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}
