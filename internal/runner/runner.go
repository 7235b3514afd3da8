// Package runner executes a plan: a fresh process a sample, pinned where the
// row has one thread, with a watchdog, its result written before the next one
// starts. What goes wrong with one sample is a finding; the run goes on.
package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/perf/benchfmt"

	"libcost/internal/plan"
	"libcost/internal/results"
	"libcost/internal/variant"
)

// ExitLacking is what a sample exits with whose row the machine can't run
// (gang.ExitLacking).
const ExitLacking = 3

// A Runner runs samples of built variants.
type Runner struct {
	Exec    Executor
	Builds  map[string][]*variant.Built // by variant name, one for each layout
	Dir     string                      // where rows with files put them
	Pin     int                         // CPU of single-thread rows
	DiskOps int                         // N of latency rows with files, at most
	Memory  uint64                      // bytes that are available; 0 is unknown
	Timeout time.Duration               // of one sample

	first map[work]results.Sample
	args  []string // of every sample
}

// A work is n ops of a row: on the same inputs, and so with the same digest, in
// every variant.
type work struct {
	row string
	n   int
}

// An Appender takes samples as they land.
type Appender interface{ Append(results.Sample) error }

// Run executes the plan's samples that are not in done. progress is called
// before each one with how many are behind it. A cancelled context ends the
// run between two samples; what landed stays.
func (r *Runner) Run(ctx context.Context, m results.Manifest, samples []plan.Sample, done []results.Sample, to Appender, progress func(int)) error {
	rows := map[string]results.Row{}
	for _, row := range m.Rows {
		rows[row.Key()] = row
	}
	have := map[plan.Sample]bool{}
	for _, s := range done {
		have[plan.Sample{Round: s.Round, Row: s.Row, Variant: s.Variant, Layout: s.Layout}] = true
		if s.Status == results.OK {
			r.differs(s)
		}
	}
	settled := newSettled(m)
	for _, s := range done {
		settled.add(s)
	}
	machine := newWatch()
	for seq, p := range samples {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress(seq)
		row := rows[p.Row]
		if have[p] || row.Skipped != "" || settled.skips(p) {
			continue
		}
		s := r.Sample(ctx, row.Row, p.Variant, p.Layout, row.N[p.Variant])
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Seq, s.Round = seq, p.Round
		s.StealTicks, s.Load = machine.since(s.CPU)
		if err := to.Append(s); err != nil {
			return err
		}
		settled.add(s)
	}
	progress(len(samples))
	return nil
}

// Sample runs n ops of a row in a fresh process of one of a variant's builds.
func (r *Runner) Sample(ctx context.Context, row variant.Row, name string, layout, n int) results.Sample {
	built := r.Builds[name][layout]
	c := Command{
		Path: built.Binary(row), CPU: -1, Timeout: r.Timeout,
		Args: append([]string{"-sample", row.Name, "-dir", r.Dir}, r.args...),
		// One P: a second one would put a suffix on names, and goroutines
		// that want more are rows of their own.
		// Nothing of the user's environment: a MALLOC_ARENA_MAX or an
		// LD_PRELOAD in it would be measured, and told to nobody.
		Env: append([]string{"GOMAXPROCS=1"}, built.Variant.Env...),
	}
	if row.Threads == 1 {
		c.CPU = r.Pin
	}
	if row.Plain {
		c.Args = append(c.Args, "-n", fmt.Sprint(n))
	} else {
		c.Args = append(c.Args, fmt.Sprintf("-test.benchtime=%dx", n))
	}
	out := r.Exec.Execute(ctx, c)
	s := results.Sample{Row: row.Key(), Variant: name, Layout: layout, N: n, Start: out.Start.UTC(), WallNS: out.Wall.Nanoseconds(), CPU: c.CPU}
	s.Status, s.Error = judge(out, r.Timeout)
	if r.Dir != "" {
		// A run's record may go to others, and the directory be somebody's.
		s.Error = strings.ReplaceAll(s.Error, r.Dir, "DIR")
	}
	if s.Status != results.OK {
		return s
	}
	if s.Line, s.Result, s.Error = parse(out.Stdout, row, n); s.Error != "" {
		s.Status = results.Garbled
	} else if s.Error = r.differs(s); s.Error != "" {
		s.Status = results.Differs
	}
	if s.Status != results.OK {
		s.Line, s.Result = "", nil
	}
	return s
}

// differs says how a sample's work differs from that of the first one with the
// same row and n, "" if it does not. Which of the two is wrong, nobody can say;
// their times are not to be compared.
func (r *Runner) differs(s results.Sample) string {
	if r.first == nil {
		r.first = map[work]results.Sample{}
	}
	w := work{s.Row, s.N}
	first, ok := r.first[w]
	if !ok {
		r.first[w] = s
		return ""
	}
	if first.Result.Digest == s.Result.Digest {
		return ""
	}
	return fmt.Sprintf("%d ops are other work than in %s: digest %s, there %s", s.N, first.Variant, s.Result.Digest, first.Result.Digest)
}

// judge says how a sample ended, and why if not well.
func judge(out Outcome, timeout time.Duration) (results.Status, string) {
	switch {
	case out.Err != nil:
		return results.Failed, out.Err.Error()
	case out.Hung:
		return results.Hung, fmt.Sprintf("no answer in %v, %s", timeout, cmp.Or(out.Doing, "blocked in an unknown place"))
	case out.Signal != 0:
		return results.Crashed, fmt.Sprintf("killed by %v (signal %d)", out.Signal, int(out.Signal))
	case out.Code == ExitLacking:
		return results.Lacking, said(out)
	case out.Code != 0:
		return results.Failed, said(out)
	}
	return results.OK, ""
}

// said is a failed sample's own words.
func said(out Outcome) string {
	for _, line := range bytes.Split(out.Stdout, []byte("\n")) {
		var answer struct{ Error string }
		if json.Unmarshal(line, &answer) == nil && answer.Error != "" {
			return answer.Error
		}
	}
	words := strings.TrimSpace(string(out.Stderr))
	if words == "" {
		return fmt.Sprintf("exit code %d without a word", out.Code)
	}
	first, _, _ := strings.Cut(words, "\n")
	return fmt.Sprintf("%.300s", first)
}

// parse reads a sample's output: the benchmark line and the line of JSON. Both
// must be there, whole, alone, and speak of this row and n.
func parse(stdout []byte, row variant.Row, n int) (line string, result *results.Result, wrong string) {
	lines := strings.Split(string(stdout), "\n")
	if len(lines) != 3 || lines[2] != "" {
		return "", nil, fmt.Sprintf("printed no result of two lines: %.80q", stdout)
	}
	line = lines[0]
	var answer struct{ Result *results.Result }
	if err := json.Unmarshal([]byte(lines[1]), &answer); err != nil {
		return "", nil, fmt.Sprintf("printed no JSON: %v", err)
	}
	if answer.Result == nil {
		return "", nil, fmt.Sprintf("printed no result: %.80q", lines[1])
	}
	reader := benchfmt.NewReader(strings.NewReader(line+"\n"), "sample")
	reader.Scan()
	got, ok := reader.Result().(*benchfmt.Result)
	switch {
	case !ok:
		return "", nil, fmt.Sprintf("printed no benchmark line: %.80q", line)
	case string(got.Name) != row.Name:
		return "", nil, fmt.Sprintf("is %.80q", got.Name)
	case got.Iters != n:
		return "", nil, fmt.Sprintf("ran %d ops, asked for %d", got.Iters, n)
	case answer.Result.N != n:
		return "", nil, fmt.Sprintf("ran %d ops by its JSON, asked for %d", answer.Result.N, n)
	case !answer.Result.Counts():
		return "", nil, fmt.Sprintf("has a histogram of less than %d ops", n)
	case answer.Result.ElapsedNS <= 0:
		return "", nil, fmt.Sprintf("took %d ns", answer.Result.ElapsedNS)
	}
	return line, answer.Result, ""
}

// A watch reads what else the machine did between two samples.
type watch struct {
	fs    procfs.FS
	ok    bool
	steal map[int64]float64
}

func newWatch() *watch {
	fs, err := procfs.NewDefaultFS()
	w := &watch{fs: fs, ok: err == nil}
	w.since(-1)
	return w
}

// ticksPerSecond is the unit of /proc/stat (USER_HZ), 100 on Linux.
const ticksPerSecond = 100

// since is the steal time of a CPU (-1: of all) since the last call, in ticks,
// and the load average now.
func (w *watch) since(cpu int) (steal int64, load float64) {
	if !w.ok {
		return 0, 0
	}
	stat, err := w.fs.Stat()
	if err != nil {
		return 0, 0
	}
	now := map[int64]float64{}
	for c, t := range stat.CPU {
		now[c] = t.Steal
		if cpu < 0 || int64(cpu) == c {
			steal += int64((t.Steal-w.steal[c])*ticksPerSecond + 0.5)
		}
	}
	w.steal = now
	if l, err := w.fs.LoadAvg(); err == nil {
		load = l.Load1
	}
	return steal, load
}
