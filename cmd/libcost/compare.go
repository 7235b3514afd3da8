package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"libcost/internal/compare"
	"libcost/internal/report"
	"libcost/internal/results"
)

func (a *app) compareCommand() *cobra.Command {
	base, format, force := "", "text", false
	c := &cobra.Command{
		Use:   "compare [RUN... | FILE FILE...]",
		Short: "Compare the variants of a run, or Go benchmark files",
		Long: `Compare the variants of a run, or Go benchmark files. Without a name: results/latest.

Two runs are not interleaved: their difference is also that of two hours, or of
two machines. They are compared with -force only.

A file is a variant with the file's name. Its first line of a benchmark is
paired with the first one in the other file, and so on.`,
		Example: `  libcost compare
  libcost compare -format md results/latest
  libcost compare -base musl testdata/databend/gnu.txt testdata/databend/musl.txt`,
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(report.Formats, format) {
				return usagef("unknown format %q%s (text, md, csv, json)", format, near(format, report.Formats))
			}
			in, err := a.input(args, force)
			if err != nil {
				return err
			}
			if base != "" {
				if !slices.Contains(in.Variants, base) {
					return usagef("-base %s: the variants are %s", base, strings.Join(in.Variants, ", "))
				}
				in.Base = base
			}
			return report.Table(a.stdout, format, compare.Compare(in))
		},
	}
	c.Flags().StringVar(&base, "base", "", "the `variant` to compare with (default: gnu if it is there, else the first)")
	c.Flags().BoolVar(&force, "force", false, "compare two runs all the same")
	c.Flags().StringVar(&format, "format", format, "`text, md, csv or json`")
	return c
}

// input reads one run, several by force, or several files.
func (a *app) input(args []string, force bool) (compare.Input, error) {
	if len(args) == 0 {
		args = []string{filepath.Join(a.root, "results", "latest")}
	}
	info, err := os.Stat(args[0])
	if err != nil {
		return compare.Input{}, fmt.Errorf("compare: %w (make bench-musl bench-gnu)", err)
	}
	if !info.IsDir() {
		return filesInput(args)
	}
	var runs []*results.Run
	for _, dir := range args {
		run, err := results.Read(dir)
		if err != nil {
			return compare.Input{}, err
		}
		for _, w := range run.Warnings {
			fmt.Fprintln(a.stderr, w)
		}
		runs = append(runs, run)
	}
	if len(runs) > 1 {
		if reason := compare.Apart(runs); !force {
			return compare.Input{}, fmt.Errorf("compare %s: %s, so their difference is not the variants' alone (make bench-musl bench-gnu; or -force)", strings.Join(args, " "), reason)
		}
		return compare.Merge(runs), nil
	}
	if len(runs[0].Manifest.Variants) < 2 {
		return compare.Input{}, fmt.Errorf("compare: %s holds %s alone (make bench-musl bench-gnu)", args[0], runs[0].Manifest.Base)
	}
	if len(runs[0].Samples) == 0 {
		return compare.Input{}, fmt.Errorf("compare: %s holds no sample yet (bin/libcost run -resume %s)", args[0], args[0])
	}
	return compare.FromRun(runs[0]), nil
}

func filesInput(args []string) (compare.Input, error) {
	if len(args) < 2 {
		return compare.Input{}, usagef("compare needs two files, or a run's directory")
	}
	in, err := compare.FromFiles(args)
	if err != nil {
		return compare.Input{}, err
	}
	in.Base = in.Variants[0]
	if slices.Contains(in.Variants, "gnu") {
		in.Base = "gnu"
	}
	return in, nil
}
