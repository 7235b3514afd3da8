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
	base, format := "", "text"
	c := &cobra.Command{
		Use:   "compare [RUN | FILE FILE...]",
		Short: "Compare the variants of a run, or Go benchmark files",
		Long: `Compare the variants of a run, or Go benchmark files. Without a name: results/latest.

A file is a variant with the file's name. Its first line of a benchmark is
paired with the first one in the other file, and so on.`,
		Example: `  libcost compare
  libcost compare -format md results/latest
  libcost compare -base musl testdata/databend/gnu.txt testdata/databend/musl.txt`,
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(report.Formats, format) {
				return usagef("unknown format %q%s (text, md, csv, json)", format, near(format, report.Formats))
			}
			in, err := a.input(args)
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
	c.Flags().StringVar(&format, "format", format, "`text, md, csv or json`")
	return c
}

// input reads one run or several files.
func (a *app) input(args []string) (compare.Input, error) {
	if len(args) == 0 {
		args = []string{filepath.Join(a.root, "results", "latest")}
	}
	info, err := os.Stat(args[0])
	if err != nil {
		return compare.Input{}, fmt.Errorf("compare: %w (make bench-musl bench-gnu)", err)
	}
	if info.IsDir() {
		if len(args) > 1 {
			return compare.Input{}, usagef("compare takes one run, or files")
		}
		run, err := results.Read(args[0])
		if err != nil {
			return compare.Input{}, err
		}
		for _, w := range run.Warnings {
			fmt.Fprintln(a.stderr, w)
		}
		if len(run.Manifest.Variants) < 2 {
			return compare.Input{}, fmt.Errorf("compare: %s holds %s alone (make bench-musl bench-gnu)", args[0], run.Manifest.Variants[0].Name)
		}
		return compare.FromRun(run), nil
	}
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
