package main

import (
	"context"

	"github.com/spf13/cobra"

	"libcost/internal/compare"
	"libcost/internal/report"
	"libcost/internal/results"
	"libcost/internal/variant"
)

func (a *app) nullCommand() *cobra.Command {
	var f runFlags
	relink := false
	c := &cobra.Command{
		Use:   "null VARIANT",
		Short: "Compare a variant with a second copy of itself: what the method finds where nothing is",
		Example: `  libcost null musl
  libcost null -relink -bench memops gnu`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("null takes one variant (bin/libcost variants)")
			}
			if err := f.check(c, a); err != nil {
				return err
			}
			return a.locked(f, func() error {
				n, err := a.null(c.Context(), args[0], relink, f)
				if err != nil {
					return err
				}
				if !n.Holds() {
					return errShort
				}
				return nil
			})
		},
	}
	f.register(c)
	c.Flags().BoolVar(&relink, "relink", false, "pad and relink the second copy: what the layout of the code does")
	return c
}

// null measures a variant against its copy and prints what came of it.
func (a *app) null(ctx context.Context, name string, relink bool, f runFlags) (compare.Null, error) {
	vs, err := a.variants([]string{name})
	if err != nil {
		return compare.Null{}, err
	}
	built, err := a.builder().Build(vs...)
	if err != nil {
		return compare.Null{}, err
	}
	first := built[0]
	layout := 0
	if relink {
		layout = max(1, f.layouts)
	}
	second, err := a.second(vs[0], layout)
	if err != nil {
		return compare.Null{}, err
	}
	chosen, err := selectRows(first.Rows, f.set, f.bench)
	if err != nil {
		return compare.Null{}, err
	}
	var rows []results.Row
	for _, r := range chosen {
		rows = append(rows, results.Row{Row: r, Variants: []string{first.Variant.Name, second.Variant.Name}})
	}
	f.command = f.line("null", relink, name)
	s, err := a.start(ctx, f, []*variant.Built{first, second}, rows)
	if err != nil {
		return compare.Null{}, err
	}
	run, _, err := s.measure(ctx, a)
	if err != nil {
		return compare.Null{}, err
	}
	n := compare.JudgeNull(compare.Compare(compare.FromRun(run)))
	report.Null(a.stdout, name, n)
	return n, nil
}
