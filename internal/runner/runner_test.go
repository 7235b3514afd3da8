package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/plan"
	"libcost/internal/results"
	"libcost/internal/variant"
)

// Each sample runs the build that the plan says.
func TestRunTakesTheLayoutsBuild(t *testing.T) {
	r, f := newFake(well)
	for _, v := range []string{"gnu", "musl"} {
		r.Builds[v] = append(r.Builds[v], &variant.Built{Variant: variant.Variant{Name: v}, Dir: "/b/" + v + "-moved"})
	}
	a := row("alloc", "A", nil)
	samples := plan.Order([]plan.Row{{Key: a.Key(), Variants: a.Variants, Rounds: 2, Layouts: 2}}, 2, 1)
	var to memory
	require.NoError(t, r.Run(context.Background(), results.Manifest{Rows: []results.Row{a}, Layouts: 2}, samples, nil, &to, quiet))
	var ran []string
	for _, c := range f.commands {
		ran = append(ran, c.variant())
	}
	assert.ElementsMatch(t, []string{"gnu", "musl", "gnu-moved", "musl-moved"}, ran)
	for i, s := range to.samples {
		assert.Equal(t, strings.HasSuffix(ran[i], "-moved"), s.Layout == 1)
	}
	// What is done is not done again.
	ran = nil
	require.NoError(t, r.Run(context.Background(), results.Manifest{Rows: []results.Row{a}, Layouts: 2}, samples, to.samples[:3], &to, quiet))
	assert.Len(t, f.commands, 5)
}

// What a sample sees, whole: its binary, its arguments, an environment with
// nothing of the user's in it, its CPU.
func TestSampleCommand(t *testing.T) {
	for _, c := range []struct {
		row     results.Row
		variant string
		want    Command
	}{
		{row("alloc", "Pair/size=64/threads=1", nil), "gnu",
			Command{Path: "/b/gnu/alloc.test", Args: []string{"-sample", "Pair/size=64/threads=1", "-dir", "/files", "-test.benchtime=40x"}, Env: []string{"GOMAXPROCS=1"}, CPU: 7}},
		{row("syscalls", "Mutex/threads=16", func(r *results.Row) { r.Threads = 16 }), "musl",
			Command{Path: "/b/musl/syscalls.test", Args: []string{"-sample", "Mutex/threads=16", "-dir", "/files", "-test.benchtime=40x"}, Env: []string{"GOMAXPROCS=1"}, CPU: -1}},
		{row("alloc", "Pair/proc=plain", func(r *results.Row) { r.Plain = true }), "own",
			Command{Path: "/b/own/alloc.plain", Args: []string{"-sample", "Pair/proc=plain", "-dir", "/files", "-n", "40"}, Env: []string{"GOMAXPROCS=1", "A=1", "B=2"}, CPU: 7}},
	} {
		t.Setenv("MALLOC_ARENA_MAX", "1")
		r, f := newFake(well)
		s := r.Sample(context.Background(), c.row.Row, c.variant, 0, 40)
		c.want.Timeout = 30 * time.Second
		assert.Equal(t, []Command{c.want}, f.commands)

		line, _, _ := strings.Cut(printed(c.row.Name, 40, 400), "\n")
		assert.Equal(t, results.Sample{
			Row: c.row.Key(), Variant: c.variant, N: 40, Start: time.Unix(1e9, 0).UTC(), WallNS: 1000400, CPU: c.want.CPU, Status: results.OK,
			Line: line, Result: &results.Result{N: 40, ElapsedNS: 400, CPUNS: 5, RunDelayNS: -1, Digest: "d40"},
		}, s)
	}
}

// Every way in which a sample can end. None but a whole result gives a number.
func TestSampleStatus(t *testing.T) {
	const name = "Pair/size=64"
	good := printed(name, 40, 400)
	line, jsonLine, _ := strings.Cut(good, "\n")
	said := func(text string) Outcome { return Outcome{Stdout: []byte(text)} }
	for what, c := range map[string]struct {
		out    Outcome
		status results.Status
		error  string
	}{
		"well":               {said(good), results.OK, ""},
		"its own words":      {Outcome{Code: 1, Stdout: []byte(`{"error":"alloc: Pair: run: cannot allocate memory"}` + "\n")}, results.Failed, "alloc: Pair: run: cannot allocate memory"},
		"words with a place": {Outcome{Code: 1, Stdout: []byte(`{"error":"fsync: Sync: set up in /files/x: no space left on device"}` + "\n")}, results.Failed, "fsync: Sync: set up in DIR/x: no space left on device"},
		"a Go panic":         {Outcome{Code: 2, Stderr: []byte("panic: no\n\ngoroutine 1\n")}, results.Failed, "panic: no"},
		"without a word":     {Outcome{Code: 9}, results.Failed, "exit code 9 without a word"},
		"a flood of words":   {Outcome{Code: 1, Stderr: []byte(strings.Repeat("x", 5000))}, results.Failed, strings.Repeat("x", 300)},
		"not to be started":  {Outcome{Err: errors.New("fork/exec x: no such file or directory")}, results.Failed, "fork/exec x: no such file or directory"},
		"lacking":            {Outcome{Code: 3, Stdout: []byte(`{"error":"fsync: no O_DIRECT"}` + "\n")}, results.Lacking, "fsync: no O_DIRECT"},
		"a signal":           {Outcome{Code: -1, Signal: syscall.SIGSEGV, Stdout: []byte(good)}, results.Crashed, "killed by segmentation fault (signal 11)"},
		"hung in futex":      {Outcome{Code: -1, Hung: true, Doing: "blocked in futex", Stdout: []byte(good)}, results.Hung, "no answer in 30s, blocked in futex"},
		"hung somewhere":     {Outcome{Code: -1, Hung: true}, results.Hung, "no answer in 30s, blocked in an unknown place"},
		"a failure too late": {Outcome{Code: 1, Stdout: []byte(good), Stderr: []byte("free(): invalid pointer")}, results.Failed, "free(): invalid pointer"},

		"nothing":             {said(""), results.Garbled, `printed no result of two lines: ""`},
		"binary garbage":      {said("\x00\xff\x1b[2J\n"), results.Garbled, `printed no result of two lines: "\x00\xff\x1b[2J\n"`},
		"a torn line":         {said(good[:len(good)-1]), results.Garbled, fmt.Sprintf("printed no result of two lines: %.80q", good)},
		"one line of two":     {said(line + "\n"), results.Garbled, fmt.Sprintf("printed no result of two lines: %q", line+"\n")},
		"two benchmark lines": {said(line + "\n" + good), results.Garbled, fmt.Sprintf("printed no result of two lines: %.80q", line+"\n"+good)},
		"two results":         {said(good + jsonLine), results.Garbled, fmt.Sprintf("printed no result of two lines: %.80q", good+jsonLine)},
		"something besides":   {said("warning\n" + good), results.Garbled, fmt.Sprintf("printed no result of two lines: %.80q", "warning\n"+good)},
		"no JSON":             {said(line + "\nPASS\n"), results.Garbled, "printed no JSON: invalid character 'P' looking for beginning of value"},
		"JSON and more":       {said(line + "\n" + strings.TrimSpace(jsonLine) + "}\n"), results.Garbled, "printed no JSON: invalid character '}' after top-level value"},
		"an error after all":  {said(line + "\n" + `{"error":"no"}` + "\n"), results.Garbled, `printed no result: "{\"error\":\"no\"}"`},
		"no benchmark":        {said("Benchmark\n" + jsonLine), results.Garbled, `printed no benchmark line: "Benchmark"`},
		"another row":         {said(printed("Pair/size=32", 40, 400)), results.Garbled, `is "Pair/size=32"`},
		"a suffix of procs":   {said(printed(name+"-2", 40, 400)), results.Garbled, `is "Pair/size=64-2"`},
		"another n":           {said(printed(name, 41, 400)), results.Garbled, "ran 41 ops, asked for 40"},
		"another n in JSON":   {said(strings.Replace(good, `"n":40`, `"n":41`, 1)), results.Garbled, "ran 41 ops by its JSON, asked for 40"},
		"no time":             {said(printed(name, 40, 0)), results.Garbled, "took 0 ns"},
		"a time before":       {said(printed(name, 40, -3)), results.Garbled, "took -3 ns"},
	} {
		t.Run(what, func(t *testing.T) {
			r, _ := newFake(func(Command) Outcome { return c.out })
			s := r.Sample(context.Background(), row("alloc", name, nil).Row, "gnu", 0, 40)
			assert.Equal(t, c.status, s.Status)
			assert.Equal(t, c.error, s.Error)
			assert.Equal(t, c.status == results.OK, s.Result != nil)
			assert.Equal(t, c.status == results.OK, s.Line != "")
		})
	}
}

// newRun is a run of four rows, planned.
func newRun() (results.Manifest, []plan.Sample) {
	m := results.Manifest{Rounds: 3, Rows: []results.Row{
		row("alloc", "Pair/size=64", nil),
		row("alloc", "Replace/threads=8", func(r *results.Row) { r.Threads = 8 }),
		row("fsync", "Append/size=4096", func(r *results.Row) { r.Skipped = "gnu: no" }),
		row("memops", "Memcpy/size=1", func(r *results.Row) { r.Variants = []string{"gnu", "own", "musl"} }),
	}}
	var rows []plan.Row
	for i := range m.Rows {
		m.Rows[i].Rounds = 3
		rows = append(rows, plan.Row{Key: m.Rows[i].Key(), Variants: m.Rows[i].Variants, Rounds: 3})
	}
	return m, plan.Order(rows, 3, 1)
}

func TestRunFollowsThePlan(t *testing.T) {
	m, samples := newRun()
	r, f := newFake(well)
	var to memory
	var progress []int
	require.NoError(t, r.Run(context.Background(), m, samples, nil, &to, func(n int) { progress = append(progress, n) }))

	var want, got, ran []string
	for seq, p := range samples {
		if p.Row != "fsync/Append/size=4096" { // skipped in calibration
			want = append(want, fmt.Sprint(seq, p))
		}
	}
	for i, s := range to.samples {
		got = append(got, fmt.Sprint(s.Seq, plan.Sample{Round: s.Round, Row: s.Row, Variant: s.Variant}))
		c := f.commands[i]
		ran = append(ran, fmt.Sprint(s.Seq, plan.Sample{Round: s.Round, Row: strings.Split(filepath.Base(c.Path), ".")[0] + "/" + c.row(), Variant: c.variant()}))
		assert.Equal(t, map[string]int{"gnu": 100, "musl": 200, "own": 300}[s.Variant], c.n())
		assert.Equal(t, results.OK, s.Status, s.Error)
	}
	assert.Equal(t, want, got)
	assert.Equal(t, want, ran)
	assert.Len(t, f.commands, len(want))

	require.Len(t, progress, len(samples)+1)
	for i, n := range progress {
		assert.Equal(t, i, n)
	}
}

func TestRunGoesOnAfterASampleThatFails(t *testing.T) {
	m, samples := newRun()
	r, _ := newFake(func(c Command) Outcome {
		if c.variant() == "musl" {
			return Outcome{Code: -1, Signal: syscall.SIGSEGV}
		}
		return well(c)
	})
	var to memory
	require.NoError(t, r.Run(context.Background(), m, samples, nil, &to, quiet))
	status := map[results.Status]int{}
	for _, s := range to.samples {
		status[s.Status]++
	}
	assert.Equal(t, map[results.Status]int{results.Crashed: 9, results.OK: 12}, status)
}

// ids are what the plan says of samples, not what the machine did meanwhile.
func ids(samples []results.Sample) []string {
	ids := []string{}
	for _, s := range samples {
		ids = append(ids, fmt.Sprint(s.Seq, s.Round, s.Row, s.Variant, s.N))
	}
	return ids
}

// A run that was interrupted after any number of samples and goes on is the
// run that was not.
func TestRunResumes(t *testing.T) {
	m, samples := newRun()
	var all memory
	r, _ := newFake(well)
	require.NoError(t, r.Run(context.Background(), m, samples, nil, &all, quiet))
	for n := range len(all.samples) + 1 {
		// Failed ones are done as well: a hang would hang again.
		done := append([]results.Sample{}, all.samples[:n]...)
		for i := range done {
			done[i].Status, done[i].Result = results.Hung, nil
		}
		var rest memory
		r, f := newFake(well)
		require.NoError(t, r.Run(context.Background(), m, samples, done, &rest, quiet))
		assert.Equal(t, ids(all.samples), append(ids(done), ids(rest.samples)...), "after %d", n)
		assert.Len(t, f.commands, len(all.samples)-n)
	}
}

func TestRunEndsWhenASampleCanNotBeKept(t *testing.T) {
	m, samples := newRun()
	r, f := newFake(well)
	full := errors.New("no space left on device")
	to := memory{fail: full, room: 3}
	assert.Equal(t, full, r.Run(context.Background(), m, samples, nil, &to, quiet))
	assert.Len(t, f.commands, 4)
}

// Ctrl-C: what landed stays, the sample that it interrupted is none.
func TestRunCancelled(t *testing.T) {
	m, samples := newRun()
	for _, at := range []int{1, 5, 21} {
		ctx, cancel := context.WithCancel(context.Background())
		r, f := newFake(nil)
		f.answer = func(c Command) Outcome {
			if len(f.commands) == at {
				cancel()
				return Outcome{Err: context.Canceled}
			}
			return well(c)
		}
		var to memory
		assert.ErrorIs(t, r.Run(ctx, m, samples, nil, &to, quiet), context.Canceled)
		assert.Len(t, to.samples, at-1)
		assert.Len(t, f.commands, at)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, f := newFake(well)
	assert.ErrorIs(t, r.Run(ctx, m, samples, nil, &memory{}, quiet), context.Canceled)
	assert.Empty(t, f.commands, "cancelled before it began")
}

// The same ops are the same work in every variant, or their times are not to
// be compared.
func TestRunComparesDigests(t *testing.T) {
	m := results.Manifest{Rows: []results.Row{row("alloc", "Pair", func(r *results.Row) { r.N = map[string]int{"gnu": 100, "musl": 100} })}}
	other := func(c Command) Outcome { return otherWork(c, "musl") }
	gnu, musl := plan.Sample{Row: "alloc/Pair", Variant: "gnu"}, plan.Sample{Row: "alloc/Pair", Variant: "musl"}
	later := plan.Sample{Round: 1, Row: "alloc/Pair", Variant: "musl"}

	r, _ := newFake(other)
	var to memory
	require.NoError(t, r.Run(context.Background(), m, []plan.Sample{gnu, musl, later}, nil, &to, quiet))
	require.Len(t, to.samples, 3)
	assert.Equal(t, results.OK, to.samples[0].Status)
	for _, s := range to.samples[1:] {
		assert.Equal(t, results.Differs, s.Status)
		assert.Equal(t, "100 ops are other work than in gnu: digest other, there d100", s.Error)
		assert.Nil(t, s.Result)
		assert.Empty(t, s.Line)
	}

	// What was done before a resume counts.
	r, _ = newFake(other)
	var rest memory
	require.NoError(t, r.Run(context.Background(), m, []plan.Sample{gnu, musl}, to.samples[:1], &rest, quiet))
	require.Len(t, rest.samples, 1)
	assert.Equal(t, results.Differs, rest.samples[0].Status)

	// Other ops are other work.
	m.Rows[0].N["musl"] = 200
	r, _ = newFake(well)
	to = memory{}
	require.NoError(t, r.Run(context.Background(), m, []plan.Sample{gnu, musl, later}, nil, &to, quiet))
	for _, s := range to.samples {
		assert.Equal(t, results.OK, s.Status)
	}
}

// Steal is of the sample's CPU alone, since the sample before.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	steal := func(cpu0, cpu1 int) {
		stat := fmt.Sprintf("cpu  0 0 0 0 0 0 0 %d 0 0\ncpu0 0 0 0 0 0 0 0 %d 0 0\ncpu1 0 0 0 0 0 0 0 %d 0 0\n", cpu0+cpu1, cpu0, cpu1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "stat"), []byte(stat), 0o666))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "loadavg"), []byte("1.25 0 0 1/100 42\n"), 0o666))
	fs, err := procfs.NewFS(dir)
	require.NoError(t, err)
	w := &watch{fs: fs, ok: true}

	steal(1000, 2000)
	w.since(-1)
	steal(1003, 2010)
	ticks, load := w.since(1)
	assert.Equal(t, int64(10), ticks)
	assert.Equal(t, 1.25, load)
	steal(1004, 2030)
	ticks, _ = w.since(-1)
	assert.Equal(t, int64(21), ticks)
	ticks, _ = w.since(0)
	assert.Zero(t, ticks)
}
