package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestJudge(t *testing.T) {
	ratio := func(lo, value, hi float64) Estimate {
		return Estimate{Value: value, Interval: Interval{lo, hi}, N: 20, Conf: Confidence}
	}
	none := Estimate{Value: 2, Interval: Interval{0, math.Inf(1)}, P: math.NaN(), N: 5, Conf: Confidence}
	layouts := Rules{Layouts: MinLayouts}
	throughput := Rules{Better: HigherIsBetter}

	for name, test := range map[string]struct {
		ratio Estimate
		q     float64
		rules Rules
		want  Verdict
	}{
		"slower":                      {ratio(1.2, 1.3, 1.4), 0.01, Rules{}, Verdict{Word: Slower}},
		"faster":                      {ratio(0.6, 0.7, 0.8), 0.01, Rules{}, Verdict{Word: Faster}},
		"more throughput":             {ratio(1.2, 1.3, 1.4), 0.01, throughput, Verdict{Word: Faster}},
		"less throughput":             {ratio(0.6, 0.7, 0.8), 0.01, throughput, Verdict{Word: Slower}},
		"q at the limit":              {ratio(1.2, 1.3, 1.4), 0.05, Rules{}, Verdict{Word: Slower}},
		"lost among many":             {ratio(1.2, 1.3, 1.4), 0.051, Rules{}, Verdict{NotResolved, 0, AloneSignificant}},
		"lost among many but close":   {ratio(1.001, 1.04, 1.08), 0.2, Rules{}, Verdict{SameWithin, 8, AloneSignificant}},
		"not tested":                  {ratio(1.2, 1.3, 1.4), math.NaN(), Rules{}, Verdict{NotResolved, 0, AloneSignificant}},
		"q against the interval":      {ratio(0.99, 1.3, 1.4), 0.01, Rules{}, Verdict{Word: NotResolved}},
		"no interval":                 {none, math.NaN(), Rules{}, Verdict{Word: TooFewRounds}},
		"too few for a tail":          {ratio(1.2, 1.3, 1.4), 0.01, Rules{MinRounds: 21}, Verdict{Word: TooFewRounds}},
		"enough for a tail":           {ratio(1.2, 1.3, 1.4), 0.01, Rules{MinRounds: 20}, Verdict{Word: Slower}},
		"same":                        {ratio(0.98, 1, 1.0299), 0.9, Rules{}, Verdict{Word: Same, Margin: 2.99}},
		"same within":                 {ratio(0.98, 1, 1.0301), 0.9, Rules{}, Verdict{Word: SameWithin, Margin: 3.01}},
		"same within the widest":      {ratio(0.98, 1, 1.0999), 0.9, Rules{}, Verdict{Word: SameWithin, Margin: 9.99}},
		"not resolved":                {ratio(0.98, 1, 1.1001), 0.9, Rules{}, Verdict{Word: NotResolved}},
		"a stated margin met":         {ratio(0.98, 1, 1.045), 0.9, Rules{WidestMargin: 5}, Verdict{Word: SameWithin, Margin: 4.5}},
		"a stated margin missed":      {ratio(0.98, 1, 1.055), 0.9, Rules{WidestMargin: 5}, Verdict{Word: NotResolved}},
		"a narrow margin missed":      {ratio(0.98, 1, 1.025), 0.9, Rules{WidestMargin: 2.2}, Verdict{Word: NotResolved}},
		"the widest met exactly":      {ratio(0.98, 1, 2), 0.9, Rules{WidestMargin: 100}, Verdict{Word: SameWithin, Margin: 100}},
		"the floor met exactly":       {ratio(0.999, 1, 1.001), 0.9, Rules{WidestMargin: 2}, Verdict{Word: Same, Margin: 2}},
		"one layout, small effect":    {ratio(1.01, 1.019, 1.028), 0.001, Rules{}, Verdict{Same, 2.8, WithinLayout}},
		"one layout, small gain":      {ratio(1/1.028, 1/1.019, 1/1.01), 0.001, Rules{}, Verdict{Same, 2.8, WithinLayout}},
		"one layout, large enough":    {ratio(1.01, 1.021, 1.03), 0.001, Rules{}, Verdict{Word: Slower}},
		"one layout, wide":            {ratio(1.001, 1.015, 1.2), 0.001, Rules{}, Verdict{NotResolved, 0, WithinLayout}},
		"one layout, narrow margin":   {ratio(0.999, 1, 1.001), 0.9, Rules{}, Verdict{Word: Same, Margin: 2}},
		"four layouts, small effect":  {ratio(1.01, 1.019, 1.028), 0.001, Rules{Layouts: 4}, Verdict{Same, 2.8, WithinLayout}},
		"five layouts, small effect":  {ratio(1.01, 1.019, 1.028), 0.001, layouts, Verdict{Word: Slower}},
		"five layouts, narrow margin": {ratio(0.999, 1, 1.001), 0.9, layouts, Verdict{Word: Same, Margin: 100 * (1/0.999 - 1)}},
	} {
		got := Judge(test.ratio, test.q, test.rules)
		assert.InDelta(t, test.want.Margin, got.Margin, 1e-9, name)
		got.Margin = test.want.Margin
		assert.Equal(t, test.want, got, name)
	}
}

// Exchanging base and other exchanges slower and faster and nothing else.
func TestJudgeMirrors(t *testing.T) {
	mirror := map[Word]Word{Slower: Faster, Faster: Slower}
	for _, value := range []float64{0.5, 0.96, 0.985, 0.999, 1, 1.01, 1.03, 1.4} {
		for _, half := range []float64{1.001, 1.015, 1.05, 1.3} {
			for _, q := range []float64{0.01, 0.5} {
				a := Estimate{Value: value, Interval: Interval{value / half, value * half}, N: 20}
				b := Estimate{Value: 1 / value, Interval: Interval{half / value, 1 / (value * half)}, N: 20}
				b.Lo, b.Hi = b.Hi, b.Lo
				got, mirrored := Judge(a, q, Rules{}), Judge(b, q, Rules{})
				want := got.Word
				if m, ok := mirror[want]; ok {
					want = m
				}
				assert.Equal(t, want, mirrored.Word, "%+v", a)
				assert.Equal(t, got.Note, mirrored.Note, "%+v", a)
				assert.InDelta(t, got.Margin, mirrored.Margin, 1e-9, "%+v", a)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for word, want := range map[Word]string{
		TooFewRounds: "too few rounds", NotResolved: "not resolved", SameWithin: "same within", Same: "same",
		Faster: "faster", Slower: "slower",
	} {
		assert.Equal(t, want, word.String())
	}
	assert.Equal(t, "", NoNote.String())
	assert.Equal(t, "alone significant", AloneSignificant.String())
	assert.Equal(t, "below 2 % without layout replicates", WithinLayout.String())
}
