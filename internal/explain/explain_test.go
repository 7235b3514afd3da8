package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/host"
	"libcost/internal/runner"
	"libcost/internal/variant"
	"libcost/internal/workload"
)

func parse(t *testing.T, name string) variant.Variant {
	t.Helper()
	v, err := variant.Parse(name, nil)
	require.NoError(t, err)
	return v
}

func design(t *testing.T, a, b string) Design {
	t.Helper()
	d, err := NewDesign(parse(t, a), parse(t, b), "mimalloc")
	require.NoError(t, err)
	return d
}

func names(d Design) []string {
	var list []string
	for _, b := range d.Binaries {
		list = append(list, b.Name)
	}
	return list
}

func TestDesignOfTwoLibcs(t *testing.T) {
	d := design(t, "gnu", "musl")
	assert.Equal(t, []Factor{{"allocator", "mimalloc"}, {"memory functions", "memops"}, {"locks", "locks"}}, d.Factors)
	assert.Equal(t, []string{
		"gnu.0", "gnu+mimalloc.0", "gnu+memops.0", "gnu+mimalloc+memops.0", "gnu+locks.0", "gnu+mimalloc+locks.0", "gnu+memops+locks.0", "gnu+mimalloc+memops+locks.0",
		"musl.1", "musl+mimalloc.1", "musl+memops.1", "musl+mimalloc+memops.1", "musl+locks.1", "musl+mimalloc+locks.1", "musl+memops+locks.1", "musl+mimalloc+memops+locks.1",
	}, names(d))
	for _, b := range d.Binaries {
		assert.True(t, b.Variant.Static, b.Name)
	}
}

// A part that both have is no factor and stays; linkage that differs is a step
// of its own, and the factorial is static.
func TestDesignOfTheServersPair(t *testing.T) {
	d := design(t, "gnu-dynamic+jemalloc", "musl+jemalloc")
	assert.Equal(t, []Factor{{"memory functions", "memops"}, {"locks", "locks"}}, d.Factors)
	assert.Equal(t, []string{
		"gnu+jemalloc.0", "gnu+jemalloc+memops.0", "gnu+jemalloc+locks.0", "gnu+jemalloc+memops+locks.0", "gnu-dynamic+jemalloc.0-as-given",
		"musl+jemalloc.1", "musl+jemalloc+memops.1", "musl+jemalloc+locks.1", "musl+jemalloc+memops+locks.1",
	}, names(d))
	assert.Equal(t, "gnu-dynamic+jemalloc.0-as-given", d.Binaries[d.given(0)].Name)
	assert.Equal(t, "musl+jemalloc.1", d.Binaries[d.given(1)].Name)
}

// An allocator of one side alone is a factor: replaced, both have the neutral
// one, which that side may have already.
func TestDesignOfTheAnalysersPair(t *testing.T) {
	d := design(t, "gnu-dynamic", "musl+mimalloc")
	assert.Len(t, d.Factors, 3)
	assert.Equal(t, "musl+mimalloc", d.Binaries[d.given(1)].Variant.Name)
	assert.Equal(t, "musl+mimalloc", d.Binaries[d.at(1, 1, false)].Variant.Name)
	assert.Equal(t, "gnu+mimalloc", d.Binaries[d.at(0, 1, false)].Variant.Name)
	assert.Equal(t, "gnu", d.Binaries[d.at(0, 0, false)].Variant.Name)
	assert.Len(t, d.Binaries, 17)

	both := design(t, "gnu-dynamic", "musl-dynamic")
	assert.Len(t, both.Binaries, 16)
	assert.False(t, both.Binaries[0].Variant.Static)
	_, err := NewDesign(parse(t, "gnu"), parse(t, "musl"), "tcmalloc")
	assert.ErrorContains(t, err, `"tcmalloc" is no allocator`)
}

// simulate gives rounds of times of a machine with slow phases and heavy tails:
// cost is what a binary takes, in ns an op.
func simulate(d Design, rounds int, cost func(Binary) float64) [][]float64 {
	random := rand.New(rand.NewPCG(1, 2))
	times := make([][]float64, rounds)
	for r := range times {
		phase := math.Exp(0.2 * random.NormFloat64())
		times[r] = make([]float64, len(d.Binaries))
		for i, b := range d.Binaries {
			noise := 0.02 * random.NormFloat64()
			if random.IntN(20) == 0 {
				noise += 0.3 // preempted
			}
			times[r][i] = cost(b) * phase * math.Exp(noise)
		}
	}
	return times
}

// Costs that add up come out as they were put in, with intervals that hold
// them, and nothing is left.
func TestLedgerFindsWhatWasPutIn(t *testing.T) {
	d := design(t, "gnu", "musl")
	own := [2][3]float64{{100, 50, 20}, {400, 650, 22}} // of each side's own parts
	neutral := [3]float64{110, 60, 21}
	times := simulate(d, 40, func(b Binary) float64 {
		sum := 1000.0
		for i := range d.Factors {
			if b.Set&(1<<i) != 0 {
				sum += neutral[i]
			} else {
				sum += own[b.Side][i]
			}
		}
		return sum
	})
	l, err := NewLedger(d, times, 1)
	require.NoError(t, err)
	require.True(t, l.Resolved)
	assert.InDelta(t, 902, l.Gap.Value, 30)
	require.Len(t, l.Causes, 3)
	assert.Equal(t, []string{"memory functions", "allocator", "locks"}, []string{l.Causes[0].Name, l.Causes[1].Name, l.Causes[2].Name})
	for i, want := range []float64{600, 300, 2} {
		c := l.Causes[i]
		assert.True(t, c.NS.Contains(want), "%s: %+v", c.Name, c.NS)
		assert.InDelta(t, 100*want/902, c.Share.Value, 3, c.Name)
		assert.InDelta(t, c.First.Value, c.Last.Value, 40, c.Name)
		assert.Empty(t, c.Joint)
	}
	assert.True(t, l.Residual.NS.Contains(0))
	assert.True(t, l.Causes[0].Explains)
	assert.True(t, l.Causes[1].Explains)
	assert.False(t, l.Causes[2].Explains, "2 ns of 1170 is no explanation")
	sum := l.Residual.NS.Value
	for _, c := range l.Causes {
		sum += c.NS.Value
	}
	assert.InDelta(t, l.Gap.Value, sum, 1e-6, "the shares and the rest are the gap")
	assert.InDelta(t, (1000+110+60+21)/1170.0, l.Price[0].Value, 0.02)
}

// Parts that work through each other have a bracket, and each names the others.
func TestLedgerOfJointCauses(t *testing.T) {
	d := design(t, "gnu", "musl")
	times := simulate(d, 40, func(b Binary) float64 {
		if b.Side == 1 && b.Set&0b101 == 0 {
			return 2000 // either the allocator or the locks replaced is enough
		}
		return 1000
	})
	l, err := NewLedger(d, times, 1)
	require.NoError(t, err)
	for _, c := range l.Causes {
		first, last := c.Bracket(l.Gap.Value)
		switch c.Name {
		case "allocator":
			assert.InDelta(t, 100, first, 5)
			assert.InDelta(t, 0, last, 5)
			assert.InDelta(t, 50, c.Share.Value, 5)
			assert.Equal(t, []string{"locks"}, c.Joint)
		case "locks":
			assert.Equal(t, []string{"allocator"}, c.Joint)
		default:
			assert.Empty(t, c.Joint)
		}
	}
}

// What no part covers is left, and then nothing is said to explain the gap.
func TestLedgerWithARestExplainsNothing(t *testing.T) {
	d := design(t, "gnu", "musl")
	times := simulate(d, 40, func(b Binary) float64 {
		x := 1000 + 300*float64(b.Side) // the rest
		if b.Side == 1 && b.Set&1 == 0 {
			x += 700
		}
		return x
	})
	l, err := NewLedger(d, times, 1)
	require.NoError(t, err)
	assert.InDelta(t, 30, l.Residual.Share.Value, 5)
	for _, c := range l.Causes {
		assert.False(t, c.Explains, c.Name)
	}
	assert.Zero(t, l.Enough, "no number of rounds makes this rest small")
}

func TestLedgerOfNoGap(t *testing.T) {
	d := design(t, "gnu", "gnu")
	l, err := NewLedger(d, simulate(d, 40, func(Binary) float64 { return 1000 }), 1)
	require.NoError(t, err)
	assert.False(t, l.Resolved)
	for _, c := range l.Causes {
		assert.False(t, c.Explains)
	}
	assert.Greater(t, l.RoundsToResolveGap(), 40)
}

func TestLedgerOfFewRounds(t *testing.T) {
	d := design(t, "gnu", "musl")
	l, err := NewLedger(d, simulate(d, 5, func(b Binary) float64 { return 1000 * float64(1+b.Side) }), 1)
	require.NoError(t, err)
	assert.False(t, l.Resolved, "five rounds have no interval")
	_, err = NewLedger(d, nil, 1)
	assert.ErrorContains(t, err, "no round is complete")
}

// Linkage is the step from the dynamic build to the static one of the same libc.
func TestLedgerOfLinkage(t *testing.T) {
	d := design(t, "gnu-dynamic", "musl")
	l, err := NewLedger(d, simulate(d, 40, func(b Binary) float64 {
		switch {
		case b.AsGiven:
			return 1100
		case b.Side == 0:
			return 1000
		case b.Set&2 != 0:
			return 1000
		}
		return 1500
	}), 1)
	require.NoError(t, err)
	require.Len(t, l.Linkage, 1)
	assert.Equal(t, "linkage of gnu-dynamic", l.Linkage[0].Name)
	assert.InDelta(t, -100, l.Linkage[0].NS.Value, 25)
	assert.InDelta(t, 400, l.Gap.Value, 30)
	sum := l.Residual.NS.Value + l.Linkage[0].NS.Value
	for _, c := range l.Causes {
		sum += c.NS.Value
	}
	assert.InDelta(t, l.Gap.Value, sum, 1e-6)
}

const printed = "digest: 0a\nsetup-ns: 100\nBenchmarkX 10 250 ns/op 200 cpu-ns/op 0 nvcsw/op\n"

func TestParse(t *testing.T) {
	s, err := Parse([]byte(printed))
	require.NoError(t, err)
	assert.Equal(t, Sample{Metrics: map[string]float64{"ns/op": 250, "cpu-ns/op": 200, "nvcsw/op": 0}, Digest: "0a", SetUpNS: 100}, s)
	for text, want := range map[string]string{
		"":                            "no benchmark line",
		"hello\n":                     "no benchmark line",
		printed + printed:             "more than one benchmark line",
		"BenchmarkX 10 x ns/op\n":     "printed",
		"BenchmarkX 10 NaN ns/op\n":   "no time",
		"BenchmarkX 10 0 ns/op\n":     "no time",
		"BenchmarkX 10 5 cpu-ns/op\n": "no time",
		"setup-ns: long\nBenchmarkX 10 5 ns/op\n": "setup-ns",
	} {
		_, err := Parse([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
}

// A fake runs no binaries and answers for them.
type fake struct {
	ran    []string
	answer func(binary string) runner.Outcome
}

func (f *fake) Execute(_ context.Context, c runner.Command) runner.Outcome {
	f.ran = append(f.ran, c.Path)
	return f.answer(c.Path)
}

func well(string) runner.Outcome {
	return runner.Outcome{Wall: time.Millisecond, Stdout: []byte(printed)}
}

func newRunner(d Design, answer func(string) runner.Outcome) (*Runner, *fake) {
	f := &fake{answer: answer}
	r := &Runner{Exec: f, Workload: &workload.Workload{Name: "w", Run: []string{"{out}", "{n}"}, Threads: 1}, Paths: map[string]string{}, N: 10, CPU: 1, Timeout: time.Second}
	for _, b := range d.Binaries {
		r.Paths[b.Name] = b.Name
	}
	return r, f
}

// Each round runs every binary once, in an order of its own, the same for the
// same seed; what is done is not run again.
func TestRunGoesThroughAllBinaries(t *testing.T) {
	d := design(t, "gnu", "musl")
	r, f := newRunner(d, well)
	var samples []Sample
	add := func(s Sample) error { samples = append(samples, s); return nil }
	require.NoError(t, r.Run(context.Background(), d, 3, 7, nil, add, func(int) {}))
	require.Len(t, f.ran, 48)
	for round := range 3 {
		assert.ElementsMatch(t, names(d), f.ran[16*round:16*round+16])
	}
	assert.NotEqual(t, f.ran[:16], f.ran[16:32])
	times, err := Times(d, samples, "ns/op")
	require.NoError(t, err)
	assert.Len(t, times, 3)
	_, err = Times(d, samples, "p99-ns")
	assert.ErrorContains(t, err, "prints no p99-ns")

	again, g := newRunner(d, well)
	done := samples[:20]
	require.NoError(t, again.Run(context.Background(), d, 3, 7, done, func(Sample) error { return nil }, func(int) {}))
	assert.Equal(t, f.ran[20:], g.ran)
	times, err = Times(d, done, "ns/op")
	require.NoError(t, err)
	assert.Len(t, times, 1, "the second round is not complete")
}

// What goes wrong is told with the parts of the binary.
func TestRunEndsAtTheFirstFault(t *testing.T) {
	d := design(t, "gnu", "musl")
	for what, c := range map[string]struct {
		outcome runner.Outcome
		want    string
	}{
		"crash":      {runner.Outcome{Signal: syscall.SIGSEGV}, "run w, musl+memops: killed by segmentation fault (signal 11) without a word"},
		"exit":       {runner.Outcome{Code: 1, Stderr: []byte("wrong result\nmore\n")}, "run w, musl+memops: exit code 1: wrong result"},
		"hang":       {runner.Outcome{Hung: true, Doing: "blocked in futex"}, "run w, musl+memops: no answer in 1s, blocked in futex"},
		"garbage":    {runner.Outcome{Stdout: []byte("?")}, "run w, musl+memops: printed no benchmark line"},
		"other work": {runner.Outcome{Stdout: []byte(strings.Replace(printed, "0a", "0b", 1))}, `run w, musl+memops: did other work than`},
	} {
		r, f := newRunner(d, func(binary string) runner.Outcome {
			if strings.HasPrefix(binary, "musl+memops.") {
				return c.outcome
			}
			return well(binary)
		})
		if what == "other work" {
			_, err := r.Sample(context.Background(), d.Binaries[0])
			require.NoError(t, err)
		}
		err := r.Run(context.Background(), d, 3, 7, nil, func(Sample) error { return nil }, func(int) {})
		assert.ErrorContains(t, err, c.want, what)
		assert.Less(t, len(f.ran), 18, what)
	}
}

func manifest() Manifest {
	return Manifest{Started: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Workload: "w", Sides: [2]string{"gnu", "musl"}, Builds: map[string]string{"gnu.0": "a", "musl.1": "b"},
		Rounds: 3, N: 10, Timeout: time.Second, Host: host.Facts{CPUs: []int{0}}}
}

// A record that was cut anywhere reads back to the tear and goes on.
func TestRecordIsReadUpToTheTear(t *testing.T) {
	dir := t.TempDir()
	r, err := Create(dir, manifest())
	require.NoError(t, err)
	for round := range 3 {
		for _, b := range []string{"gnu.0", "musl.1"} {
			require.NoError(t, r.Append(Sample{Round: round, Binary: b, Metrics: map[string]float64{"ns/op": 5}}))
		}
	}
	require.NoError(t, r.Close())
	file := filepath.Join(r.Dir, samplesFile)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for cut := 0; cut <= len(whole); cut++ {
		require.NoError(t, os.WriteFile(file, whole[:cut], 0o666))
		got, err := Read(filepath.Join(dir, "latest-explain"))
		require.NoError(t, err, cut)
		assert.Len(t, got.Samples, strings.Count(string(whole[:cut]), "\n"))
		torn := cut > 0 && whole[cut-1] != '\n'
		assert.Equal(t, torn, len(got.Warnings) == 1, cut)
	}
	require.NoError(t, os.WriteFile(file, whole[:len(whole)-3], 0o666))
	got, err := Read(r.Dir)
	require.NoError(t, err)
	require.NoError(t, got.Resume())
	require.NoError(t, got.Append(Sample{Round: 2, Binary: "musl.1", Metrics: map[string]float64{"ns/op": 5}}))
	require.NoError(t, got.Close())
	again, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, whole, again)
}

func TestRecordRefuses(t *testing.T) {
	line := func(round int, binary string, ns float64) string {
		return fmt.Sprintf(`{"round":%d,"binary":%q,"metrics":{"ns/op":%g}}`+"\n", round, binary, ns)
	}
	for what, c := range map[string]struct{ text, want string }{
		"another binary": {line(0, "other", 5) + line(0, "gnu.0", 5), `no binary "other" in this run`},
		"another round":  {line(3, "gnu.0", 5) + line(0, "gnu.0", 5), "round 3 of 3"},
		"twice":          {line(0, "gnu.0", 5) + line(0, "gnu.0", 5), "stands there already"},
		"no time":        {line(0, "gnu.0", 0) + line(1, "gnu.0", 5), "without a time"},
		"no line":        {"x\n" + line(1, "gnu.0", 5), "invalid character"},
	} {
		dir := t.TempDir()
		r, err := Create(dir, manifest())
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.NoError(t, os.WriteFile(filepath.Join(r.Dir, samplesFile), []byte(c.text), 0o666))
		_, err = Read(r.Dir)
		assert.ErrorContains(t, err, c.want, what)
	}
	_, err := Read(t.TempDir())
	assert.ErrorContains(t, err, "nothing was explained there")
}
