package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"libcost/internal/results"
	"libcost/internal/runner"
)

// TestQuickRun measures for real, in two rounds, and looks at all that is
// written. What the times are, it does not ask.
func TestQuickRun(t *testing.T) {
	needsQuiet(t)
	dir := t.TempDir()
	got := libcost(context.Background(), runner.Processes{}, "run", "-set", "quick", "-rounds", "2", "-results", dir, "gnu", "musl")
	require.Zero(t, got.code, "%s%s", got.stderr, got.stdout)
	run := readRun(t, dir)
	orderOf(t, run)

	assert.Contains(t, got.stderr, " x 2 variants (+")
	assert.Contains(t, got.stdout, "quick: sees about 15 %, not for decisions\n")
	assert.Contains(t, got.stdout, "musl against gnu, both static, same gcc ")
	assert.Contains(t, got.stdout, "as deployed: musl against gnu-dynamic, static against dynamic, same gcc ")
	assert.Contains(t, got.stdout, "\n  all rows:  make compare RUN="+dir+"/2")
	assert.Contains(t, got.stdout, "\n  benchstat: go tool benchstat "+dir+"/2")

	entries, err := os.ReadDir(run.Dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"counts.json", "gnu-dynamic.txt", "gnu.copy.txt", "gnu.txt", "hist", "manifest.json", "musl.txt", "samples.jsonl"}, names)

	lines := map[string]map[string][]int{"gnu": benchmarkLines(t, run, "gnu"), "musl": benchmarkLines(t, run, "musl")}
	quick := 0
	for _, row := range run.Manifest.Rows {
		key := row.Key()
		if row.Skipped != "" {
			t.Logf("skipped %s: %s", key, row.Skipped)
			continue
		}
		quick++
		for _, v := range []string{"gnu", "musl"} {
			assert.Equal(t, []int{row.N[v], row.N[v]}, lines[v][key], "%s in %s.txt", key, v)
		}
		if row.SameN {
			for v, n := range row.N {
				assert.Equal(t, row.N["gnu"], n, "%s, %s", key, v)
			}
		}
	}
	assert.Greater(t, quick, 15)

	digests := map[string]string{}
	for _, s := range run.Samples {
		require.Equal(t, results.OK, s.Status, s.Error)
		work := fmt.Sprint(s.Row, s.N)
		if digests[work] == "" {
			digests[work] = s.Result.Digest
		}
		assert.Regexp(t, "^[0-9a-f]{16}$", s.Result.Digest)
		assert.Equal(t, digests[work], s.Result.Digest, work)
		assert.Positive(t, s.WallNS)
	}
	t.Run("benchstat", func(t *testing.T) { benchstat(t, run) })
}

// benchmarkLines are the ops of each line of a benchmark file, by row.
func benchmarkLines(t *testing.T, run *results.Run, variant string) map[string][]int {
	t.Helper()
	f, err := os.Open(filepath.Join(run.Dir, variant+".txt"))
	require.NoError(t, err)
	defer f.Close()
	lines := map[string][]int{}
	r := benchfmt.NewReader(f, f.Name())
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			key := strings.TrimPrefix(rec.GetConfig("pkg"), "libcost/") + "/" + string(rec.Name)
			lines[key] = append(lines[key], rec.Iters)
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	require.NoError(t, r.Err())
	return lines
}

// benchstat reads both files as they are and has a pair for each row.
func benchstat(t *testing.T, run *results.Run) {
	cmd := exec.Command("go", "tool", "benchstat", "-format", "csv", filepath.Join(run.Dir, "gnu.txt"), filepath.Join(run.Dir, "musl.txt"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	assert.NotContains(t, string(out), "vary", "configuration splits the tables")
	r := csv.NewReader(bytes.NewReader(out))
	r.FieldsPerRecord = -1
	paired, units := map[string]bool{}, ""
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if len(record) > 3 && record[0] == "" && strings.HasSuffix(record[1], "/op") {
			units = record[1] // sec/op,CI,sec/op,CI,vs base,P
		}
		if len(record) > 3 && units == "sec/op" && record[0] != "" && record[0] != "geomean" {
			paired[record[0]] = record[1] != "" && record[3] != ""
		}
	}
	for _, row := range run.Manifest.Rows {
		if row.Skipped == "" {
			assert.True(t, paired[row.Name], "%s is not paired", row.Key())
		}
	}
}

// Where files can't be made, their rows are left out and told; the rest is
// measured.
func TestRunWhereNoFileCanBe(t *testing.T) {
	needsQuiet(t)
	dir := t.TempDir()
	got := libcost(context.Background(), runner.Processes{}, "run", "-bench", few, "-rounds", "1", "-dir", "/proc", "-results", dir, "gnu", "musl")
	assert.Equal(t, exitShort, got.code)
	assert.Contains(t, got.stdout, "skipped fsync/Sync/size=4096/by=fdatasync/file=zeros/threads=1: gnu: fsync: Sync/size=4096/by=fdatasync/file=zeros/threads=1: set up in DIR: no such file or directory\n")
	run := readRun(t, dir)
	orderOf(t, run)
	assert.NotEmpty(t, run.Samples)
	for _, s := range run.Samples {
		assert.Equal(t, results.OK, s.Status, s.Error)
		assert.NotContains(t, s.Row, "fsync/")
	}
}

// Ctrl-C keeps every whole sample, a second run does not start meanwhile, and
// -resume makes of it the run that was planned.
func TestInterrupt(t *testing.T) {
	needsQuiet(t)
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := &exec.Cmd{Path: self, Args: []string{"libcost", "run", "-bench", "^cgo/Empty$", "-rounds", "4", "-results", dir, "gnu", "musl"}}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	defer cmd.Process.Kill()
	record := filepath.Join(dir, "latest", "samples.jsonl")
	require.Eventually(t, func() bool { return countLines(record) >= 3 }, 3*time.Minute, 5*time.Millisecond, "%s", &stderr)

	second := libcost(context.Background(), runner.Processes{}, "run", "-results", dir, "gnu", "musl")
	assert.Equal(t, exitShort, second.code)
	assert.Contains(t, second.stderr, "another run is going on")

	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	err = cmd.Wait()
	require.Equal(t, exitShort, cmd.ProcessState.ExitCode(), "%v\n%s", err, &stderr)
	run := readRun(t, dir)
	assert.Empty(t, run.Warnings)
	assert.GreaterOrEqual(t, len(run.Samples), 3)
	assert.Contains(t, stderr.String(), fmt.Sprintf("stopped: %d samples kept; go on with: bin/libcost run -resume %s/2", len(run.Samples), dir))
	assert.Empty(t, stdout.String())

	rest := libcost(context.Background(), runner.Processes{}, "run", "-resume", filepath.Join(dir, "latest"))
	assert.Zero(t, rest.code, rest.stderr)
	orderOf(t, readRun(t, dir))
}

func countLines(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
	}
	return n
}
