package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"libcost/internal/plan"
	"libcost/internal/variant"
)

// Sets of rows, each with the rounds that it runs by default and the time that
// its samples may take.
var (
	sets      = []string{"quick", "default", "full"}
	setRounds = map[string]int{"quick": 8, "default": 20, "full": 10}
	setBudget = map[string]time.Duration{"quick": 30 * time.Second, "default": 310 * time.Second, "full": 85 * time.Minute}
)

func (a *app) rowsCommand() *cobra.Command {
	set, bench := "full", ""
	c := &cobra.Command{
		Use:   "rows",
		Short: "List the rows: what can be measured",
		Example: `  libcost rows -set quick
  libcost rows -bench Memcmp`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkRows(set, bench); err != nil {
				return err
			}
			built, err := a.builder().Build(mustParse("gnu"))
			if err != nil {
				return err
			}
			rows, err := selectRows(built[0].Rows, set, bench)
			if err != nil {
				return err
			}
			print := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(print, "row\tsets\twhat one op is\tmet in")
			for _, r := range rows {
				fmt.Fprintf(print, "%s\t%s\t%s\t%s\n", r.Key(), strings.Join(setsOf(r), " "), r.About, r.Source)
			}
			if err := print.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%d rows; a run of two variants takes about %v\n", len(rows), estimate(rows, set).Round(10*time.Second))
			return nil
		},
	}
	c.Flags().StringVar(&set, "set", set, "rows of the set `quick, default or full`")
	c.Flags().StringVar(&bench, "bench", bench, "only rows that match this `regexp`")
	return c
}

// What a sample costs, about: the process, its set-up and 40 to 80 ms of ops.
// An op of a row with a disk takes some 0.15 ms.
const (
	sampleCost = 52 * time.Millisecond
	diskOpCost = 150 * time.Microsecond
)

// estimate is what the samples of a set's rows take for two variants, before
// anything was measured.
func estimate(rows []variant.Row, set string) time.Duration {
	var claims []plan.Claim
	for _, r := range rows {
		cost := 2 * sampleCost
		if r.Disk {
			cost = 2 * time.Duration(diskOps(set)) * diskOpCost
		}
		claims = append(claims, claim(r, set, cost))
	}
	var sum time.Duration
	for i, rounds := range plan.Budget(claims, setRounds[set], setBudget[set]) {
		sum += time.Duration(rounds) * claims[i].Round
	}
	return sum
}

// claim is what the budget knows of a row. In the full set rows that are read
// as a curve, and those with ten thousand ops of a disk, have half the rounds.
func claim(r variant.Row, set string, round time.Duration) plan.Claim {
	return plan.Claim{Threads: r.Threads > 1, Control: r.Control, Half: set == "full" && (r.Curve || r.Latency), Round: round}
}

// setsOf are the sets that hold a row, beside full, which holds all, and
// whether the summary does.
func setsOf(r variant.Row) []string {
	var in []string
	for name, has := range map[string]bool{"default": r.Usual, "quick": r.Quick, "summary": r.Summary} {
		if has {
			in = append(in, name)
		}
	}
	slices.Sort(in)
	return in
}

func mustParse(name string) variant.Variant {
	v, err := variant.Parse(name, nil)
	if err != nil {
		panic(err) // a built-in name
	}
	return v
}

// checkRows refuses what selects no rows, before anything is built.
func checkRows(set, bench string) error {
	if !slices.Contains(sets, set) {
		return usagef("unknown set %q%s (quick, default, full)", set, near(set, sets))
	}
	if _, err := regexp.Compile(bench); err != nil {
		return usagef("-bench: %w", err)
	}
	return nil
}

// selectRows takes the rows of a set that match a pattern, or those of any set
// if none of the set's does: whoever names a row wants it.
func selectRows(rows []variant.Row, set, bench string) ([]variant.Row, error) {
	pattern, err := regexp.Compile(bench)
	if err != nil {
		return nil, usagef("-bench: %w", err)
	}
	var chosen, others []variant.Row
	for _, r := range rows {
		switch {
		case r.Key() == bench:
			return []variant.Row{r}, nil
		case !pattern.MatchString(r.Key()):
		case set == "full" || slices.Contains(setsOf(r), set):
			chosen = append(chosen, r)
		default:
			others = append(others, r)
		}
	}
	if len(chosen) == 0 && bench != "" {
		chosen = others
	}
	if len(chosen) == 0 {
		return nil, usagef("no row matches %q%s (bin/libcost rows)", bench, near(bench, names(rows)))
	}
	return chosen, nil
}

// names are the rows' keys and kernels, for a hint at what was meant.
func names(rows []variant.Row) []string {
	var all []string
	for _, r := range rows {
		kernel, _, _ := strings.Cut(r.Name, "/")
		all = append(all, r.Key(), r.Room+"/"+kernel, kernel)
	}
	return all
}
