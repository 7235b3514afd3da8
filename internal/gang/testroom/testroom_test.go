package testroom

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/gang"
)

func row(t *testing.T, name string) gang.Row {
	t.Helper()
	for _, r := range Kernels.Rows() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no row %s", name)
	return gang.Row{}
}

func TestRowsAreTheGridsCombinations(t *testing.T) {
	var names []string
	for _, r := range Kernels.Rows() {
		if strings.HasPrefix(r.Name, "Shape/shape=shared") {
			names = append(names, strings.TrimPrefix(r.Name, "Shape/shape=shared/"))
		}
	}
	assert.Equal(t, []string{
		"threads=1/place=spread", "threads=1/place=same", "threads=2/place=spread", "threads=2/place=same",
		"threads=3/place=spread", "threads=3/place=same", "threads=7/place=spread", "threads=7/place=same",
	}, names)
}

func TestRowCarriesTheTablesLine(t *testing.T) {
	r := row(t, "Bytes/size=4096/proc=plain")
	assert.True(t, r.Plain && r.Curve && r.SameN && r.Control && r.Disk)
	assert.False(t, r.Latency || r.Usual || r.Quick || r.Summary)
	assert.Equal(t, uint64(4096), r.Need)
	assert.Equal(t, "one of each flag", r.About)
	assert.Equal(t, "https://example.org/report", r.Source)
	assert.Equal(t, 1, r.Threads)
	for _, r := range Kernels.Rows() {
		if !strings.HasPrefix(r.Name, "Shape/shape=shared") {
			continue
		}
		quick := strings.HasSuffix(r.Name, "/place=same") && (r.Threads == 2 || r.Threads == 7)
		assert.Equal(t, quick, r.Quick, r.Name)
		assert.True(t, r.Summary, r.Name)
	}
}

// Every seat sits once and gets its share, whatever the number of ops; the
// kernels' own check looks at it.
func TestOpsAreSharedOut(t *testing.T) {
	for _, r := range Kernels.Rows() {
		if strings.HasPrefix(r.Name, "Fail/") || strings.HasPrefix(r.Name, "Lacks/") || strings.HasPrefix(r.Name, "Phases/timed=none") {
			continue
		}
		for _, n := range []int{r.Threads, 8, 1000, 1001} {
			got, err := Kernels.Run(r, n, ".")
			require.NoError(t, err, "%s, %d ops", r.Name, n)
			assert.Equal(t, n, got.N)
			assert.Positive(t, got.ElapsedNS, r.Name)
		}
	}
	assert.Zero(t, Left())
}

func TestLatencyRowsHaveQuantilesWhereTenOpsLieAbove(t *testing.T) {
	r := row(t, "Shape/shape=latency/threads=2")
	for n, want := range map[int][]bool{19: {false, false, false, false}, 100: {true, true, false, false}, 1000: {true, true, true, false}, 10000: {true, true, true, true}} {
		got, err := Kernels.Run(r, n, ".")
		require.NoError(t, err)
		require.Len(t, got.Quantiles, len(gang.Quantiles))
		for i, q := range got.Quantiles {
			assert.Equal(t, want[i], q > 0, "%s of %d ops", gang.Quantiles[i], n)
		}
		assert.Positive(t, got.MaxNS)
		assertHistogram(t, got, n)
	}
	got, err := Kernels.Run(row(t, "Value/threads=1"), 100, ".")
	require.NoError(t, err)
	assert.Nil(t, got.Histogram)
}

// assertHistogram sees that the buckets hold each op once, in order, and agree
// with the longest op.
func assertHistogram(t *testing.T, r gang.Result, n int) {
	t.Helper()
	var ops, last int64 = 0, -1
	for _, bucket := range r.Histogram {
		assert.Greater(t, bucket[0], last)
		assert.Positive(t, bucket[1])
		ops, last = ops+bucket[1], bucket[0]
	}
	assert.EqualValues(t, n, ops)
	assert.LessOrEqual(t, r.MaxNS, last)
	assert.GreaterOrEqual(t, r.MaxNS, last-last/128)
}

// A loop in Go runs with its row's GOMAXPROCS, which ends with it; what is
// counted is the whole process's.
func TestProcs(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	for procs := range map[int]bool{1: true, 3: true} {
		r := row(t, fmt.Sprintf("Loop/procs=%d", procs))
		assert.Equal(t, procs, r.Threads, "it must not be pinned to one CPU")
		got, err := Kernels.Run(r, 5, ".")
		require.NoError(t, err)
		assert.Positive(t, got.CPUNS)
		assert.EqualValues(t, -1, got.RunDelayNS)
	}
	assert.Equal(t, before, runtime.GOMAXPROCS(0))
}

// What a row lacks is told in its table's words, with what would help.
func TestLacksInWords(t *testing.T) {
	dir := t.TempDir()
	_, err := Kernels.Run(row(t, "Lacks/size=1"), 5, dir)
	assert.Regexp(t, "^testroom: Lacks/size=1: set up in "+regexp.QuoteMeta(dir)+`: O_DIRECT not supported on [a-z0-9 ]+ \(DIR=a directory on a disk\)$`, err)
	var run *gang.RunError
	require.ErrorAs(t, err, &run)
	assert.True(t, run.Lacking())
}

// A row that fails says where, frees its state, and leaves no thread waiting.
func TestFailuresNameThePhase(t *testing.T) {
	for phase, fails := range map[string]string{"new": "set up", "sit": "set up", "op": "run", "check": "check"} {
		for _, threads := range []int{1, 4} {
			r := row(t, fmt.Sprintf("Fail/fail=%s/threads=%d", phase, threads))
			_, err := Kernels.Run(r, 100, ".")
			var run *gang.RunError
			require.ErrorAs(t, err, &run, r.Name)
			assert.Equal(t, fails, run.Phase, r.Name)
			assert.False(t, run.Lacking(), r.Name)
			if phase == "check" {
				assert.ErrorContains(t, err, "check: the ops did not do what they should have done")
			} else {
				assert.ErrorIs(t, err, syscall.ERANGE, r.Name)
			}
			assert.Zero(t, Left(), r.Name)
		}
	}
}

func TestLacking(t *testing.T) {
	for _, c := range []struct {
		phase   string
		errno   syscall.Errno
		lacking bool
	}{
		{"start thread", syscall.EAGAIN, true}, // more threads than allowed
		{"start thread", syscall.EINVAL, false},
		{"set up", syscall.EOPNOTSUPP, true}, // O_DIRECT on a file system without it
		{"set up", syscall.ENOSPC, false},
		{"set up", syscall.EROFS, false},
		{"run", syscall.EAGAIN, false},
		{"open a counter", syscall.EACCES, true},
	} {
		err := &gang.RunError{Room: "r", Row: "x", Phase: c.phase, Errno: c.errno}
		assert.Equal(t, c.lacking, err.Lacking(), "%v", err)
	}
	err := &gang.RunError{Room: "fsync", Row: "Sync", Phase: "set up", Dir: "d", Errno: syscall.ENOSPC}
	assert.EqualError(t, err, "fsync: Sync: set up in d: no space left on device")
	assert.True(t, errors.Is(err, syscall.ENOSPC))
}

// A value is asked for after the ops, and printed beside the time.
func TestValueOfARow(t *testing.T) {
	r := row(t, "Value/threads=1")
	assert.Equal(t, "things", r.Unit)
	result, err := Kernels.Run(r, 7, t.TempDir())
	require.NoError(t, err)
	require.NotNil(t, result.Value)
	assert.Equal(t, 7.5, *result.Value)

	result, err = Kernels.Run(row(t, "Shape/shape=together/threads=3"), 7, t.TempDir())
	require.NoError(t, err)
	assert.Nil(t, result.Value)
}

// Only what lies between gang_resume and gang_pause is timed: all threads
// count, and one of a row that never resumes takes no time at all.
func TestPhasesAreTimedAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		some bool
	}{{"Phases/timed=none/threads=1", false}, {"Phases/timed=none/threads=3", false}, {"Phases/timed=some/threads=1", true}, {"Phases/timed=some/threads=3", true}} {
		result, err := Kernels.Run(row(t, c.name), 3, t.TempDir())
		require.NoError(t, err)
		assert.Equal(t, c.some, result.ElapsedNS > 0, c.name)
		assert.Equal(t, c.some, result.CPUNS > 0, c.name)
	}
}
