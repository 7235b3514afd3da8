package explain

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"libcost/internal/runner"
	"libcost/internal/stats"
	"libcost/internal/workload"
)

// A Sample is one run of one binary.
type Sample struct {
	Round   int                `json:"round"`
	Binary  string             `json:"binary"`
	Start   time.Time          `json:"start"`
	WallNS  int64              `json:"wall_ns"`
	Metrics map[string]float64 `json:"metrics"` // by unit: "ns/op"
	Digest  string             `json:"digest"`  // of the work done
	SetUpNS float64            `json:"set_up_ns,omitempty"`
}

// A Runner runs the binaries of a design.
type Runner struct {
	Exec     runner.Executor
	Workload *workload.Workload
	Paths    map[string]string // by Binary.Name
	Once     string            // what build-once made
	Dir      string            // for the workload's files
	N        int
	Clients  int
	CPU      int // -1: not pinned
	Timeout  time.Duration
	Env      map[string][]string // by Binary.Name

	first *Sample // whose digest the others must have
}

// Order is the order of the binaries in a round.
func (d Design) Order(seed uint64, round int) []Binary {
	order := slices.Clone(d.Binaries)
	random := rand.New(rand.NewPCG(seed, uint64(round)))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// Run runs the rounds that are not in done, each binary once in each, and hands
// every sample to add as it lands. The first one that goes wrong ends the run:
// without it no round is complete.
func (r *Runner) Run(ctx context.Context, d Design, rounds int, seed uint64, done []Sample, add func(Sample) error, progress func(int)) error {
	type place struct {
		round  int
		binary string
	}
	have := map[place]bool{}
	for i, s := range done {
		have[place{s.Round, s.Binary}] = true
		if i == 0 {
			r.first = &done[0]
		}
	}
	steps := 0
	for round := range rounds {
		for _, b := range d.Order(seed, round) {
			progress(steps)
			steps++
			if have[place{round, b.Name}] {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			s, err := r.Sample(ctx, b)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err != nil {
				return err
			}
			s.Round = round
			if err := add(s); err != nil {
				return err
			}
		}
	}
	progress(steps)
	return nil
}

// Sample runs a binary once.
func (r *Runner) Sample(ctx context.Context, b Binary) (Sample, error) {
	args := r.Workload.Args(r.Paths[b.Name], r.Once, r.Dir, r.N, r.Clients)
	out := r.Exec.Execute(ctx, runner.Command{
		Path: args[0], Args: args[1:], CPU: r.CPU, Timeout: r.Timeout,
		// Nothing of the user's environment: a LD_PRELOAD in it would be measured.
		Env: append([]string{"GOMAXPROCS=" + strconv.Itoa(r.Workload.Threads)}, r.Env[b.Name]...),
	})
	fail := func(format string, args ...any) (Sample, error) {
		return Sample{}, fmt.Errorf("run %s, %s: %w", r.Workload.Name, b.Variant.Name, fmt.Errorf(format, args...))
	}
	switch {
	case out.Err != nil:
		return fail("%w", out.Err)
	case out.Hung:
		return fail("no answer in %v, %s", r.Timeout, cmp.Or(out.Doing, "blocked in an unknown place"))
	case out.Signal != 0:
		return fail("killed by %v (signal %d)%s", out.Signal, int(out.Signal), said(out.Stderr))
	case out.Code != 0:
		return fail("exit code %d%s", out.Code, said(out.Stderr))
	}
	s, err := Parse(out.Stdout)
	if err != nil {
		return fail("%w", err)
	}
	s.Binary, s.Start, s.WallNS = b.Name, out.Start.UTC(), out.Wall.Nanoseconds()
	if r.first == nil {
		r.first = &s
	}
	if s.Digest != r.first.Digest {
		return fail("did other work than %s: digest %q, there %q", r.first.Binary, s.Digest, r.first.Digest)
	}
	return s, nil
}

// said is the first line of what a program complained of.
func said(stderr []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(stderr), []byte("\n"))
	if len(line) == 0 {
		return " without a word"
	}
	return fmt.Sprintf(": %.300s", line)
}

// Parse reads what a workload prints: configuration lines (digest:, setup-ns:)
// and one line in Go's benchmark format.
func Parse(stdout []byte) (Sample, error) {
	s := Sample{Metrics: map[string]float64{}}
	lines := 0
	reader := benchfmt.NewReader(bytes.NewReader(stdout), "output")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return Sample{}, fmt.Errorf("printed %w", rec)
		case *benchfmt.Result:
			if lines++; lines > 1 {
				return Sample{}, fmt.Errorf("printed more than one benchmark line: %.80q", rec.Name)
			}
			s.Digest = rec.GetConfig("digest")
			if text := rec.GetConfig("setup-ns"); text != "" {
				var err error
				if s.SetUpNS, err = strconv.ParseFloat(text, 64); err != nil || !(s.SetUpNS >= 0) {
					return Sample{}, fmt.Errorf("printed setup-ns: %.40q, which is no time", text)
				}
			}
			for _, v := range rec.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				s.Metrics[unit] = value
			}
		}
	}
	if err := reader.Err(); err != nil {
		return Sample{}, err
	}
	if lines == 0 {
		return Sample{}, fmt.Errorf("printed no benchmark line (BenchmarkName N TIME ns/op): %.80q", strings.TrimSpace(string(stdout)))
	}
	if t := s.Metrics["ns/op"]; !(t > 0) || t > 1e18 {
		return Sample{}, fmt.Errorf("printed %v ns/op, which is no time", t)
	}
	return s, nil
}

// Times are the rounds that are complete, as NewLedger takes them: one metric
// of each binary.
func Times(d Design, samples []Sample, unit string) ([][]float64, error) {
	rounds := map[int]map[string]float64{}
	last := -1
	for _, s := range samples {
		x, ok := s.Metrics[unit]
		if !ok {
			return nil, fmt.Errorf("explain: the workload prints no %s", unit)
		}
		if rounds[s.Round] == nil {
			rounds[s.Round] = map[string]float64{}
		}
		rounds[s.Round][s.Binary] = x
		last = max(last, s.Round)
	}
	var times [][]float64
	for round := range last + 1 {
		if len(rounds[round]) < len(d.Binaries) {
			continue
		}
		row := make([]float64, len(d.Binaries))
		for i, b := range d.Binaries {
			row[i] = rounds[round][b.Name]
		}
		times = append(times, row)
	}
	return times, nil
}

// Medians are the medians of a metric in the two builds as they were asked
// for; !ok if the workload does not print it.
func (d Design) Medians(samples []Sample, unit string) (base, other float64, ok bool) {
	var of [2][]float64
	for side := range of {
		name := d.Binaries[d.given(side)].Name
		for _, s := range samples {
			if x, has := s.Metrics[unit]; has && s.Binary == name {
				of[side] = append(of[side], x)
			}
		}
	}
	return stats.Median(of[0]), stats.Median(of[1]), len(of[0]) > 0 && len(of[1]) > 0
}

// MaxSetUp is how much of a sample's time the set-up may take.
const MaxSetUp = 0.3

// SetUpShare is the median share of the set-up in a sample, 0 if the workload
// does not tell it.
func SetUpShare(samples []Sample) float64 {
	var shares []float64
	for _, s := range samples {
		if s.SetUpNS > 0 && s.WallNS > 0 {
			shares = append(shares, s.SetUpNS/float64(s.WallNS))
		}
	}
	if len(shares) == 0 {
		return 0
	}
	return stats.Median(shares)
}

// Units are the metrics that the workload prints, the known ones first.
func Units(samples []Sample) []string {
	known := []string{"ns/op", "cpu-ns/op", "p50-ns", "p99-ns", "p99.9-ns", "max-ns", "minflt/op", "nvcsw/op", "nivcsw/op"}
	seen := map[string]bool{}
	for _, s := range samples {
		for unit := range s.Metrics {
			seen[unit] = true
		}
	}
	units := slices.DeleteFunc(known, func(u string) bool { return !seen[u] })
	for _, u := range units {
		delete(seen, u)
	}
	return append(units, slices.Sorted(maps.Keys(seen))...)
}

// Forget has the next sample begin a run whose work is other work.
func (r *Runner) Forget() { r.first = nil }
