package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"libcost/internal/compare"
	"libcost/internal/explain"
	"libcost/internal/host"
	"libcost/internal/report"
	"libcost/internal/results"
	"libcost/internal/stats"
	"libcost/internal/variant"
	"libcost/internal/workload"
)

// explainFlags are what an explanation can be asked for.
type explainFlags struct {
	rounds, n            int
	clients              []int // levels, one explanation each; nil is as the workload says
	metric, neutral      string
	format, dir, results string
	timeout              time.Duration
	seed                 uint64
	resume               string
	plant                string // a function, each call of which waits in the other build
	mechanism            bool
}

// metrics are the units that a gap can be explained in.
var metrics = map[string]string{"time": "ns/op", "cpu": "cpu-ns/op"}

func (a *app) explainCommand() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain WORKLOAD [VARIANT VARIANT]",
		Short: "Say which part of libc causes how much of the gap between two builds of a program",
		Long: `Say which part of libc causes how much of the gap between two builds of a
program. WORKLOAD is a directory with a workload.toml (docs/YOUR-PROGRAM.md);
without names the variants are gnu and musl.

The allocator, the memory functions and the locks of both builds are replaced by
the same code, each alone and in every combination, and all of these binaries
run in each round. A part's share is its Shapley value; first .. last is what
the gap loses if it is replaced alone, and after all others. What no part covers
is the rest.`,
		Example: `  libcost explain e2e/sqlite-query
  libcost explain examples/c-make gnu-dynamic musl+mimalloc -rounds 50
  libcost explain examples/c-make gnu musl -metric cpu -format md`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, a, args); err != nil {
				return err
			}
			return a.locked(runFlags{results: f.results}, func() error { return a.explain(c.Context(), args, f) })
		},
	}
	c.Flags().IntVar(&f.rounds, "rounds", 30, "samples of each binary (a ratio of 2 wants 30 to 50, one of 1.25 100 to 200)")
	c.Flags().IntVar(&f.n, "n", 0, "ops of one sample (default: as workload.toml says)")
	c.Flags().IntSliceVar(&f.clients, "clients", nil, "clients of a server, `1,16,256`: each number is explained (default: as workload.toml says)")
	c.Flags().StringVar(&f.metric, "metric", "time", "what is explained: `time or cpu`")
	c.Flags().StringVar(&f.neutral, "neutral", variant.Allocators[0], "the `allocator` that stands for both builds' own")
	c.Flags().StringVar(&f.format, "format", "text", "`text, md or json`")
	c.Flags().StringVar(&f.dir, "dir", "", "`directory` for the workload's files (default: in the results)")
	c.Flags().StringVar(&f.results, "results", "", "`directory` of the runs (default: results in the project)")
	c.Flags().DurationVar(&f.timeout, "timeout", 60*time.Second, "a sample that takes longer hangs")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the order of samples")
	c.Flags().StringVar(&f.plant, "plant", "", "let each call of this `function` of the second build's own wait 200 ns: what is found must be that")
	c.Flags().BoolVar(&f.mechanism, "mechanism", false, "count the calls an op, and set them beside the rows of results/latest")
	c.Flags().StringVar(&f.resume, "resume", "", "go on with the run in this `directory`")
	return c
}

func (f *explainFlags) check(c *cobra.Command, a *app, args []string) error {
	switch {
	case f.resume != "" && len(args) > 1:
		return usagef("-resume: the run goes on with its own variants; a workload outside e2e/ is named again")
	case f.resume == "" && len(args) != 1 && len(args) != 3:
		return usagef("explain takes a workload, or a workload and two variants (bin/%s -h)", c.CommandPath())
	case f.rounds < 1:
		return usagef("-rounds %d: at least 1 (%d for an interval)", f.rounds, stats.MinRounds(stats.Confidence))
	case f.n < 0:
		return usagef("-n %d: not below 0", f.n)
	case slices.ContainsFunc(f.clients, func(n int) bool { return n < 1 }):
		return usagef("-clients %v: each 1 or more", f.clients)
	case f.resume != "" && c.Flags().Changed("clients"):
		return usagef("-resume: the run goes on as it began, without -clients")
	case metrics[f.metric] == "":
		return usagef("unknown metric %q%s (time, cpu)", f.metric, near(f.metric, []string{"time", "cpu"}))
	case !slices.Contains(variant.Allocators, f.neutral):
		return usagef("-neutral %s: no allocator%s (mimalloc, jemalloc)", f.neutral, near(f.neutral, variant.Allocators))
	case !slices.Contains(report.LedgerFormats, f.format):
		return usagef("unknown format %q%s (text, md, json)", f.format, near(f.format, report.LedgerFormats))
	case f.timeout <= 0:
		return usagef("-timeout %v: a time above 0", f.timeout)
	}
	if f.results == "" {
		f.results = filepath.Join(a.root, "results")
	}
	return nil
}

// An inquiry is one explanation, about to start or to go on.
type inquiry struct {
	workload *workload.Workload
	design   explain.Design
	record   *explain.Record
	runner   *explain.Runner
	builder  *workload.Builder
	programs map[string]*workload.Program // by programKey
	objects  map[string][]string          // parts, by Binary.Name
	plant    *explain.Plant
}

func (a *app) explain(ctx context.Context, args []string, f explainFlags) error {
	var q *inquiry
	var err error
	if f.resume != "" {
		q, err = a.resumeInquiry(ctx, args, f)
	} else {
		q, err = a.startInquiry(ctx, args, f)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.stderr, "\nstopped before the first sample: nothing to keep")
		return errShort
	}
	if err != nil {
		return err
	}
	levels := f.clients
	if len(levels) == 0 {
		levels = []int{q.record.Manifest.Clients}
	}
	var gaps []report.Gap
	for i, clients := range levels {
		if i > 0 {
			if err := q.next(f, clients); err != nil {
				return err
			}
		}
		gap, err := q.explain(ctx, a, f)
		if err != nil {
			return err
		}
		gaps = append(gaps, gap)
	}
	if len(gaps) > 1 && f.format != "json" {
		report.Sweep(a.stdout, f.format, gaps)
	}
	return nil
}

// explain measures one level and prints its ledger.
func (q *inquiry) explain(ctx context.Context, a *app, f explainFlags) (report.Gap, error) {
	gap, err := q.measure(ctx, a, metrics[f.metric])
	if err != nil {
		return gap, err
	}
	if err := q.look(ctx, a, f, &gap); err != nil {
		return gap, err
	}
	if err := report.Ledger(a.stdout, f.format, gap); err != nil {
		return gap, err
	}
	fmt.Fprintln(a.stderr, relative(q.record.Dir))
	return gap, nil
}

// next starts another record with the same binaries and other clients.
func (q *inquiry) next(f explainFlags, clients int) (err error) {
	m := q.record.Manifest
	m.Started, m.Clients = time.Now().UTC(), clients
	q.runner.Clients = clients
	q.runner.Forget()
	q.record, err = explain.Create(f.results, m)
	return err
}

// measure runs what is left of the rounds and works out the ledger.
func (q *inquiry) measure(ctx context.Context, a *app, unit string) (report.Gap, error) {
	defer q.record.Close()
	m := q.record.Manifest
	steps := m.Rounds * len(q.design.Binaries)
	progress, done := bar(a.stderr, steps, fmt.Sprintf("explain %s: %d binaries x %d rounds", m.Workload, len(q.design.Binaries), m.Rounds))
	err := q.runner.Run(ctx, q.design, m.Rounds, m.Seed, slices.Clone(q.record.Samples), q.record.Append, progress)
	done()
	if err != nil {
		fmt.Fprintf(a.stderr, "\nstopped: %d samples kept; go on with: bin/libcost explain -resume %s\n", len(q.record.Samples), relative(q.record.Dir))
		if errors.Is(err, context.Canceled) {
			err = errShort
		}
		return report.Gap{}, err
	}
	return q.gap(unit)
}

// startInquiry builds all binaries and makes the record.
func (a *app) startInquiry(ctx context.Context, args []string, f explainFlags) (*inquiry, error) {
	dir := args[0]
	if _, err := os.Stat(dir); err != nil && !filepath.IsAbs(dir) {
		dir = filepath.Join(a.root, dir)
	}
	names := []string{"gnu", "musl"}
	if len(args) == 3 {
		names = args[1:]
	}
	q, err := a.design(dir, [2]string(names), f.neutral, f.plant)
	if err != nil {
		return nil, err
	}
	if len(f.clients) > 0 && q.workload.Clients == 0 {
		return nil, usagef("-clients: %s has no clients (its run mentions no {clients})", q.workload.Name)
	}
	if err := q.link(ctx); err != nil {
		return nil, err
	}
	filesDir, err := filesDir(f.dir, f.results)
	if err != nil {
		return nil, err
	}
	facts, err := host.Read()
	if err != nil {
		return nil, err
	}
	disk, err := host.ReadDisk(filesDir)
	if err != nil {
		return nil, err
	}
	m := explain.Manifest{
		Command: []string{"libcost", "explain", q.workload.Name, names[0], names[1]}, Started: time.Now().UTC(), Seed: f.seed,
		Workload: q.workload.Name, Op: q.workload.Op, Source: q.workload.Source, Sides: [2]string(names), Neutral: f.neutral, Plant: f.plant,
		Rounds: f.rounds, N: q.workload.N, Clients: q.workload.Clients, Pin: -1, Timeout: f.timeout, Host: facts, Disk: disk,
	}
	if f.n > 0 {
		m.N = f.n
	}
	if len(f.clients) > 0 {
		m.Clients = f.clients[0]
	}
	if q.workload.Threads == 1 {
		m.Pin = facts.CPUs[len(facts.CPUs)-1]
	}
	if m.Builds, err = q.hashes(); err != nil {
		return nil, err
	}
	q.prepare(m, filesDir)
	q.record, err = explain.Create(f.results, m)
	return q, err
}

// resumeInquiry goes on with an explanation: the same binaries, the same order.
func (a *app) resumeInquiry(ctx context.Context, args []string, f explainFlags) (*inquiry, error) {
	record, err := explain.Read(f.resume)
	if err != nil {
		return nil, err
	}
	for _, w := range record.Warnings {
		fmt.Fprintln(a.stderr, w)
	}
	m := record.Manifest
	// The record does not tell where the workload lay: it may go to others.
	workload := filepath.Join(a.root, "e2e", m.Workload)
	if len(args) == 1 {
		workload = args[0]
	}
	q, err := a.design(workload, m.Sides, m.Neutral, m.Plant)
	if err != nil {
		return nil, err
	}
	if err := q.link(ctx); err != nil {
		return nil, err
	}
	builds, err := q.hashes()
	if err != nil {
		return nil, err
	}
	for name, was := range m.Builds {
		if builds[name] != was {
			return nil, fmt.Errorf("resume %s: %s is another binary now: half a run of each would be no run (start a new one)", f.resume, name)
		}
	}
	dir, err := filesDir(f.dir, f.results)
	if err != nil {
		return nil, err
	}
	q.prepare(m, dir)
	q.record = record
	return q, record.Resume()
}

// design reads the workload and lays out what is to be built of it.
func (a *app) design(dir string, names [2]string, neutral, plant string) (*inquiry, error) {
	w, err := workload.Read(dir)
	if err != nil {
		return nil, err
	}
	var sides [2]variant.Variant
	for i, name := range names {
		vs, err := a.variants([]string{name})
		if err != nil {
			return nil, err
		}
		sides[i] = vs[0]
	}
	q := &inquiry{
		workload: w, programs: map[string]*workload.Program{}, objects: map[string][]string{},
		runner:  &explain.Runner{Exec: a.exec, Workload: w, Paths: map[string]string{}, Env: map[string][]string{}},
		builder: &workload.Builder{Dir: filepath.Join(a.root, ".build", "e2e"), Variants: a.builder(), Say: func(line string) { fmt.Fprintln(a.stderr, line) }},
	}
	if q.design, err = explain.NewDesign(sides[0], sides[1], neutral); err != nil {
		return nil, err
	}
	if plant != "" {
		if q.plant, err = q.design.NewPlant(plant); err != nil {
			return nil, usageError{err}
		}
	}
	return q, nil
}

// link compiles the workload once for each libc and linkage, and links all
// binaries, two at a time.
func (q *inquiry) link(ctx context.Context) error {
	for _, bin := range q.design.Binaries {
		if err := ctx.Err(); err != nil {
			return err
		}
		key := programKey(bin.Variant)
		if q.programs[key] != nil {
			continue
		}
		p, err := q.builder.Compile(q.workload, bin.Variant)
		if err != nil {
			return err
		}
		q.programs[key], q.runner.Once = p, p.Once
	}
	q.builder.Say(fmt.Sprintf("link: %d binaries", len(q.design.Binaries)))
	errs := make([]error, len(q.design.Binaries))
	paths := make([]string, len(q.design.Binaries))
	slots := make(chan struct{}, 2)
	var lock sync.Mutex
	var wg sync.WaitGroup
	for i, bin := range q.design.Binaries {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			tools, err := q.builder.Variants.Toolchain(bin.Variant)
			if err != nil {
				errs[i] = err
				return
			}
			lock.Lock()
			q.objects[bin.Name] = tools.Objects
			lock.Unlock()
			var wrappers []workload.Wrapper
			if q.plant.In(bin) {
				wrappers = []workload.Wrapper{q.plant.Wrapper(explain.PlantNS)}
			}
			paths[i], errs[i] = q.linkWith(bin, bin.Name, wrappers)
		})
	}
	wg.Wait()
	for i, bin := range q.design.Binaries {
		q.runner.Paths[bin.Name], q.runner.Env[bin.Name] = paths[i], bin.Variant.Env
	}
	return errors.Join(errs...)
}

// linkWith links a binary with wrappers round some functions.
func (q *inquiry) linkWith(bin explain.Binary, name string, wrappers []workload.Wrapper) (string, error) {
	objects := slices.Clone(q.objects[bin.Name])
	var flags []string
	for _, w := range wrappers {
		object, flag, err := q.builder.Wrap(w, bin.Variant)
		if err != nil {
			return "", err
		}
		objects, flags = append(objects, object), append(flags, flag)
	}
	return q.programs[programKey(bin.Variant)].Link(name, objects, flags...)
}

// programKey tells which binaries are links of one compile.
func programKey(v variant.Variant) string {
	return fmt.Sprintf("%s %s %s %v %v", v.Libc, v.Linkage(), v.CC, v.CFlags, v.LDFlags)
}

// prepare sets the runner up as the manifest says.
func (q *inquiry) prepare(m explain.Manifest, dir string) {
	r := q.runner
	r.Dir, r.N, r.Clients, r.CPU, r.Timeout = dir, m.N, m.Clients, m.Pin, m.Timeout
}

func (q *inquiry) hashes() (map[string]string, error) {
	sums := map[string]string{}
	for _, b := range q.design.Binaries {
		text, err := os.ReadFile(q.runner.Paths[b.Name])
		if err != nil {
			return nil, fmt.Errorf("explain: %w", err)
		}
		sum := sha256.Sum256(text)
		sums[b.Name] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}

// gap works out the ledger of the record's complete rounds.
func (q *inquiry) gap(unit string) (report.Gap, error) {
	m := q.record.Manifest
	gap := report.Gap{Workload: m.Workload, Op: m.Op, Unit: unit, Base: m.Sides[0], Other: m.Sides[1], Clients: m.Clients}
	times, err := explain.Times(q.design, q.record.Samples, unit)
	if err != nil {
		return gap, err
	}
	if gap.Ledger, err = explain.NewLedger(q.design, times, m.Seed); err != nil {
		return gap, err
	}
	for _, u := range explain.Units(q.record.Samples) {
		if base, other, ok := q.design.Medians(q.record.Samples, u); ok && u != unit {
			gap.Side = append(gap.Side, report.SideMetric{Unit: u, Base: base, Other: other})
		}
	}
	if share := explain.SetUpShare(q.record.Samples); share > explain.MaxSetUp {
		gap.Notes = append(gap.Notes, fmt.Sprintf("set-up takes %.0f %% of a sample: more ops (-n) would spend the time better", 100*share))
	}
	return gap, nil
}

// look adds what the times do not tell: what was planted, which functions stand
// in the rest, and what counts predict.
func (q *inquiry) look(ctx context.Context, a *app, f explainFlags, gap *report.Gap) error {
	if q.plant != nil {
		found, err := q.planted(ctx, gap.Ledger)
		if err != nil {
			return err
		}
		gap.Notes = append(gap.Notes, found.String())
	}
	uncovered, err := q.uncovered(ctx)
	switch {
	case err != nil:
		gap.Notes = append(gap.Notes, fmt.Sprintf("which functions stand in the rest: %v", err))
	case len(uncovered) == 0:
		gap.Notes = append(gap.Notes, "no function of libc that no part covers takes 1 % of either build")
	default:
		gap.Notes = append(gap.Notes, "not covered by any part: "+strings.Join(uncovered, ", "))
	}
	if f.mechanism {
		return q.mechanism(ctx, a, f, gap)
	}
	return nil
}

// mechanism counts the calls of the base's build and takes what each costs more
// from the newest run.
func (q *inquiry) mechanism(ctx context.Context, a *app, f explainFlags, gap *report.Gap) error {
	latest := filepath.Join(f.results, "latest")
	run, err := results.Read(latest)
	if err != nil {
		return err
	}
	in := compare.FromRun(run)
	bin := q.design.Given(0)
	imports, err := q.programs[programKey(bin.Variant)].Imports()
	if err != nil {
		return err
	}
	rows := explain.Countable(imports)
	var wrappers []workload.Wrapper
	for slot, r := range rows {
		wrappers = append(wrappers, workload.Wrapper{Function: r.Function, Slot: slot})
	}
	counts, err := q.count(ctx, bin, wrappers)
	if err != nil {
		return err
	}
	libcs := [2]string{q.design.Sides[0].Libc, q.design.Sides[1].Libc}
	for slot, r := range rows {
		_, each, ok := in.Pair(r.Row, libcs[0], libcs[1])
		if !ok {
			gap.Notes = append(gap.Notes, fmt.Sprintf("%s: %.4g calls an op; %s is not in %s for %s and %s", r.Function, counts[slot], r.Row, relative(latest), libcs[0], libcs[1]))
			continue
		}
		gap.Mechanism = append(gap.Mechanism, explain.Predict(r, counts[slot], each))
	}
	gap.InSitu = map[string]float64{}
	for _, c := range gap.Ledger.Causes {
		gap.InSitu[c.Name] = gap.Ledger.InSitu(q.design, c, gap.Mechanism)
	}
	return nil
}

// planted counts the planted function's calls and says what must be found.
func (q *inquiry) planted(ctx context.Context, l explain.Ledger) (explain.Planted, error) {
	bin := q.design.Given(1)
	counts, err := q.count(ctx, bin, []workload.Wrapper{q.plant.Wrapper(0)})
	if err != nil {
		return explain.Planted{}, err
	}
	return q.plant.Find(l, counts[0]), nil
}

// count links a binary with wrappers and counts their calls an op.
func (q *inquiry) count(ctx context.Context, bin explain.Binary, wrappers []workload.Wrapper) ([workload.Slots]float64, error) {
	path, err := q.linkWith(bin, bin.Name+"-counted", wrappers)
	if err != nil {
		return [workload.Slots]float64{}, err
	}
	counting := *q.runner
	counting.Paths = map[string]string{bin.Name: path}
	return counting.Count(ctx, bin)
}

// uncovered are the functions of libc, "strcspn 9 % (musl)", that still take 1 %
// of a build when all parts are replaced.
func (q *inquiry) uncovered(ctx context.Context) ([]string, error) {
	var list []string
	for side, v := range q.design.Sides {
		bin := q.design.Replaced(side)
		symbols, err := q.runner.Profile(ctx, bin)
		if err != nil {
			return nil, err
		}
		own, err := q.programs[programKey(bin.Variant)].Own()
		if err != nil {
			return nil, err
		}
		parts, err := workload.Defined(q.objects[bin.Name]...)
		if err != nil {
			return nil, err
		}
		for _, s := range symbols {
			if !slices.Contains(own, s.Name) && !slices.Contains(parts, s.Name) && s.Name != explain.Kernel {
				list = append(list, fmt.Sprintf("%s %.0f %% (%s)", s.Name, s.Percent, v.Name))
			}
		}
	}
	return list, nil
}
