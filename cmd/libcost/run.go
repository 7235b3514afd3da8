package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"libcost/internal/host"
	"libcost/internal/plan"
	"libcost/internal/report"
	"libcost/internal/results"
	"libcost/internal/runner"
	"libcost/internal/variant"
)

// runFlags are what a run can be asked for.
type runFlags struct {
	set     string
	rounds  int
	bench   string
	dir     string
	timeout time.Duration
	seed    uint64
	resume  string
	results string
}

func (a *app) runCommand() *cobra.Command {
	f := runFlags{set: "default", timeout: 30 * time.Second}
	c := &cobra.Command{
		Use:   "run [VARIANT...]",
		Short: "Measure variants, interleaved, and compare them",
		Long: `Measure variants, interleaved, and compare them. Without a name: gnu musl.

The base of the comparison is gnu if it is there, else the first variant. When
gnu and musl run together, gnu-dynamic joins on the rows of the summary, since
that is what people deploy.`,
		Example: `  libcost run gnu musl
  libcost run -set quick gnu musl+mimalloc
  libcost run -bench Memcmp -rounds 40 gnu musl
  libcost run -resume results/latest`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"gnu", "musl"}
			}
			if !c.Flags().Changed("rounds") {
				f.rounds = setRounds[f.set]
			} else if f.rounds < 1 {
				return usagef("-rounds %d: at least 1 (6 for an interval)", f.rounds)
			}
			return a.run(c.Context(), args, f)
		},
	}
	c.Flags().StringVar(&f.set, "set", f.set, "rows of the set `quick, default or full`")
	c.Flags().IntVar(&f.rounds, "rounds", 0, "samples of each row and variant (quick 8, default 20, full 10)")
	c.Flags().StringVar(&f.bench, "bench", "", "only rows that match this `regexp`")
	c.Flags().StringVar(&f.dir, "dir", "", "`directory` for the rows that write files (default: in the results)")
	c.Flags().DurationVar(&f.timeout, "timeout", f.timeout, "a sample that takes longer hangs")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the order of samples")
	c.Flags().StringVar(&f.results, "results", "", "`directory` of the runs (default: results in the project)")
	c.Flags().StringVar(&f.resume, "resume", "", "go on with the run in this `directory`")
	return c
}

func (a *app) run(ctx context.Context, names []string, f runFlags) error {
	if f.results == "" {
		f.results = filepath.Join(a.root, "results")
	}
	unlock, err := results.Lock(f.results)
	if err != nil {
		return err
	}
	defer unlock()

	s, err := a.prepare(ctx, names, f)
	if err != nil {
		return err
	}
	defer s.writer.Close()
	started := time.Now()
	err = s.measure(ctx, a.stderr)
	run, readErr := results.Read(s.writer.Dir)
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	run.Dir = a.relative(run.Dir)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.stderr, "\nstopped: %d samples kept; go on with: libcost run -resume %s\n", len(run.Samples), run.Dir)
		return errShort
	}
	if err != nil {
		return err
	}
	report.Ending(a.stdout, run, time.Since(started))
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
	for _, s := range run.Samples {
		if s.Status != results.OK && s.Status != results.Lacking {
			return true
		}
	}
	return false
}

// A session is one run, about to start or to go on.
type session struct {
	manifest results.Manifest
	samples  []plan.Sample
	done     []results.Sample
	runner   *runner.Runner
	writer   *results.Writer
}

func (a *app) prepare(ctx context.Context, names []string, f runFlags) (*session, error) {
	if f.resume != "" {
		return a.resume(f)
	}
	vs, err := a.variants(names)
	if err != nil {
		return nil, err
	}
	order(vs)
	deployed := slices.ContainsFunc(vs, named("gnu")) && slices.ContainsFunc(vs, named("musl")) && !slices.ContainsFunc(vs, named("gnu-dynamic"))
	all := vs
	if deployed {
		all = append(vs, mustParse("gnu-dynamic"))
	}
	if f.dir, err = filesDir(f.dir, f.results); err != nil {
		return nil, err
	}
	built, err := a.builder().Build(all...)
	if err != nil {
		return nil, err
	}
	rows, err := selectRows(built[0].Rows, f.set, f.bench)
	if err != nil {
		return nil, err
	}
	m, err := newManifest(built, rows, f)
	if err != nil {
		return nil, err
	}
	for i := range m.Rows {
		for _, v := range all {
			if v.Name == "gnu-dynamic" && deployed && !m.Rows[i].Summary {
				continue
			}
			m.Rows[i].Variants = append(m.Rows[i].Variants, v.Name)
		}
	}
	s := &session{runner: newRunner(built, m, f.dir)}
	progress, done := bar(a.stderr, len(rows), "calibrate")
	err = s.runner.Calibrate(ctx, m.Rows, progress, func(results.Sample) {})
	done()
	if err != nil {
		return nil, err
	}
	s.manifest = m
	s.samples = plan.Order(planRows(m), m.Rounds, m.Seed)
	s.writer, err = results.Create(f.results, m)
	return s, err
}

func named(name string) func(variant.Variant) bool {
	return func(v variant.Variant) bool { return v.Name == name }
}

// order puts the base first: gnu if it is there.
func order(vs []variant.Variant) {
	if i := slices.IndexFunc(vs, named("gnu")); i > 0 {
		gnu := vs[i]
		copy(vs[1:], vs[:i])
		vs[0] = gnu
	}
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
		return "", usagef("-dir: %w", err)
	} else if !info.IsDir() {
		return "", usagef("-dir: %s is no directory", dir)
	}
	return dir, nil
}

func newManifest(built []*variant.Built, rows []variant.Row, f runFlags) (results.Manifest, error) {
	facts, err := host.Read()
	if err != nil {
		return results.Manifest{}, err
	}
	disk, err := host.ReadDisk(f.dir)
	if err != nil {
		return results.Manifest{}, err
	}
	m := results.Manifest{
		Started: time.Now().UTC(), Seed: f.seed, Set: f.set, Rounds: f.rounds, Base: built[0].Variant.Name,
		Host: facts, Disk: disk, Pin: facts.CPUs[len(facts.CPUs)-1], Timeout: f.timeout,
		Command: []string{"libcost", "run", "-set", f.set, "-rounds", fmt.Sprint(f.rounds)},
	}
	if f.bench != "" {
		m.Command = append(m.Command, "-bench", f.bench)
	}
	for _, b := range built {
		m.Command = append(m.Command, b.Variant.Name)
		m.Variants = append(m.Variants, results.Variant{
			Name: b.Variant.Name, Build: b.Build, Compiler: b.Compiler, Env: b.Variant.Env, Facts: b.Facts,
		})
	}
	for _, r := range rows {
		m.Rows = append(m.Rows, results.Row{Row: r, Rounds: f.rounds})
	}
	return m, nil
}

func planRows(m results.Manifest) []plan.Row {
	var rows []plan.Row
	for _, r := range m.Rows {
		if r.Skipped == "" {
			rows = append(rows, plan.Row{Key: r.Key(), Variants: r.Variants, Rounds: r.Rounds})
		}
	}
	return rows
}

func newRunner(built []*variant.Built, m results.Manifest, dir string) *runner.Runner {
	r := &runner.Runner{Exec: runner.Processes{}, Builds: map[string]*variant.Built{}, Dir: dir, Pin: m.Pin, Timeout: m.Timeout}
	for _, b := range built {
		r.Builds[b.Variant.Name] = b
	}
	return r
}

// resume goes on with a run: the same binaries, the same plan.
func (a *app) resume(f runFlags) (*session, error) {
	run, err := results.Read(f.resume)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range run.Manifest.Variants {
		names = append(names, v.Name)
	}
	vs, err := a.variants(names)
	if err != nil {
		return nil, err
	}
	built, err := a.builder().Build(vs...)
	if err != nil {
		return nil, err
	}
	for i, b := range built {
		if was := run.Manifest.Variants[i].Build; b.Build != was {
			return nil, fmt.Errorf("resume %s: %s was build %s, the tree makes %s now: half a run of each would be no run (start a new one)", f.resume, b.Variant.Name, was, b.Build)
		}
	}
	dir, err := filesDir(f.dir, f.results)
	if err != nil {
		return nil, err
	}
	s := &session{manifest: run.Manifest, done: run.Samples, runner: newRunner(built, run.Manifest, dir)}
	s.samples = plan.Order(planRows(s.manifest), s.manifest.Rounds, s.manifest.Seed)
	s.writer, err = results.Resume(run)
	return s, err
}

func (s *session) measure(ctx context.Context, stderr io.Writer) error {
	progress, done := bar(stderr, len(s.samples), s.title())
	defer done()
	return s.runner.Run(ctx, s.manifest, s.samples, s.done, s.writer, progress)
}

// title is "run: 127 rows x 2 variants (+8 of gnu-dynamic) x 20 rounds".
func (s *session) title() string {
	m := s.manifest
	full, extra := 0, ""
	for _, v := range m.Variants {
		n := 0
		for _, r := range m.Rows {
			if slices.Contains(r.Variants, v.Name) {
				n++
			}
		}
		if n == len(m.Rows) {
			full++
		} else if n > 0 {
			extra += fmt.Sprintf(" (+%d of %s)", n, v.Name)
		}
	}
	return fmt.Sprintf("run: %d rows x %d variants%s x %d rounds", len(m.Rows), full, extra, m.Rounds)
}

// bar is a progress bar on a terminal and one line elsewhere.
func bar(w io.Writer, steps int, title string) (progress func(int), done func()) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(w, title)
		return func(int) {}, func() {}
	}
	b := progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(title),
		progressbar.OptionSetWidth(20), progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetTheme(progressbar.ThemeUnicode))
	return func(n int) { _ = b.Set(n) }, func() { _ = b.Exit(); fmt.Fprintln(w) }
}
