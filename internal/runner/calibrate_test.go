package runner

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/results"
)

func TestCalibrate(t *testing.T) {
	type clock func(variant string, n int) time.Duration
	perOp := func(gnu, musl float64) clock {
		return func(v string, n int) time.Duration {
			return time.Duration(float64(n) * map[string]float64{"gnu": gnu, "musl": musl}[v])
		}
	}
	sameN := func(r *results.Row) { r.SameN = true }
	disk := func(r *results.Row) { r.Disk, r.Latency, r.SameN = true, true, true }
	for what, c := range map[string]struct {
		change    func(*results.Row)
		clock     clock
		gnu, musl int
		most      int // samples of both
	}{
		"stateless: each its own, for 40 ms":   {nil, perOp(10, 40), 4e6, 1e6, 6},
		"a state of n: the slowest's, for all": {sameN, perOp(10, 40), 2e6, 2e6, 6},
		"the slowest stands first":             {sameN, perOp(40, 10), 2e6, 2e6, 6},
		"two digits":                           {nil, perOp(33, 29), 1.2e6, 1.4e6, 6},
		"a disk, however slow":                 {disk, perOp(1e6, 1e3), 300, 300, 2},
		"slow ops":                             {nil, perOp(1e9, 7e6), 2, 6, 2},
		"as fast as can be":                    {nil, perOp(0.001, 1e-9), 1e9, 1e9, 8},
		"a time that does not grow":            {nil, func(string, int) time.Duration { return 1000 }, 1e9, 1e9, 8},
		"a time that shrinks":                  {nil, func(_ string, n int) time.Duration { return time.Duration(1e6/n + 1) }, 1e9, 1e9, 12},
	} {
		t.Run(what, func(t *testing.T) {
			r, f := newFake(func(cmd Command) Outcome {
				return took(cmd.row(), cmd.n(), max(1, c.clock(cmd.variant(), cmd.n())))
			})
			rows := []results.Row{row("alloc", "Pair", c.change)}
			require.NoError(t, r.Calibrate(context.Background(), rows, quiet, unexpected(t)))
			assert.Equal(t, map[string]int{"gnu": c.gnu, "musl": c.musl}, rows[0].N)
			assert.Empty(t, rows[0].Skipped)
			assert.LessOrEqual(t, len(f.commands), c.most)
			for _, cmd := range f.commands {
				assert.LessOrEqual(t, cmd.n(), int(maxOps))
				assert.True(t, !rows[0].Disk || cmd.n() == r.DiskOps, "asks a disk for %d", cmd.n())
			}
		})
	}
}

func unexpected(t *testing.T) func(results.Sample) {
	return func(s results.Sample) { t.Errorf("reported: %+v", s) }
}

// The first ops are the slowest: taken for all, they would make samples of a
// tenth of the time.
func TestCalibrateLooksAgain(t *testing.T) {
	clock := func(n int) float64 { return 3e6 + 10*float64(n) }
	r, _ := newFake(func(c Command) Outcome { return took(c.row(), c.n(), time.Duration(clock(c.n()))) })
	rows := []results.Row{row("alloc", "Pair", nil)}
	require.NoError(t, r.Calibrate(context.Background(), rows, quiet, unexpected(t)))
	for v, n := range rows[0].N {
		assert.InDelta(t, 25e6, clock(n), 15e6, v)
	}
}

// What a row of the run takes is known before it starts.
func TestCalibrateTellsTheCost(t *testing.T) {
	r, _ := newFake(func(c Command) Outcome { return took(c.row(), c.n(), time.Duration(10*c.n())) }) // and 1 ms a process
	rows := []results.Row{row("alloc", "Pair", nil)}
	require.NoError(t, r.Calibrate(context.Background(), rows, quiet, unexpected(t)))
	assert.Equal(t, 82*time.Millisecond, rows[0].Cost)
}

// A row that one variant can't run is run by none, and says why.
func TestCalibrateSkips(t *testing.T) {
	for what, c := range map[string]struct {
		out     Outcome
		skipped string
		lacking bool
	}{
		"failed":  {Outcome{Code: 1, Stdout: []byte(`{"error":"fsync: Append: set up in /proc: no such file or directory"}`)}, "musl: fsync: Append: set up in /proc: no such file or directory", false},
		"lacking": {Outcome{Code: 3, Stdout: []byte(`{"error":"fsync: Append: set up: O_DIRECT not supported"}`)}, "musl: fsync: Append: set up: O_DIRECT not supported", true},
		"crashed": {Outcome{Signal: syscall.SIGABRT}, "musl: killed by aborted (signal 6)", false},
		"hung":    {Outcome{Hung: true, Doing: "running"}, "musl: no answer in 30s, running", false},
		"garbled": {Outcome{}, `musl: printed no result of two lines: ""`, false},
	} {
		t.Run(what, func(t *testing.T) {
			r, f := newFake(func(cmd Command) Outcome {
				if cmd.variant() == "musl" && cmd.row() == "Append" {
					return c.out
				}
				return well(cmd)
			})
			bad := row("fsync", "Append", nil)
			bad.Variants = []string{"gnu", "musl", "own"}
			rows := []results.Row{row("alloc", "Pair", nil), bad, row("memops", "Memcpy", nil)}
			var reported []string
			var progress []int
			require.NoError(t, r.Calibrate(context.Background(), rows, func(n int) { progress = append(progress, n) },
				func(s results.Sample) { reported = append(reported, fmt.Sprint(s.Row, " ", s.Variant, " ", s.Status)) }))
			assert.Equal(t, c.skipped, rows[1].Skipped)
			assert.Equal(t, c.lacking, rows[1].Lacking)
			assert.Equal(t, []string{"fsync/Append musl " + what}, reported)
			for _, i := range []int{0, 2} {
				assert.Empty(t, rows[i].Skipped)
				assert.NotEmpty(t, rows[i].N)
			}
			assert.Equal(t, []int{0, 1, 2, 3}, progress)
			for _, cmd := range f.commands {
				assert.False(t, cmd.row() == "Append" && cmd.variant() == "own", "one refusal is enough")
			}
		})
	}
}

// Rows whose n differs are compared by digest here: every variant is asked for
// the same first hundred ops.
func TestCalibrateComparesDigests(t *testing.T) {
	r, _ := newFake(func(c Command) Outcome { return otherWork(c, "musl") })
	rows := []results.Row{row("memops", "Memcmp", nil)}
	var reported []results.Sample
	require.NoError(t, r.Calibrate(context.Background(), rows, quiet, func(s results.Sample) { reported = append(reported, s) }))
	assert.Equal(t, "musl: 100 ops are other work than in gnu: digest other, there d100", rows[0].Skipped)
	assert.False(t, rows[0].Lacking)
	require.Len(t, reported, 1)
	assert.Equal(t, results.Differs, reported[0].Status)
}

// Ctrl-C while calibrating is no finding about the row.
func TestCalibrateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, f := newFake(nil)
	f.answer = func(Command) Outcome {
		cancel()
		return Outcome{Err: context.Canceled}
	}
	rows := []results.Row{row("alloc", "Pair", nil), row("alloc", "Grow", nil)}
	assert.ErrorIs(t, r.Calibrate(ctx, rows, quiet, unexpected(t)), context.Canceled)
	assert.Empty(t, rows[0].Skipped)
	assert.Len(t, f.commands, 1)
}

func TestRound(t *testing.T) {
	for n, want := range map[float64]int{1: 1, 9.6: 10, 44: 44, 99.6: 100, 123: 120, 126: 130, 987654321: 990000000, 1e9: 1e9} {
		assert.Equal(t, want, round(n), "%g", n)
	}
}

// A row that takes more than half of what is available is not run at all, and
// the machine lacks it; one that takes just half is.
func TestCalibrateSkipsWhatDoesNotFit(t *testing.T) {
	r, f := newFake(well)
	r.Memory = 100e6
	rows := []results.Row{
		row("alloc", "Large", func(r *results.Row) { r.Need = 60e6 }),
		row("alloc", "Fits", func(r *results.Row) { r.Need = 50e6 }),
	}
	require.NoError(t, r.Calibrate(context.Background(), rows, quiet, func(results.Sample) {}))
	assert.Equal(t, "needs 60 MB, more than half of the 100 MB that are available", rows[0].Skipped)
	assert.True(t, rows[0].Lacking)
	assert.Empty(t, rows[1].Skipped)
	for _, c := range f.commands {
		assert.Equal(t, "Fits", c.row())
	}
	r.Memory = 0 // unknown
	require.NoError(t, r.Calibrate(context.Background(), rows[:1], quiet, func(results.Sample) {}))
	assert.NotEmpty(t, rows[0].N)
}

// A disk row makes as many ops as its quantiles need, where the slower variant
// does not take too long for them; the same in all.
func TestCalibrateDiskOps(t *testing.T) {
	for perOp, c := range map[time.Duration]struct{ most, n int }{
		100 * time.Microsecond:  {10000, 10000},
		260 * time.Microsecond:  {10000, 1000},
		8 * time.Millisecond:    {10000, 300},
		10 * time.Microsecond:   {300, 300},
		11 * time.Microsecond:   {50, 50},
		1500 * time.Microsecond: {1000, 1000},
	} {
		r, f := newFake(func(c Command) Outcome {
			took1 := time.Microsecond
			if c.variant() == "musl" {
				took1 = perOp
			}
			return took(c.row(), c.n(), time.Duration(c.n())*took1)
		})
		r.DiskOps = c.most
		rows := []results.Row{row("fsync", "Sync", func(r *results.Row) { r.Disk, r.Latency, r.SameN = true, true, true })}
		require.NoError(t, r.Calibrate(context.Background(), rows, quiet, unexpected(t)))
		assert.Equal(t, map[string]int{"gnu": c.n, "musl": c.n}, rows[0].N, perOp)
		assert.Len(t, f.commands, 2)
	}
}

// A disk row without quantiles runs as long as any other.
func TestCalibrateDiskWithoutQuantiles(t *testing.T) {
	r, _ := newFake(func(c Command) Outcome { return took(c.row(), c.n(), time.Duration(c.n())*time.Millisecond) })
	rows := []results.Row{row("fsync", "Commit", func(r *results.Row) { r.Disk, r.SameN = true, true })}
	require.NoError(t, r.Calibrate(context.Background(), rows, quiet, unexpected(t)))
	assert.Equal(t, map[string]int{"gnu": 80, "musl": 80}, rows[0].N)
}
