// Package report puts results into words, tables and files for people.
package report

import (
	"fmt"
	"math"
	"strings"

	"libcost/internal/compare"
	"libcost/internal/stats"
)

// Verdict is a cell's verdict in words: "56x slower", "12 % faster",
// "same within 4 %", "not resolved".
func Verdict(l compare.Line, c compare.Cell) string {
	switch v := c.Verdict; v.Word {
	case stats.Slower, stats.Faster:
		return Size(c.Paired.Value) + " " + direction(l.Unit, v.Word, c.Paired.Value)
	case stats.Same:
		return "same"
	case stats.SameWithin:
		return fmt.Sprintf("same within %.0f %%", math.Ceil(v.Margin))
	case stats.TooFewRounds:
		n, what, needs := c.Rounds, "round", max(stats.MinRounds(stats.Confidence), stats.QuantileRounds(compare.Quantile(l.Unit)))
		if n >= needs {
			n, what, needs = c.Layouts, "layout", stats.MinLayouts
		}
		return fmt.Sprintf("not resolved (%d %s; needs %d)", n, plural(n, what), needs)
	default:
		return v.Word.String()
	}
}

// direction is slower or faster; of what is no time and no throughput, bytes
// of memory say, there is more or less.
func direction(unit string, word stats.Word, ratio float64) string {
	time := strings.Contains(unit, "ns") || strings.Contains(unit, "sec") || strings.HasSuffix(unit, "/s") || unit == "QPS"
	switch {
	case time:
		return word.String()
	case ratio > 1:
		return "more"
	default:
		return "less"
	}
}

// Size is how far a ratio is from 1, without its direction: "56x", "12 %".
func Size(ratio float64) string {
	factor := max(ratio, 1/ratio)
	switch {
	case factor >= 9.95:
		return fmt.Sprintf("%.0fx", factor)
	case factor >= 1.5:
		return fmt.Sprintf("%.1fx", factor)
	default:
		return fmt.Sprintf("%.1f %%", 100*math.Abs(ratio-1))
	}
}

// Interval is the interval of a ratio: "[0.98, 1.04]", "" without one.
func Interval(i stats.Interval) string {
	if !i.Bounded() {
		return ""
	}
	return fmt.Sprintf("[%s, %s]", Ratio(i.Lo), Ratio(i.Hi))
}

// Ratio has three digits, or two behind the point.
func Ratio(r float64) string {
	switch {
	case math.IsNaN(r):
		return ""
	case r >= 99.5:
		return fmt.Sprintf("%.0f", r)
	case r >= 9.95:
		return fmt.Sprintf("%.1f", r)
	case r >= 0.0995:
		return fmt.Sprintf("%.3f", r)
	default:
		return fmt.Sprintf("%.3g", r)
	}
}

// Medians is a ratio of medians as a change with its direction: "-13.5 %
// (slower)", "6.50x (slower)".
func Medians(l compare.Line, c compare.Cell) string {
	size := fmt.Sprintf("%+.1f %%", 100*(c.Ratio-1))
	switch {
	case math.IsNaN(c.Ratio):
		return ""
	case math.IsInf(c.Ratio, 0):
		return "from 0"
	case c.Ratio == 0:
		return "to 0"
	case c.Ratio >= 1.995 || c.Ratio < 0.5:
		size = Ratio(c.Ratio) + "x"
	}
	switch {
	case l.Side || c.Ratio == 1:
		return size
	case (c.Ratio > 1) == (l.Better == stats.LowerIsBetter):
		return size + " (slower)"
	default:
		return size + " (faster)"
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Plain makes text from a file safe for a terminal: what could move the cursor
// or change colours is shown and not sent.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '�'
		}
		return r
	}, s)
}
