package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"libcost/internal/accept"
	"libcost/internal/compare"
	"libcost/internal/plan"
	"libcost/internal/results"
	"libcost/internal/runner"
	"libcost/internal/variant"
)

// few are rows of each kind: the same n for all, stateless, on a disk.
const few = "^(alloc/Pair/size=64/live=1/threads=1$|memops/Memcmp/size=4096/a=0/b=0/differ=none|fsync/Sync/size=4096/by=fdatasync/file=zeros)"

// Each example of the help is run as it stands, but for where results go.
func TestExamples(t *testing.T) {
	needsMusl(t)
	dir := t.TempDir()
	first := libcost(context.Background(), &machine{}, "run", "-set", "quick", "-rounds", "2", "-results", dir, "gnu", "musl")
	require.Zero(t, first.code, first.stderr)

	commands := (&app{}).command()
	examples := strings.Split(commands.Example, "\n")
	for _, c := range commands.Commands() {
		if c.Example != "" {
			examples = append(examples, strings.Split(c.Example, "\n")...)
		}
	}
	for _, line := range examples {
		t.Run(strings.TrimSpace(line), func(t *testing.T) {
			args := strings.Fields(line)
			require.Equal(t, "libcost", args[0])
			args = args[1:]
			ctx := context.Background()
			switch command := args[0]; command {
			case "accept", "explain":
				// Fio, perf, C loops and sixteen binaries would take minutes: as
				// far as the first sample.
				cancelled, cancel := context.WithCancel(ctx)
				cancel()
				ctx = cancelled
				args = append(args, "-results", t.TempDir())
			case "run", "null":
				if args[1] != "-resume" {
					args = append(args, "-results", t.TempDir())
				}
			case "bugreport":
				// A row of that run, and two files that are gone afterwards.
				args = []string{"bugreport", "alloc/Pair/size=64/live=1/threads=1", "results/latest", "-out", t.TempDir()}
			case "compare":
				if len(args) == 1 {
					args = append(args, "results/latest")
				}
			}
			root, err := findRoot()
			require.NoError(t, err)
			for i := range args {
				args[i] = strings.Replace(args[i], "results/latest", filepath.Join(dir, "latest"), 1)
				args[i] = strings.Replace(args[i], "testdata/", filepath.Join(root, "testdata")+"/", 1)
			}
			got := libcost(ctx, &machine{}, args...)
			if args[0] == "accept" || args[0] == "explain" {
				assert.Equal(t, exitShort, got.code, got.stderr)
				assert.Regexp(t, "stopped(: 0 samples kept| before the first sample)", got.stderr)
				return
			}
			assert.Equal(t, exitDone, got.code, "%s%s", got.stderr, got.stdout)
			assert.NotEmpty(t, got.stdout)
		})
	}
	assert.Greater(t, len(examples), 10)
}

// A run that was stopped anywhere and goes on is, file by file, the run that
// was not.
func TestStopAndResume(t *testing.T) {
	needsMusl(t)
	args := func(dir string) []string {
		return []string{"run", "-bench", few, "-rounds", "3", "-results", dir, "gnu", "musl"}
	}
	dir := t.TempDir()
	var whole machine
	got := libcost(context.Background(), &whole, args(dir)...)
	require.Zero(t, got.code, got.stderr)
	want := readRun(t, dir)
	planned := len(want.Samples)
	counted := len(want.Counts.Samples)
	probes := whole.samples - planned - counted

	for _, at := range []int{1, probes, probes + 1, probes + 2, probes + planned/2, probes + planned, probes + planned + counted} {
		t.Run(fmt.Sprintf("at %d of %d+%d+%d", at, probes, planned, counted), func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(context.Background())
			stopped := &machine{}
			stopped.before = func(string, string, int) *runner.Outcome {
				if stopped.samples == at {
					cancel()
				}
				return nil
			}
			got := libcost(ctx, stopped, args(dir)...)
			assert.Equal(t, exitShort, got.code)
			assert.NotContains(t, got.stderr, "context canceled")
			if at <= probes {
				assert.Contains(t, got.stderr, "stopped before the first sample: nothing to keep\n")
				assert.NoDirExists(t, filepath.Join(dir, "latest"))
				return
			}
			kept := min(at-probes-1, planned)
			run := readRun(t, dir)
			assert.Len(t, run.Samples, kept)
			assert.Contains(t, got.stderr, fmt.Sprintf("stopped: %d samples kept; go on with: bin/libcost run -resume %s/2", kept, dir))

			// As if it had been killed in the middle of the next line.
			tear(t, filepath.Join(run.Dir, "samples.jsonl"))
			var rest machine
			got = libcost(context.Background(), &rest, "run", "-resume", filepath.Join(dir, "latest"))
			assert.Zero(t, got.code, got.stderr)
			assert.Contains(t, got.stderr, fmt.Sprintf("/samples.jsonl:%d: torn line dropped\n", kept+1))
			assert.Equal(t, planned+counted-kept, rest.samples)
			run = readRun(t, dir)
			assert.Equal(t, orderOf(t, want), orderOf(t, run))
			for _, name := range []string{"gnu.txt", "musl.txt", "gnu.copy.txt"} {
				a, err := os.ReadFile(filepath.Join(want.Dir, name))
				require.NoError(t, err)
				b, err := os.ReadFile(filepath.Join(run.Dir, name))
				require.NoError(t, err)
				assert.Equal(t, string(a), string(b), name)
			}
		})
	}
}

// What is whole has nothing left to do.
func TestResumeAWholeRun(t *testing.T) {
	needsMusl(t)
	dir := t.TempDir()
	whole := libcost(context.Background(), &machine{}, "run", "-bench", few, "-rounds", "1", "-results", dir, "gnu", "musl")
	require.Zero(t, whole.code, whole.stderr)
	var rest machine
	again := libcost(context.Background(), &rest, "run", "-resume", filepath.Join(dir, "latest"))
	assert.Zero(t, again.code, again.stderr)
	if readRun(t, dir).Counts.Missing == "" { // else they may be had by now
		assert.Zero(t, rest.samples)
	}
}

func tear(t *testing.T, record string) {
	t.Helper()
	f, err := os.OpenFile(record, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"seq":`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// orderOf is which samples ran, and sees that they are those of the plan, each
// once.
func orderOf(t *testing.T, run *results.Run) []plan.Sample {
	t.Helper()
	var ran []plan.Sample
	for _, s := range run.Samples {
		ran = append(ran, plan.Sample{Round: s.Round, Row: s.Row, Variant: s.Variant})
	}
	assert.Equal(t, plan.Order(planRows(run.Manifest), run.Manifest.Rounds, run.Manifest.Seed), ran)
	return ran
}

func TestResumeRefusesAnotherBuild(t *testing.T) {
	needsMusl(t)
	dir := t.TempDir()
	got := libcost(context.Background(), &machine{}, "run", "-bench", few, "-rounds", "1", "-results", dir, "gnu", "musl")
	require.Zero(t, got.code, got.stderr)
	run := readRun(t, dir)
	manifest := filepath.Join(run.Dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	replace := func(old, new string) {
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile(manifest, []byte(strings.ReplaceAll(string(text), old, new)), 0o666))
	}

	// As if a source had changed since: the hash of all that goes in differs.
	now := run.Manifest.Variants[1].Build
	replace(now, "0123456789ab")
	var rest machine
	got = libcost(context.Background(), &rest, "run", "-resume", run.Dir)
	assert.Equal(t, exitShort, got.code)
	assert.Equal(t, fmt.Sprintf("libcost: resume %s: musl was build 0123456789ab, the tree makes %s now: half a run of each would be no run (start a new one)\n", run.Dir, now), got.stderr)
	assert.Zero(t, rest.samples)

	// The disk is part of the run, too.
	replace(`"file_system": "`+run.Manifest.Disk.FileSystem+`"`, `"file_system": "xfs"`)
	got = libcost(context.Background(), &rest, "run", "-resume", run.Dir)
	assert.Equal(t, exitShort, got.code)
	assert.Contains(t, got.stderr, ": its files were on xfs (")
	assert.Contains(t, got.stderr, " (name the directory: -dir)\n")
	assert.Zero(t, rest.samples)
}

// Two variants that do other work at the same n are not compared.
func TestRunTellsOtherWork(t *testing.T) {
	needsMusl(t)
	dir := t.TempDir()
	other := &machine{}
	other.before = func(variant, row string, n int) *runner.Outcome {
		// After calibration, whose probes would find it and skip the row.
		if variant != "musl" || !strings.HasPrefix(row, "Pair/") || n < 1000 {
			return nil
		}
		return &runner.Outcome{Stdout: fmt.Appendf(nil, "Benchmark%s\t%d\t10 ns/op\n{\"result\":{\"n\":%d,\"elapsed_ns\":%d,\"digest\":\"0bad\"}}\n", row, n, n, 10*n)}
	}
	got := libcost(context.Background(), other, "run", "-bench", few, "-rounds", "2", "-results", dir, "gnu", "musl")
	assert.Equal(t, exitShort, got.code)
	assert.Contains(t, got.stdout, "alloc/Pair/size=64/live=1/threads=1")
	assert.Contains(t, got.stdout, "ops are other work than in gnu: digest 0bad, there ")
}

func TestRunOfOneVariant(t *testing.T) {
	needsMusl(t)
	dir := t.TempDir()
	got := libcost(context.Background(), &machine{}, "run", "-bench", few, "-rounds", "2", "-results", dir, "musl")
	assert.Zero(t, got.code, got.stderr)
	assert.True(t, strings.HasSuffix(got.stdout, "\n  to compare, run both: make bench-musl bench-gnu\n"), got.stdout)
}

// The base is gnu wherever it stands, and gnu-dynamic joins gnu and musl.
func TestRunVariants(t *testing.T) {
	needsMusl(t)
	for names, want := range map[string][]string{
		"musl gnu":             {"gnu", "musl", "gnu-dynamic", "gnu.copy"},
		"musl-dynamic musl":    {"musl-dynamic", "musl", "musl-dynamic.copy"},
		"musl gnu-dynamic gnu": {"gnu", "musl", "gnu-dynamic", "gnu.copy"},
	} {
		dir := t.TempDir()
		got := libcost(context.Background(), &machine{}, append([]string{"run", "-set", "quick", "-rounds", "1", "-results", dir}, strings.Fields(names)...)...)
		require.Zero(t, got.code, got.stderr)
		m := readRun(t, dir).Manifest
		var variants []string
		for _, v := range m.Variants {
			variants = append(variants, v.Name)
		}
		assert.Equal(t, want, variants, names)
		assert.Equal(t, want[0], m.Base)
		all := names == "musl gnu-dynamic gnu"
		for _, r := range m.Rows {
			has := strings.Contains(strings.Join(r.Variants, " "), "gnu-dynamic")
			assert.Equal(t, all || r.Summary && want[0] == "gnu", has, "%s: %s", names, r.Key())
		}
	}
}

// A disk that is full ends the run with its error; what landed can be gone on
// with once there is room.
func TestRunOnAFullDisk(t *testing.T) {
	needsMusl(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small tmpfs")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=160k"); err != nil {
		t.Skipf("mount a tmpfs: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	got := libcost(context.Background(), &machine{}, "run", "-set", "quick", "-rounds", "20", "-results", dir, "gnu", "musl")
	assert.Equal(t, exitShort, got.code)
	assert.Contains(t, got.stderr, "no space left on device\n")
	run := readRun(t, dir)
	assert.NotEmpty(t, run.Samples)
	assert.Contains(t, got.stderr, fmt.Sprintf("stopped: %d samples kept; go on with: bin/libcost run -resume %s", len(run.Samples), dir))

	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=16m"))
	got = libcost(context.Background(), &machine{}, "run", "-resume", filepath.Join(dir, "latest"))
	assert.Zero(t, got.code, got.stderr)
	orderOf(t, readRun(t, dir))
}

// Two runs in one tree would measure each other, two into one directory would
// mix.
func TestRunWhileAnotherOneGoesOn(t *testing.T) {
	needsMusl(t)
	busy, free := t.TempDir(), t.TempDir()
	unlock, err := results.Lock(busy)
	require.NoError(t, err)
	defer unlock()
	var none machine
	for _, dirs := range []struct{ tree, results string }{{busy, free}, {free, busy}, {busy, busy}} {
		for _, args := range [][]string{{"run", "gnu", "musl"}, {"null", "gnu"}, {"accept"}} {
			var stdout, stderr bytes.Buffer
			a := &app{stdout: &stdout, stderr: &stderr, exec: &none, lock: dirs.tree}
			assert.Equal(t, exitShort, a.main(context.Background(), append(args, "-results", dirs.results)))
			assert.Equal(t, "libcost: run: "+busy+": another run is going on in this tree; two at once would measure each other\n", stderr.String())
		}
	}
	assert.Zero(t, none.samples)
}

// A run over layouts has a build for each, all different; it goes on with the
// same ones, and its samples ran them all.
func TestRunOverLayouts(t *testing.T) {
	needsMusl(t)
	dir := t.TempDir()
	m := &machine{}
	m.before = func(string, string, int) *runner.Outcome {
		if m.samples > 12 { // 2 of calibration, 10 of 12 samples
			return &runner.Outcome{Code: 1, Stderr: []byte("no more")}
		}
		return nil
	}
	got := libcost(context.Background(), m, "run", "-bench", "Strlen/size=64/", "-rounds", "12", "-layouts", "6", "-results", dir, "gnu")
	assert.Equal(t, exitShort, got.code, got.stdout+got.stderr)
	run := readRun(t, dir)
	require.Len(t, run.Manifest.Variants, 1)
	builds := append([]string{run.Manifest.Variants[0].Build}, run.Manifest.Variants[0].Builds...)
	require.Len(t, builds, 6)
	for i, b := range builds {
		assert.NotContains(t, builds[:i], b)
	}
	layouts := map[int]int{}
	for _, s := range run.Samples {
		layouts[s.Layout]++
	}
	assert.Len(t, layouts, 6)
	for _, c := range []string{"5", "0", "65", "-1"} {
		assert.Equal(t, exitUsage, libcost(context.Background(), m, "run", "-layouts", c, "gnu").code, c)
	}
}

// Where there is no terminal, a long way says how far it got.
func TestTenths(t *testing.T) {
	var out bytes.Buffer
	progress := tenths(&out, 1000)
	for n := range 1001 {
		progress(n)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 9)
	for i, line := range lines {
		assert.Contains(t, line, fmt.Sprintf("%d %%, ", 10*(i+1)))
	}
	out.Reset()
	for n := range 100 {
		tenths(&out, 99)(n)
	}
	assert.Empty(t, out.String())
}

// A row of a part that both builds have holds by its estimate alone: a wide
// interval is no agreement, and a fast row may differ by 0.3 ns.
func TestNeutralIsByTheEstimate(t *testing.T) {
	row := results.Row{Row: variant.Row{Room: "memops", Name: "Memcpy/size=64"}}
	for what, c := range map[string]struct {
		base, off, scatter float64
		want               accept.Answer
	}{
		"equal":             {100, 0, 0, accept.Holds},
		"within 3 %":        {100, 2, 0, accept.Holds},
		"beyond 3 %":        {100, 8, 0, accept.Misses},
		"beyond, and noisy": {100, 8, 15, accept.Misses},
		"0.2 ns of 2":       {2, 0.2, 0, accept.Holds},
	} {
		series := func(v string, off float64) compare.Series {
			s := compare.Series{Row: row.Key(), Unit: "ns/op", Variant: v, Values: map[int]float64{}}
			for round := range 20 {
				noise := c.scatter * float64(round%2*2-1)
				s.Values[round] = c.base + off
				if off > 0 {
					s.Values[round] += noise
				}
			}
			return s
		}
		in := compare.Input{Series: []compare.Series{series("gnu+memops", 0), series("musl+memops", c.off)}}
		f := neutral(in, "memops", []string{"gnu+memops", "musl+memops"}, row, nil)
		assert.Equal(t, c.want, f.Answer, "%s: %s", what, f.Measured)
	}
}
