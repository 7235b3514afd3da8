package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"libcost/internal/host"
	"libcost/internal/plan"
	"libcost/internal/report"
	"libcost/internal/results"
	"libcost/internal/runner"
	"libcost/internal/variant"
)

// A campaign is one run, about to start or to go on.
type campaign struct {
	manifest results.Manifest
	samples  []plan.Sample
	done     []results.Sample
	counted  bool // the counting pass is behind it
	runner   *runner.Runner
	writer   *results.Writer
}

// start calibrates rows, shares out the rounds and makes the run's directory.
// Each row names its variants; rounds that it has already are kept.
func (a *app) start(ctx context.Context, f runFlags, built []*variant.Built, rows []results.Row) (*campaign, error) {
	dir, err := filesDir(f.dir, f.results)
	if err != nil {
		return nil, err
	}
	builds, err := a.layouts(built, f.layouts)
	if err != nil {
		return nil, err
	}
	m, err := newManifest(builds, rows, f, dir)
	if err != nil {
		return nil, err
	}
	s := &campaign{runner: a.newRunner(builds, m, dir)}
	progress, done := bar(a.stderr, len(rows), "calibrate")
	err = s.runner.Calibrate(ctx, m.Rows, progress, func(results.Sample) {})
	done()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.stderr, "\nstopped before the first sample: nothing to keep")
		return nil, errShort
	}
	if err != nil {
		return nil, err
	}
	giveRounds(&m, f)
	s.manifest = m
	s.samples = plan.Order(planRows(m), m.Rounds, m.Seed)
	s.writer, err = results.Create(f.results, m)
	return s, err
}

// filesDir is where rows put their files: as asked, or in the tree.
func filesDir(dir, resultsDir string) (string, error) {
	if dir == "" {
		dir = resultsDir
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil {
		return "", usagef("-dir: %w (mkdir -p %s)", err, dir)
	} else if !info.IsDir() {
		return "", usagef("-dir: %s is no directory", dir)
	}
	return dir, nil
}

// layouts gives each build its further layouts.
func (a *app) layouts(built []*variant.Built, n int) ([][]*variant.Built, error) {
	builds := make([][]*variant.Built, len(built))
	for i, b := range built {
		var err error
		if builds[i], err = a.builder().Layouts(b, n); err != nil {
			return nil, err
		}
	}
	return builds, nil
}

func newManifest(builds [][]*variant.Built, rows []results.Row, f runFlags, dir string) (results.Manifest, error) {
	facts, err := host.Read()
	if err != nil {
		return results.Manifest{}, err
	}
	disk, err := host.ReadDisk(dir)
	if err != nil {
		return results.Manifest{}, err
	}
	m := results.Manifest{
		Started: time.Now().UTC(), Seed: f.seed, Command: f.command, Set: f.set, Rounds: f.rounds, Layouts: f.layouts, Base: builds[0][0].Variant.Name,
		Host: facts, Disk: disk, Pin: facts.CPUs[len(facts.CPUs)-1], Timeout: f.timeout, Rows: rows,
	}
	for _, layouts := range builds {
		b := layouts[0]
		// Beside real variants; a null run compares it.
		if _, copied := variant.Original(b.Variant.Name); copied && len(builds) > 2 {
			m.Canary = b.Variant.Name
		}
		v := results.Variant{Name: b.Variant.Name, Build: b.Build, Layout: b.Variant.Layout, Compiler: b.Compiler, Env: withoutPaths(b.Variant.Env), Facts: b.Facts}
		for _, moved := range layouts[1:] {
			v.Builds = append(v.Builds, moved.Build)
		}
		m.Variants = append(m.Variants, v)
	}
	for i := range m.Rows {
		// Where an fsync is no disk's, libc's part in it shows.
		if m.Rows[i].Disk && disk.Caution != "" {
			m.Rows[i].Control = false
		}
	}
	return m, nil
}

// withoutPaths are settings of which a run's record may go to others.
func withoutPaths(env []string) []string {
	var kept []string
	for _, e := range env {
		if key, value, _ := strings.Cut(e, "="); strings.Contains(value, "/") {
			e = key + "=(a path)"
		}
		kept = append(kept, e)
	}
	return kept
}

// giveRounds shares the rounds out: as asked, or as the budget allows.
func giveRounds(m *results.Manifest, f runFlags) {
	rounds := f.rounds
	if rounds == 0 {
		rounds = setRounds[f.set]
		m.Stops = true
	}
	m.Rounds = rounds
	var claims []plan.Claim
	var least time.Duration
	for _, r := range m.Rows {
		claims = append(claims, claim(r.Row, m.Set, r.Cost))
		least += time.Duration(rounds) * r.Cost
	}
	budget := f.budget
	if budget == 0 {
		// Nobody asked for less: a slow hour takes longer, and sees as much.
		budget = max(setBudget[f.set], least)
	}
	given := plan.Budget(claims, rounds, budget)
	for i := range m.Rows {
		switch r := &m.Rows[i]; {
		case r.Rounds > 0:
			m.Rounds = max(m.Rounds, r.Rounds)
		case f.rounds > 0:
			r.Rounds = f.rounds
		default:
			r.Rounds = given[i]
		}
	}
}

func planRows(m results.Manifest) []plan.Row {
	var rows []plan.Row
	for _, r := range m.Rows {
		if r.Skipped == "" {
			rows = append(rows, plan.Row{Key: r.Key(), Variants: r.Variants, Rounds: r.Rounds, Layouts: m.Layouts})
		}
	}
	return rows
}

func (a *app) newRunner(builds [][]*variant.Built, m results.Manifest, dir string) *runner.Runner {
	r := &runner.Runner{Exec: a.exec, Builds: map[string][]*variant.Built{}, Dir: dir, Pin: m.Pin, Timeout: m.Timeout, DiskOps: diskOps(m.Set), Memory: m.Host.Available}
	for _, b := range builds {
		r.Builds[b[0].Variant.Name] = b
	}
	return r
}

// diskOps is enough for p50 and p90 of an fsync, and in the full set for p99.9.
func diskOps(set string) int {
	if set == "full" {
		return 10000
	}
	return 300
}

// resume goes on with a run: the same binaries, the same plan.
func (a *app) resume(f runFlags) (*campaign, error) {
	run, err := results.Read(f.resume)
	if err != nil {
		return nil, err
	}
	for _, w := range run.Warnings {
		fmt.Fprintln(a.stderr, w)
	}
	builds, err := a.rebuild(run)
	if err != nil {
		return nil, err
	}
	dir, err := filesDir(f.dir, f.results)
	if err != nil {
		return nil, err
	}
	disk, err := host.ReadDisk(dir)
	if err != nil {
		return nil, err
	}
	if was := run.Manifest.Disk; disk != was {
		return nil, fmt.Errorf("resume %s: its files were on %s (%s), %s is on %s (%s) (name the directory: -dir)", f.resume, was.FileSystem, was.Device, dir, disk.FileSystem, disk.Device)
	}
	s := &campaign{manifest: run.Manifest, done: run.Samples, counted: run.Counts.Missing == "", runner: a.newRunner(builds, run.Manifest, dir)}
	s.samples = plan.Order(planRows(s.manifest), s.manifest.Rounds, s.manifest.Seed)
	s.writer, err = results.Resume(run)
	return s, err
}

// rebuild gives the binaries of a run, which must be the same ones.
func (a *app) rebuild(run *results.Run) ([][]*variant.Built, error) {
	var builds [][]*variant.Built
	for _, v := range run.Manifest.Variants {
		b, err := a.rebuildOne(v)
		if err != nil {
			return nil, err
		}
		layouts, err := a.builder().Layouts(b, run.Manifest.Layouts)
		if err != nil {
			return nil, err
		}
		for i, was := range append([]string{v.Build}, v.Builds...) {
			if is := layouts[i].Build; is != was {
				return nil, fmt.Errorf("resume %s: %s was build %s, the tree makes %s now: half a run of each would be no run (start a new one)", run.Dir, v.Name, was, is)
			}
		}
		builds = append(builds, layouts)
	}
	return builds, nil
}

// rebuildOne builds a variant of a run again, or its second copy.
func (a *app) rebuildOne(v results.Variant) (*variant.Built, error) {
	original, copied := variant.Original(v.Name)
	vs, err := a.variants([]string{original})
	if err != nil {
		return nil, err
	}
	if copied {
		return a.second(vs[0], v.Layout)
	}
	built, err := a.builder().Build(vs[0])
	if err != nil {
		return nil, err
	}
	return built[0], nil
}

// second is a second copy of a variant, or one with another layout of its code.
func (a *app) second(v variant.Variant, layout int) (*variant.Built, error) {
	v.Layout = layout
	built, err := a.builder().Build(v)
	if err != nil {
		return nil, err
	}
	if layout == 0 {
		return a.builder().Copy(built[0])
	}
	built[0].Variant.Name += variant.CopySuffix
	return built[0], nil
}

// measure runs the samples and the counting pass, and reads what is on disk.
func (s *campaign) measure(ctx context.Context, a *app) (*results.Run, time.Duration, error) {
	defer s.writer.Close()
	started := time.Now()
	progress, done := bar(a.stderr, len(s.samples), s.title())
	err := s.runner.Run(ctx, s.manifest, s.samples, s.done, s.writer, progress)
	done()
	if err == nil {
		err = s.count(ctx, a)
	}
	took := time.Since(started)
	run, readErr := results.Read(s.writer.Dir)
	if readErr != nil {
		return nil, took, errors.Join(err, readErr)
	}
	run.Dir = relative(run.Dir)
	if err != nil {
		fmt.Fprintf(a.stderr, "\nstopped: %d samples kept; go on with: bin/libcost run -resume %s\n", len(run.Samples), run.Dir)
	}
	if errors.Is(err, context.Canceled) {
		err = errShort
	}
	return run, took, err
}

// countedRooms are the rooms whose rows may ask the kernel for memory or wait
// for a lock.
var countedRooms = []string{"alloc", "syscalls"}

// count counts the system calls of the rows that may make some, in a pass of
// their own.
func (s *campaign) count(ctx context.Context, a *app) error {
	if s.counted {
		return nil
	}
	var rows []results.Row
	for _, r := range s.manifest.Rows {
		if slices.Contains(countedRooms, r.Room) {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	counter, err := runner.NewCounter()
	if err != nil {
		return s.writer.Counts(results.Counts{Missing: err.Error()})
	}
	progress, done := bar(a.stderr, len(rows), "count system calls")
	samples, err := counter.Count(ctx, s.runner, rows, progress)
	done()
	if err != nil {
		return err
	}
	return s.writer.Counts(results.Counts{Calls: runner.Counted, Samples: samples})
}

// title is "run: 127 rows x 2 variants (+8 of gnu-dynamic, 3 canaries) x 20
// rounds".
func (s *campaign) title() string {
	m := s.manifest
	rows := map[string]int{} // by variant
	for _, r := range m.Rows {
		for _, v := range r.Variants {
			rows[v]++
		}
	}
	compared := m.Variants[1:]
	if len(compared) == 0 {
		compared = m.Variants
	}
	most, full, extra := 0, len(m.Variants)-len(compared), []string{}
	for _, v := range compared {
		if v.Name != m.Canary {
			most = max(most, rows[v.Name])
		}
	}
	for _, v := range compared {
		switch n := rows[v.Name]; {
		case v.Name == m.Canary:
			extra = append(extra, fmt.Sprintf("%d canaries", n))
		case n == most:
			full++
		default:
			extra = append(extra, fmt.Sprintf("+%d of %s", n, v.Name))
		}
	}
	title := fmt.Sprintf("run: %d rows x %d variants", most, full)
	if len(extra) > 0 {
		title += " (" + strings.Join(extra, ", ") + ")"
	}
	return fmt.Sprintf("%s x %d rounds", title, m.Rounds)
}

// ending prints what the run came to, and says whether it fell short.
func (a *app) ending(run *results.Run, took time.Duration) error {
	report.Ending(a.stdout, run, took)
	if fellShort(run) {
		return errShort
	}
	return nil
}

// fellShort says whether a sample or a row went wrong; what the machine lacks
// is no wrong.
func fellShort(run *results.Run) bool {
	for _, r := range run.Manifest.Rows {
		if r.Skipped != "" && !r.Lacking {
			return true
		}
	}
	for _, s := range slices.Concat(run.Samples, run.Counts.Samples) {
		if s.Status != results.OK && s.Status != results.Lacking {
			return true
		}
	}
	return false
}

// bar is a progress bar on a terminal, and elsewhere a line at the start and at
// each tenth of a long way.
func bar(w io.Writer, steps int, title string) (progress func(int), done func()) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(w, title)
		return tenths(w, steps), func() {}
	}
	b := progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(title),
		progressbar.OptionSetWidth(20), progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetTheme(progressbar.ThemeUnicode))
	return func(n int) { _ = b.Set(n) }, func() { _ = b.Exit(); fmt.Fprintln(w) }
}

// longWay is how many steps take a while.
const longWay = 500

func tenths(w io.Writer, steps int) func(int) {
	started, told := time.Now(), 0
	return func(n int) {
		if tenth := 10 * n / max(1, steps); steps >= longWay && tenth > told && tenth < 10 {
			told = tenth
			left := time.Since(started) * time.Duration(steps-n) / time.Duration(n)
			fmt.Fprintf(w, "  %d %%, %s left\n", 10*tenth, left.Round(time.Second))
		}
	}
}
