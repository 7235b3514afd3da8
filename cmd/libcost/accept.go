package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"libcost/internal/accept"
	"libcost/internal/compare"
	"libcost/internal/host"
	"libcost/internal/report"
	"libcost/internal/results"
	"libcost/internal/stats"
	"libcost/internal/variant"
)

func (a *app) acceptCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "accept [SECTION...]",
		Short: "See whether the suite reproduces what people met, and agrees with others",
		Long: `See whether the suite reproduces what people met (testdata/cases.toml), whether
its floors are low and equal, whether a variant equals its own copy, and whether
rows agree with C loops, fio and perf bench that share no code with them; whether
a replacement part is the same in both libcs, and whether a cause that was
planted into a program is found there.

Sections: cases, null, peers, parts, planted. All of them take about 25 minutes.
What this machine lacks is named and not judged.`,
		Example: "  libcost accept\n  libcost accept cases null",
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range args {
				if _, ok := a.sections()[name]; !ok {
					return usagef("accept: no section %q%s (%s)", name, near(name, sections), strings.Join(sections, ", "))
				}
			}
			f.set = "quick"
			if err := f.check(c, a); err != nil {
				return err
			}
			return a.locked(f, func() error { return a.accept(c.Context(), f, args) })
		},
	}
	f.register(c)
	for _, name := range []string{"set", "rounds", "budget", "bench", "layouts"} {
		_ = c.Flags().MarkHidden(name) // the cases say which rows, and how often
	}
	return c
}

// sections are the parts of accept, in their order.
var sections = []string{"cases", "null", "peers", "parts", "planted"}

// A judge measures what one expects, and says how it came out.
type judge func(context.Context, runFlags, []*variant.Built, []accept.Case) ([]accept.Finding, error)

func (a *app) sections() map[string][]judge {
	return map[string][]judge{
		"cases": {a.acceptCases, a.acceptMemoryDisk}, "null": {a.acceptNull}, "peers": {a.acceptPeers},
		"parts": {a.acceptParts}, "planted": {a.acceptPlanted},
	}
}

func (a *app) accept(ctx context.Context, f runFlags, chosen []string) error {
	cases, err := accept.ReadCases(filepath.Join(a.root, "testdata", "cases.toml"))
	if err != nil {
		return err
	}
	built, err := a.builder().Build(mustParse("gnu"), mustParse("musl"))
	if err != nil {
		return err
	}
	var findings []accept.Finding
	for _, name := range sections {
		if len(chosen) > 0 && !slices.Contains(chosen, name) {
			continue
		}
		for _, judge := range a.sections()[name] {
			more, err := judge(ctx, f, built, cases)
			if err != nil {
				return err
			}
			findings = append(findings, more...)
		}
	}
	if !report.Findings(a.stdout, findings) {
		return errShort
	}
	return nil
}

// acceptCases measures the cases' rows and the floors in one run.
func (a *app) acceptCases(ctx context.Context, f runFlags, built []*variant.Built, cases []accept.Case) ([]accept.Finding, error) {
	cases = append(slices.Clone(cases), accept.Floors()...)
	rounds := accept.Rows(cases)
	var rows []results.Row
	for _, r := range built[0].Rows {
		if n := rounds[r.Key()]; n > 0 {
			rows = append(rows, results.Row{Row: r, Rounds: n, Variants: []string{"gnu", "musl"}})
			delete(rounds, r.Key())
		}
	}
	for key := range rounds {
		return nil, fmt.Errorf("accept: no row %s (bin/libcost rows)", key)
	}
	run, err := a.measureRows(ctx, f, built, rows)
	if err != nil {
		return nil, err
	}
	in := compare.FromRun(run)
	return accept.Judge(cases, in, compare.Compare(in)), nil
}

// measureRows makes one run of rows that have their rounds.
func (a *app) measureRows(ctx context.Context, f runFlags, built []*variant.Built, rows []results.Row) (*results.Run, error) {
	f.command = []string{"libcost", "accept"}
	s, err := a.start(ctx, f, built, rows)
	if err != nil {
		return nil, err
	}
	run, _, err := s.measure(ctx, a)
	return run, err
}

// memoryDir is a directory that is memory on nearly every Linux.
const memoryDir = "/dev/shm"

// acceptMemoryDisk sees that a file system without a disk is told as such.
func (a *app) acceptMemoryDisk(ctx context.Context, f runFlags, built []*variant.Built, _ []accept.Case) ([]accept.Finding, error) {
	const key = "fsync/Sync/size=4096/by=fdatasync/file=append/threads=1"
	finding := accept.Finding{Case: "case 7", What: key + " on tmpfs, gnu", Expected: "0.6 µs; below 10, and told to be no disk"}
	disk, err := host.ReadDisk(memoryDir)
	if err != nil || disk.FileSystem != "tmpfs" {
		finding.Measured, finding.Answer = memoryDir+" is no tmpfs", accept.Unjudged
		return []accept.Finding{finding}, nil
	}
	f.dir = memoryDir
	var rows []results.Row
	for _, r := range built[0].Rows {
		if r.Key() == key {
			rows = append(rows, results.Row{Row: r, Rounds: 10, Variants: []string{"gnu"}})
		}
	}
	run, err := a.measureRows(ctx, f, built[:1], rows)
	if err != nil {
		return nil, err
	}
	var p50 []float64
	for _, s := range run.Samples {
		if s.Status == results.OK {
			p50 = append(p50, float64(s.Result.Quantiles[0]))
		}
	}
	x := stats.Median(p50)
	finding.Measured = report.Value(x, "p50-ns") + "; " + run.Manifest.Disk.Caution
	if x < 10e3 && run.Manifest.Disk.Caution != "" {
		finding.Answer = accept.Holds
	}
	return []accept.Finding{finding}, nil
}

// acceptNull compares each libc's build with its own copy.
func (a *app) acceptNull(ctx context.Context, f runFlags, built []*variant.Built, _ []accept.Case) ([]accept.Finding, error) {
	f.rounds = 20
	var findings []accept.Finding
	for _, b := range built {
		n, err := a.null(ctx, b.Variant.Name, false, f)
		if err != nil {
			return nil, err
		}
		finding := accept.Finding{
			Case: "null", What: b.Variant.Name + " against its own copy, quick set",
			Expected: fmt.Sprintf("at most %d intervals leave out 1, no false verdict", n.Bound),
			Measured: fmt.Sprintf("%d of %d, %d false", n.Outside, n.Lines, len(n.False)),
		}
		if n.Holds() && len(n.False) == 0 {
			finding.Answer = accept.Holds
		}
		findings = append(findings, finding)
	}
	return findings, nil
}
