package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/compare"
	"libcost/internal/results"
	"libcost/internal/stats"
	"libcost/internal/variant"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

// sampleRun is a small run: a slower, an equal and a skipped row, a control, a
// third variant on one row, and samples that went wrong.
func sampleRun(rounds int) *results.Run {
	row := func(room, name string, variants ...string) results.Row {
		return results.Row{Row: variant.Row{Room: room, Name: name, Threads: 1}, Variants: variants, Rounds: rounds}
	}
	memcmp := row("memops", "Memcmp/size=4096", "gnu", "musl", "gnu-dynamic")
	memcmp.Summary = true
	mutex := row("syscalls", "Mutex/threads=16/place=spread", "gnu", "musl")
	mutex.Summary = true
	sync := row("fsync", "Sync/by=fdatasync", "gnu", "musl")
	sync.Latency, sync.Control, sync.Summary = true, true, true
	full := row("fsync", "Sync/by=direct", "gnu", "musl")
	full.Skipped = "gnu: fsync: Sync/by=direct: set up in d: no space left on device"
	facts := func(libc, linkage string) variant.Facts {
		return variant.Facts{Libc: libc, Linkage: linkage, Compiler: "gcc 12.2.0", Allocator: "native"}
	}
	run := &results.Run{Dir: "results/x", Manifest: results.Manifest{
		Set: "default", Rounds: rounds, Base: "gnu",
		Variants: []results.Variant{{Name: "gnu", Facts: facts("glibc", "static")}, {Name: "musl", Facts: facts("musl", "static")}, {Name: "gnu-dynamic", Facts: facts("glibc", "dynamic")}},
		Rows:     []results.Row{memcmp, row("memops", "Memcpy/size=16384", "gnu", "musl"), mutex, sync, full},
	}}
	ns := map[string]map[string]float64{
		"memops/Memcmp/size=4096":                {"gnu": 47, "musl": 2660, "gnu-dynamic": 50},
		"memops/Memcpy/size=16384":               {"gnu": 300, "musl": 301},
		"syscalls/Mutex/threads=16/place=spread": {"gnu": 60, "musl": 62},
		"fsync/Sync/by=fdatasync":                {"gnu": 150000, "musl": 150300},
	}
	for round := range rounds {
		for _, r := range run.Manifest.Rows {
			for _, v := range r.Variants {
				x := ns[r.Key()][v]
				if x == 0 {
					continue
				}
				jitter := 1 + 0.01*float64((round*7+len(v))%5)
				res := &results.Result{N: 1000, ElapsedNS: int64(1000 * x * jitter), CPUNS: int64(1000 * x * jitter)}
				if strings.Contains(r.Name, "Mutex") && v == "musl" {
					res.CPUNS *= 3
				}
				if r.Latency {
					res.Quantiles = []int64{int64(x * jitter), int64(2 * x * jitter), 0, 0}
				}
				run.Samples = append(run.Samples, results.Sample{Round: round, Row: r.Key(), Variant: v, Status: results.OK, CPU: 1, Result: res})
			}
		}
	}
	run.Samples = append(run.Samples,
		results.Sample{Round: rounds, Row: "memops/Memcpy/size=16384", Variant: "musl", Status: results.Crashed, Error: "killed by segmentation fault (signal 11)"},
		results.Sample{Round: rounds + 1, Row: "memops/Memcpy/size=16384", Variant: "musl", Status: results.Crashed, Error: "killed by segmentation fault (signal 11)"})
	return run
}

func TestEnding(t *testing.T) {
	for _, rounds := range []int{3, 20} {
		var out bytes.Buffer
		Ending(&out, sampleRun(rounds), 5*time.Minute)
		golden(t, fmt.Sprintf("ending%d.txt", rounds), out.Bytes())
	}
}

func TestEndingOfOneVariantNamesTheNextCommand(t *testing.T) {
	run := sampleRun(3)
	run.Manifest.Variants, run.Manifest.Base = run.Manifest.Variants[1:2], "musl"
	var out bytes.Buffer
	Ending(&out, run, time.Minute)
	assert.Equal(t, "skipped fsync/Sync/by=direct: gnu: fsync: Sync/by=direct: set up in d: no space left on device\n"+
		"memops/Memcpy/size=16384, musl: killed by segmentation fault (signal 11) (2 samples)\n"+
		"results/x/\n  medians:              go tool benchstat results/x/musl.txt\n  to compare, run both: make bench-musl bench-gnu\n", out.String())
}

func TestTable(t *testing.T) {
	table := compare.Compare(compare.FromRun(sampleRun(20)))
	for _, format := range []string{"text", "md", "csv"} { // JSON says the same: TestFormatsAgree
		var out bytes.Buffer
		require.NoError(t, Table(&out, format, table))
		golden(t, "table."+format, out.Bytes())
	}
}

func TestBannerWhereTheBaseDiffersFromItsCopy(t *testing.T) {
	run := sampleRun(20)
	run.Manifest.Variants = append(run.Manifest.Variants, results.Variant{Name: "gnu.copy"})
	run.Manifest.Canary = "gnu.copy"
	memcmp := &run.Manifest.Rows[0]
	memcmp.Variants = append(memcmp.Variants, "gnu.copy")
	for _, s := range run.Samples {
		if s.Row == memcmp.Key() && s.Variant == "gnu" {
			moved := *s.Result
			moved.ElapsedNS = moved.ElapsedNS * 21 / 20
			s.Variant, s.Result = "gnu.copy", &moved
			run.Samples = append(run.Samples, s)
		}
	}
	var ending, table bytes.Buffer
	Ending(&ending, run, time.Minute)
	require.NoError(t, Table(&table, "text", compare.Compare(compare.FromRun(run))))
	for _, out := range []string{ending.String(), table.String()} {
		assert.Contains(t, out, "CAUTION: gnu against a second copy of itself on memops/Memcmp/size=4096: 1.050")
		assert.NotContains(t, out, "gnu.copy", "a canary is no variant")
	}
}

// All formats say the same of each row.
func TestFormatsAgree(t *testing.T) {
	table := compare.Compare(compare.FromRun(sampleRun(20)))
	verdicts := map[string][]string{}
	for _, format := range Formats {
		var out bytes.Buffer
		require.NoError(t, Table(&out, format, table))
		switch format {
		case "json":
			var parsed struct {
				Lines []struct {
					Side  bool
					Cells []struct{ Verdict string }
				}
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &parsed))
			for _, l := range parsed.Lines {
				for _, c := range l.Cells {
					if !l.Side {
						verdicts[format] = append(verdicts[format], c.Verdict)
					}
				}
			}
		case "csv":
			rows, err := csv.NewReader(&out).ReadAll()
			require.NoError(t, err)
			for _, r := range rows[1:] {
				if v := strings.TrimRight(r[8], " ¹²³"); v != "" {
					verdicts[format] = append(verdicts[format], v)
				}
			}
		}
	}
	require.Len(t, verdicts["json"], 6)
	assert.Equal(t, verdicts["json"], verdicts["csv"])
}

func TestVerdictWords(t *testing.T) {
	estimate := func(v, lo, hi float64, n int) stats.Estimate {
		return stats.Estimate{Value: v, Interval: stats.Interval{Lo: lo, Hi: hi}, N: n}
	}
	for want, c := range map[string]compare.Cell{
		"56x slower":    {Paired: estimate(56.3, 52, 60, 20), Verdict: stats.Verdict{Word: stats.Slower}},
		"2.5x faster":   {Paired: estimate(0.4, 0.3, 0.5, 20), Verdict: stats.Verdict{Word: stats.Faster}},
		"12.0 % slower": {Paired: estimate(1.12, 1.1, 1.14, 20), Verdict: stats.Verdict{Word: stats.Slower}},
		"same":          {Verdict: stats.Verdict{Word: stats.Same, Margin: 2.1}},
		// A margin is rounded up: 4.1 is not proven to be 4.
		"same within 5 %":                  {Verdict: stats.Verdict{Word: stats.SameWithin, Margin: 4.1}},
		"not resolved":                     {Verdict: stats.Verdict{Word: stats.NotResolved}},
		"not resolved (3 rounds; needs 6)": {Rounds: 3, Verdict: stats.Verdict{Word: stats.TooFewRounds}},
		"not resolved (1 round; needs 6)":  {Rounds: 1, Verdict: stats.Verdict{Word: stats.TooFewRounds}},
	} {
		assert.Equal(t, want, Verdict(compare.Line{Unit: "ns/op"}, c))
	}
	assert.Equal(t, "not resolved (8 rounds; needs 20)",
		Verdict(compare.Line{Unit: "p99-ns"}, compare.Cell{Rounds: 8, Verdict: stats.Verdict{Word: stats.TooFewRounds}}))
}

func TestMediansAreWordedByTheUnitsDirection(t *testing.T) {
	qps, time := compare.Line{Better: stats.HigherIsBetter}, compare.Line{Better: stats.LowerIsBetter}
	assert.Equal(t, "-13.5 % (slower)", Medians(qps, compare.Cell{Ratio: 0.865}))
	assert.Equal(t, "-13.5 % (faster)", Medians(time, compare.Cell{Ratio: 0.865}))
	assert.Equal(t, "+15.6 % (faster)", Medians(qps, compare.Cell{Ratio: 1.156}))
	assert.Equal(t, "56.3x (slower)", Medians(time, compare.Cell{Ratio: 56.3}))
	assert.Equal(t, "0.250x (faster)", Medians(time, compare.Cell{Ratio: 0.25}))
	assert.Equal(t, "+0.0 %", Medians(time, compare.Cell{Ratio: 1}))
	assert.Equal(t, "to 0", Medians(time, compare.Cell{Ratio: 0}))
	assert.Equal(t, "from 0", Medians(time, compare.Cell{Ratio: math.Inf(1)}))
}

func TestPlainShowsEscapes(t *testing.T) {
	assert.Equal(t, "a�[31mb�c", Plain("a\x1b[31mb\nc"))
	assert.Equal(t, "µ→é", Plain("µ→é"))
	assert.NotContains(t, Plain("\u009b31m"), "\u009b")
}

// Rounds of one variant alone are left out, and that is said once for each row.
func TestUnpairedRoundsAreTold(t *testing.T) {
	run := sampleRun(20)
	var kept []results.Sample
	for _, s := range run.Samples {
		if s.Row != "memops/Memcmp/size=4096" || s.Variant != "musl" || s.Round < 13 {
			kept = append(kept, s)
		}
	}
	run.Samples = kept
	var ending, text bytes.Buffer
	Ending(&ending, run, time.Minute)
	require.NoError(t, Table(&text, "text", compare.Compare(compare.FromRun(run))))
	const want = "memops/Memcmp/size=4096: 20 rounds of gnu and 13 of musl; the 13 that both have are compared\n"
	assert.Equal(t, 1, strings.Count(ending.String(), want), ending.String())
	assert.Equal(t, 1, strings.Count(text.String(), want))
}

// A sample of the counting pass that fails is told like any other.
func TestFailedCountIsTold(t *testing.T) {
	run := sampleRun(20)
	run.Counts = results.Counts{Samples: []results.Sample{{Row: "memops/Memcmp/size=4096", Variant: "musl", Status: results.Hung, Error: "no answer in 30s"}}}
	var out bytes.Buffer
	Ending(&out, run, time.Minute)
	assert.Contains(t, out.String(), "memops/Memcmp/size=4096, musl: no answer in 30s (1 sample)\n")
}

// What is no time is not slow.
func TestVerdictOfWhatIsNoTime(t *testing.T) {
	cell := compare.Cell{Paired: stats.Estimate{Value: 2.5, Interval: stats.Interval{Lo: 2, Hi: 3}}, Verdict: stats.Verdict{Word: stats.Slower}}
	for unit, want := range map[string]string{"ns/op": "2.5x slower", "p99-ns": "2.5x slower", "MB/s": "2.5x slower", "sec/op": "2.5x slower", "rss-B": "2.5x more", "syncs/op": "2.5x more"} {
		assert.Equal(t, want, Verdict(compare.Line{Unit: unit}, cell), unit)
	}
	cell.Paired.Value, cell.Verdict.Word = 0.4, stats.Faster
	assert.Equal(t, "2.5x less", Verdict(compare.Line{Unit: "rss-B"}, cell))
}
