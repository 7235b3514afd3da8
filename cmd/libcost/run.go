package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"libcost/internal/results"
	"libcost/internal/stats"
	"libcost/internal/variant"
)

// runFlags are what a run can be asked for.
type runFlags struct {
	set     string
	rounds  int // of every row; 0 lets the budget decide
	budget  time.Duration
	bench   string
	dir     string
	timeout time.Duration
	seed    uint64
	resume  string
	results string
	layouts int      // builds of each variant, with a code layout each
	command []string // how a person would ask for it again
}

// canaries are the rows on which each run compares its base with a second copy
// of itself, one for each kind of cost.
var canaries = []string{
	"alloc/Pair/size=64/live=1/threads=1",
	"memops/Memcpy/size=4096/src=0/dst=0/threads=1",
	"syscalls/Write/size=1/to=devnull/via=wrapper/threads=1",
}

// maxLayouts is what a disk and a patient person have room for.
const maxLayouts = 64

func (f *runFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.set, "set", "default", "rows of the set `quick, default or full`")
	c.Flags().IntVar(&f.rounds, "rounds", 0, "samples of each row and variant (default: quick 8, default 20, full 10, more or fewer as -budget allows)")
	c.Flags().DurationVar(&f.budget, "budget", 0, "how long the samples may take (without it: what the set's rounds take, and more rounds up to 30s, 5m10s, 85m)")
	c.Flags().StringVar(&f.bench, "bench", "", "only rows that match this `regexp`")
	c.Flags().StringVar(&f.dir, "dir", "", "`directory` for the rows that write files (default: in the results)")
	c.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "a sample that takes longer hangs")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the order of samples")
	c.Flags().IntVar(&f.layouts, "layouts", 1, "spread the rounds over so many builds with other code layouts")
	c.Flags().StringVar(&f.results, "results", "", "`directory` of the runs (default: results in the project)")
}

// check refuses what can't be run, and fills what was left out.
func (f *runFlags) check(c *cobra.Command, a *app) (err error) {
	if err := checkRows(f.set, f.bench); err != nil {
		return err
	}
	if c.Flags().Changed("rounds") && f.rounds < 1 {
		return usagef("-rounds %d: at least 1 (6 for an interval)", f.rounds)
	}
	if c.Flags().Changed("budget") && f.budget <= 0 {
		return usagef("-budget %v: a time above 0", f.budget)
	}
	if f.layouts < 1 || f.layouts > 1 && f.layouts < stats.MinLayouts || f.layouts > maxLayouts {
		return usagef("-layouts %d: 1, or %d to %d (fewer give no interval)", f.layouts, stats.MinLayouts, maxLayouts)
	}
	if f.timeout <= 0 {
		return usagef("-timeout %v: a time above 0", f.timeout)
	}
	if f.results == "" {
		f.results = filepath.Join(a.root, "results")
	}
	if f.resume != "" {
		return f.checkResume(c)
	}
	if f.dir != "" {
		_, err = filesDir(f.dir, "")
	}
	return err
}

// checkResume refuses what would make another run of the one that goes on, and
// finds the directory of that run.
func (f *runFlags) checkResume(c *cobra.Command) error {
	for _, name := range []string{"set", "rounds", "budget", "bench", "timeout", "seed", "results", "layouts"} {
		if c.Flags().Changed(name) {
			return usagef("-resume: the run goes on as it began, without -%s", name)
		}
	}
	run, err := filepath.EvalSymlinks(f.resume) // latest
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	f.results = filepath.Dir(run)
	return nil
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [VARIANT...]",
		Short: "Measure variants, interleaved, and compare them",
		Long: `Measure variants, interleaved, and compare them. Without a name: gnu musl.

The base of the comparison is gnu if it is there, else the first variant. When
gnu and musl run together, gnu-dynamic joins on the rows of the summary, since
that is what people deploy.

Without -rounds the budget decides: rows with threads get up to three times as
many rounds and controls twice as many, and a row that differs by more than 2x
stops after 10.`,
		Example: `  libcost run gnu musl
  libcost run -set quick gnu musl+mimalloc
  libcost run -bench Memcmp -rounds 40 gnu musl
  libcost run -resume results/latest`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.resume != "" && len(args) > 0 {
				return usagef("-resume: the run goes on with its own variants")
			}
			if err := f.check(c, a); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"gnu", "musl"}
			}
			if _, err := a.variants(args); err != nil {
				return err
			}
			return a.locked(f, func() error { return a.run(c.Context(), args, f) })
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.resume, "resume", "", "go on with the run in this `directory`")
	return c
}

// locked does something while no other run of the tree goes on, and none into
// the same results.
func (a *app) locked(f runFlags, do func() error) error {
	dirs := []string{cmp.Or(a.lock, a.root)}
	if abs, err := filepath.Abs(f.results); err != nil || abs != dirs[0] {
		dirs = append(dirs, f.results)
	}
	for _, dir := range dirs {
		unlock, err := results.Lock(dir)
		if err != nil {
			return err
		}
		defer unlock()
	}
	return do()
}

func (a *app) run(ctx context.Context, names []string, f runFlags) error {
	var s *campaign
	var err error
	if f.resume != "" {
		s, err = a.resume(f)
	} else {
		s, err = a.prepare(ctx, names, f)
	}
	if err != nil {
		return err
	}
	run, took, err := s.measure(ctx, a)
	if err != nil {
		return err
	}
	return a.ending(run, took)
}

// prepare builds the variants and says which of them run which rows.
func (a *app) prepare(ctx context.Context, names []string, f runFlags) (*campaign, error) {
	vs, err := a.variants(names)
	if err != nil {
		return nil, err
	}
	order(vs)
	built, err := a.builder().Build(vs...)
	if err != nil {
		return nil, err
	}
	base := built[0]
	chosen, err := selectRows(base.Rows, f.set, f.bench)
	if err != nil {
		return nil, err
	}
	deployed := ""
	if has(vs, "gnu") && has(vs, "musl") && !has(vs, "gnu-dynamic") && slices.ContainsFunc(chosen, func(r variant.Row) bool { return r.Summary }) {
		deployed = "gnu-dynamic"
		dynamic, err := a.builder().Build(mustParse(deployed))
		if err != nil {
			return nil, err
		}
		built = append(built, dynamic...)
	}
	canary, err := a.builder().Copy(base)
	if err != nil {
		return nil, err
	}
	var watched []string
	if len(built) > 1 { // something is compared
		watched = canaries
		built = append(built, canary)
	}
	var rows []results.Row
	for _, r := range base.Rows {
		row := results.Row{Row: r}
		if slices.ContainsFunc(chosen, func(c variant.Row) bool { return c.Key() == r.Key() }) {
			for _, b := range built {
				if _, copied := variant.Original(b.Variant.Name); !copied && (b.Variant.Name != deployed || r.Summary) {
					row.Variants = append(row.Variants, b.Variant.Name)
				}
			}
		}
		if slices.Contains(watched, r.Key()) {
			if len(row.Variants) == 0 {
				row.Variants = []string{base.Variant.Name}
			}
			row.Variants = append(row.Variants, canary.Variant.Name)
		}
		if len(row.Variants) > 0 {
			rows = append(rows, row)
		}
	}
	f.command = f.line("run", false, names...)
	return a.start(ctx, f, built, rows)
}

func has(vs []variant.Variant, name string) bool {
	return slices.ContainsFunc(vs, func(v variant.Variant) bool { return v.Name == name })
}

// order puts the base first: gnu if it is there.
func order(vs []variant.Variant) {
	slices.SortStableFunc(vs, func(a, b variant.Variant) int {
		switch {
		case a.Name == b.Name:
			return 0
		case a.Name == "gnu":
			return -1
		case b.Name == "gnu":
			return 1
		}
		return 0
	})
}

// line is how a person would ask for a run again.
func (f runFlags) line(command string, relink bool, names ...string) []string {
	line := []string{"libcost", command, "-set", f.set}
	if f.rounds > 0 {
		line = append(line, "-rounds", fmt.Sprint(f.rounds))
	}
	if f.budget > 0 {
		line = append(line, "-budget", f.budget.String())
	}
	if f.bench != "" {
		line = append(line, "-bench", f.bench)
	}
	if f.layouts > 1 {
		line = append(line, "-layouts", fmt.Sprint(f.layouts))
	}
	if relink {
		line = append(line, "-relink")
	}
	return append(line, names...)
}
