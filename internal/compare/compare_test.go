package compare

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/results"
	"libcost/internal/stats"
	"libcost/internal/variant"
)

func series(row, unit, variant string, values ...float64) Series {
	s := Series{Row: row, Unit: unit, Variant: variant, Values: map[int]float64{}, Flagged: map[int]bool{}}
	for i, v := range values {
		s.Values[i] = v
	}
	return s
}

func TestComparePairsByRound(t *testing.T) {
	gnu := series("alloc/Pair", "ns/op", "gnu", 10, 100, 10, 10, 10, 10, 10)
	musl := series("alloc/Pair", "ns/op", "musl", 20, 200, 20, 20, 20, 20, 20)
	// Rounds that only one of them has are no pair.
	delete(gnu.Values, 6)
	delete(musl.Values, 5)
	table := Compare(Input{Base: "gnu", Variants: []string{"musl", "gnu"}, Series: []Series{musl, gnu}})

	assert.Equal(t, []string{"musl"}, table.Variants)
	require.Len(t, table.Lines, 1)
	c := table.Lines[0].Cells[0]
	assert.Equal(t, 5, c.Rounds)
	assert.Equal(t, 10.0, c.BaseMedian)
	assert.Equal(t, 20.0, c.Median)
	assert.Equal(t, 2.0, c.Ratio)
	assert.InDelta(t, 2, c.Paired.Value, 1e-12)
	assert.Equal(t, stats.TooFewRounds, c.Verdict.Word)
}

func TestCompareRatioIsVariantToBase(t *testing.T) {
	in := Input{Base: "gnu", Variants: []string{"gnu", "musl"}, Better: map[string]stats.Better{"MB/s": stats.HigherIsBetter}, Series: []Series{
		series("m/A", "ns/op", "gnu", 10, 11, 10, 12, 10, 11, 10, 10), series("m/A", "ns/op", "musl", 30, 31, 32, 30, 30, 31, 30, 30),
		series("m/A", "MB/s", "gnu", 100, 99, 98, 100, 100, 99, 99, 100), series("m/A", "MB/s", "musl", 33, 33, 32, 33, 33, 33, 33, 32),
	}}
	table := Compare(in)
	require.Len(t, table.Lines, 2)
	assert.InDelta(t, 3, table.Lines[0].Cells[0].Paired.Value, 0.2)
	assert.InDelta(t, 1.0/3, table.Lines[1].Cells[0].Paired.Value, 0.02)
	for _, l := range table.Lines {
		assert.Equal(t, stats.Slower, l.Cells[0].Verdict.Word, l.Unit)
	}
	in.Base = "musl"
	assert.Equal(t, stats.Faster, Compare(in).Lines[0].Cells[0].Verdict.Word)
}

// One row of fifty with p = 0.0156 is significant alone and not among fifty.
func TestCompareCorrectsOverAllRows(t *testing.T) {
	var in Input
	in.Base, in.Variants = "gnu", []string{"gnu", "musl"}
	add := func(row string, musl ...float64) {
		in.Series = append(in.Series, series(row, "ns/op", "gnu", 10, 10, 10, 10, 10, 10, 10), series(row, "ns/op", "musl", musl...))
	}
	add("r/effect", 11, 11.1, 11.2, 11.3, 11.4, 11.5, 11.6)
	alone := Compare(in).Lines[0].Cells[0]
	assert.Equal(t, stats.Slower, alone.Verdict.Word)
	for i := range 49 {
		add("r/"+string(rune('A'+i)), 9.7, 10.4, 9.8, 10.2, 9.9, 10.3, 9.6)
	}
	among := Compare(in).Lines[0].Cells[0]
	assert.NotEqual(t, stats.Slower, among.Verdict.Word)
	assert.Equal(t, stats.AloneSignificant, among.Verdict.Note)
	assert.Greater(t, among.Q, alone.Q)
}

func TestCompareTellsWhatTheFlaggedRoundsChange(t *testing.T) {
	gnu := series("r/A", "ns/op", "gnu", 10, 10, 10, 10, 10, 10, 10, 10)
	musl := series("r/A", "ns/op", "musl", 20, 20.1, 20.2, 20.3, 20.4, 20.5, 20.6, 20.7)
	musl.Flagged[0], gnu.Flagged[1], musl.Flagged[2] = true, true, true
	in := Input{Base: "gnu", Variants: []string{"gnu", "musl"}, Series: []Series{gnu, musl}}
	c := Compare(in).Lines[0].Cells[0]
	assert.Equal(t, 8, c.Rounds)
	assert.Equal(t, 3, c.Flagged)
	assert.Equal(t, stats.Slower, c.Verdict.Word)
	assert.False(t, c.Changes, "five rounds without them say nothing")

	delete(musl.Flagged, 0)
	delete(gnu.Flagged, 1)
	c = Compare(in).Lines[0].Cells[0]
	assert.Equal(t, 1, c.Flagged)
	assert.False(t, c.Changes, "seven rounds say the same")

	// Six rounds that are not flagged leave 1 in; seven more that are do not.
	for r := range 13 {
		gnu.Values[r], musl.Values[r] = 10, 20
		musl.Flagged[r] = r >= 6
	}
	for r := range 6 {
		musl.Values[r] = 10 + float64(2*r-5)/10
	}
	c = Compare(in).Lines[0].Cells[0]
	assert.Equal(t, 7, c.Flagged)
	assert.Equal(t, stats.Slower, c.Verdict.Word)
	assert.True(t, c.Changes)
}

func TestCompareZeroHasNoRatio(t *testing.T) {
	in := Input{Base: "gnu", Variants: []string{"gnu", "musl"}, Side: map[string]bool{"nvcsw/op": true}, Series: []Series{
		series("r/A", "nvcsw/op", "gnu", 0, 0, 0, 0, 0, 0), series("r/A", "nvcsw/op", "musl", 1, 1, 1, 1, 1, 1),
	}}
	c := Compare(in).Lines[0].Cells[0]
	assert.True(t, math.IsNaN(c.Paired.Value))
	assert.False(t, c.Paired.Bounded())
	assert.Equal(t, 1.0, c.Median)
}

func TestFamilies(t *testing.T) {
	in := Input{Base: "gnu", Variants: []string{"gnu", "musl"}}
	for row, factor := range map[string]float64{"alloc/a": 2, "alloc/b": 30, "memops/c": 0.5, "memops/d": 1.001} {
		var gnu, musl []float64
		for i := range 12 {
			gnu, musl = append(gnu, 10), append(musl, 10*factor+float64(i)*0.001)
		}
		in.Series = append(in.Series, series(row, "ns/op", "gnu", gnu...), series(row, "ns/op", "musl", musl...))
	}
	families := map[string]Family{}
	for _, f := range Compare(in).Families("musl") {
		families[f.Room] = f
	}
	assert.Equal(t, 2, families["alloc"].Slower)
	assert.Equal(t, "alloc/b", families["alloc"].Worst.Row)
	assert.Nil(t, families["alloc"].Best)
	assert.Equal(t, 1, families["memops"].Faster)
	assert.Equal(t, 1, families["memops"].Same)
	assert.Equal(t, "memops/c", families["memops"].Best.Row)
}

func TestFromRunTakesQuantilesOfLatencyRows(t *testing.T) {
	row := func(name string, latency, control bool) results.Row {
		return results.Row{Row: variant.Row{Room: "fsync", Name: name, Latency: latency, Control: control}, Variants: []string{"gnu", "musl"}}
	}
	skipped := row("Gone", false, false)
	skipped.Skipped, skipped.Lacking = "gnu: no room", true
	run := &results.Run{Manifest: results.Manifest{Base: "gnu", Variants: []results.Variant{{Name: "gnu"}, {Name: "musl"}},
		Rows: []results.Row{row("Sync", true, true), row("Plain", false, false), skipped}}}
	for round := range 2 {
		for _, v := range []string{"gnu", "musl"} {
			run.Samples = append(run.Samples,
				results.Sample{Round: round, Row: "fsync/Sync", Variant: v, Status: results.OK,
					Result: &results.Result{N: 300, ElapsedNS: 300e3, CPUNS: 150e3, Quantiles: []int64{700, 900, 0, 0}}},
				results.Sample{Round: round, Row: "fsync/Plain", Variant: v, Status: results.OK, CPU: 1,
					Result: &results.Result{N: 10, ElapsedNS: 1000, RunDelayNS: 51, NVCSw: 5}})
		}
	}
	// A sample without a number is none.
	run.Samples = append(run.Samples, results.Sample{Round: 2, Row: "fsync/Plain", Variant: "gnu", Status: results.Hung})
	in := FromRun(run)
	table := Compare(in)

	got := map[string]float64{}
	for _, l := range table.Lines {
		got[l.Row+" "+l.Unit] = l.Cells[0].Median
		assert.Equal(t, 2, l.Cells[0].Rounds)
	}
	assert.Equal(t, 700.0, got["fsync/Sync p50-ns"])
	assert.Equal(t, 900.0, got["fsync/Sync p90-ns"])
	assert.NotContains(t, got, "fsync/Sync p99-ns")
	assert.NotContains(t, got, "fsync/Sync ns/op")
	assert.Equal(t, 500.0, got["fsync/Sync cpu-ns/op"])
	assert.Equal(t, 100.0, got["fsync/Plain ns/op"])
	assert.Equal(t, 0.5, got["fsync/Plain nvcsw/op"])
	assert.Equal(t, []Skip{{"fsync/Gone", "gnu: no room", true}}, table.Skipped)
	assert.True(t, table.Lines[0].Control)
	for _, l := range table.Lines {
		if l.Row == "fsync/Plain" {
			assert.Equal(t, 2, l.Cells[0].Flagged, "51 of 1000 ns in the run queue")
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func TestFromFiles(t *testing.T) {
	gnu := write(t, "gnu.txt", "pkg: libcost/alloc\nUnit qps better=higher\nBenchmarkPair/size=64 10 8.5 ns/op 100 qps 0 B/op\nBenchmarkPair/size=64 10 9.5 ns/op 101 qps 0 B/op\n")
	musl := write(t, "musl.txt", "pkg: libcost/alloc\nBenchmarkPair/size=64 10 17 ns/op\n")
	in, err := FromFiles([]string{gnu, musl})
	require.NoError(t, err)
	assert.Equal(t, []string{"gnu", "musl"}, in.Variants)
	assert.Equal(t, stats.HigherIsBetter, in.Better["qps"])
	assert.Equal(t, stats.LowerIsBetter, in.Better["ns/op"])
	require.Len(t, in.Series, 4)
	assert.Equal(t, "alloc/Pair/size=64", in.Series[0].Row)
	assert.Equal(t, map[int]float64{0: 8.5, 1: 9.5}, in.Series[0].Values)
}

func TestFromFilesRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an empty file":      {"", "holds no benchmark line"},
		"a torn line":        {"BenchmarkA 10 8 ns/op\nBenchmarkB 10 9\n", "a.txt:2: "},
		"no iteration count": {"BenchmarkA\nBenchmarkA x 1 ns/op\n", "a.txt:2: "},
		"a time of 0":        {"BenchmarkA 10 0 ns/op\n", "a.txt:1: 0 ns/op is no measurement"},
		"NaN":                {"BenchmarkA 10 NaN ns/op\n", "a.txt:1: NaN ns/op is no measurement"},
		"infinity":           {"BenchmarkA 10 +Inf B/op\n", "a.txt:1: +Inf B/op is no measurement"},
		"a negative time":    {"\nBenchmarkA 10 -4 ns/op\n", "a.txt:2: -4 ns/op is no measurement"},
	} {
		_, err := FromFiles([]string{write(t, "a.txt", c.text)})
		assert.ErrorContains(t, err, c.want, name)
	}
	same := write(t, "a.txt", "BenchmarkA 10 8 ns/op\n")
	_, err := FromFiles([]string{same, same})
	assert.ErrorContains(t, err, "a second file for variant a")
	_, err = FromFiles([]string{filepath.Join(t.TempDir(), "no.txt")})
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestMergeOfTwoRuns(t *testing.T) {
	run := func(v string, ns int64) *results.Run {
		r := &results.Run{Dir: v, Manifest: results.Manifest{Base: v, Variants: []results.Variant{{Name: v}},
			Rows: []results.Row{{Row: variant.Row{Room: "a", Name: "Pair"}, Variants: []string{v}}}}}
		for round := range 8 {
			r.Samples = append(r.Samples, results.Sample{Round: round, Row: "a/Pair", Variant: v, Status: results.OK,
				Result: &results.Result{N: 1, ElapsedNS: ns + int64(round)}})
		}
		return r
	}
	gnu, musl, again := run("gnu", 100), run("musl", 300), run("gnu", 200)
	table := Compare(Merge([]*results.Run{gnu, musl, again}))
	require.Equal(t, []string{"musl", "gnu#3"}, table.Variants)
	assert.InDelta(t, 2.93, table.Lines[0].Cells[0].Paired.Value, 0.1)
	assert.InDelta(t, 1.97, table.Lines[0].Cells[1].Paired.Value, 0.1)

	assert.Equal(t, "they did not run interleaved", Apart([]*results.Run{gnu, musl}))
	musl.Manifest.Host.CPU = "another"
	assert.Equal(t, "gnu and musl ran on two machines", Apart([]*results.Run{gnu, musl}))
}

// Sixty rounds over six layouts are six numbers: what each layout does is in
// all of its rounds, so that the interval can't be narrower than the layouts lie
// apart. Pooled, these rounds would prove 2 %.
func TestCompareTakesALayoutForOneLook(t *testing.T) {
	moved := []float64{0.97, 0.98, 1.01, 1.05, 1.08, 1.14} // by layout
	base, other := series("m/A", "ns/op", "gnu"), series("m/A", "ns/op", "musl")
	base.Layout, other.Layout = map[int]int{}, map[int]int{}
	for round := range 60 {
		layout := round % len(moved)
		base.Values[round], other.Values[round] = 100, 100*moved[layout]*(1+0.001*float64(round/6-5))
		base.Layout[round], other.Layout[round] = layout, layout
	}
	in := Input{Base: "gnu", Variants: []string{"gnu", "musl"}, Series: []Series{base, other}}
	c := Compare(in).Lines[0].Cells[0]
	assert.Equal(t, 60, c.Rounds)
	assert.Equal(t, 6, c.Layouts)
	assert.Equal(t, 6, c.Paired.N)
	assert.InDelta(t, 0.97, c.Paired.Lo, 0.002) // of six, the interval is from the least to the largest
	assert.InDelta(t, 1.14, c.Paired.Hi, 0.002)
	assert.Equal(t, stats.NotResolved, c.Verdict.Word)

	base.Layout, other.Layout = nil, nil
	in.Series = []Series{base, other}
	c = Compare(in).Lines[0].Cells[0]
	assert.Equal(t, 60, c.Paired.N)
	assert.Equal(t, stats.Slower, c.Verdict.Word)
}

// Where six layouts agree, a difference below 2 % has a verdict; one layout of
// as many rounds has none.
func TestCompareOfLayoutsResolvesSmallDifferences(t *testing.T) {
	base, other := series("m/A", "ns/op", "gnu"), series("m/A", "ns/op", "musl")
	base.Layout, other.Layout = map[int]int{}, map[int]int{}
	for round := range 60 {
		base.Values[round], other.Values[round] = 100, 101+0.1*float64(round%6)
		base.Layout[round], other.Layout[round] = round%6, round%6
	}
	in := Input{Base: "gnu", Variants: []string{"gnu", "musl"}, Series: []Series{base, other}}
	assert.Equal(t, stats.Slower, Compare(in).Lines[0].Cells[0].Verdict.Word)
	base.Layout, other.Layout = nil, nil
	in.Series = []Series{base, other}
	assert.Equal(t, stats.Verdict{Word: stats.Same, Margin: 2, Note: stats.WithinLayout}, Compare(in).Lines[0].Cells[0].Verdict)
}
