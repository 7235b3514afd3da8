package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"libcost/internal/variant"
)

func (a *app) buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "build VARIANT...",
		Short:   "Build variants and see that each binary holds what its name says",
		Example: "  libcost build gnu musl musl+mimalloc",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("build: name a variant (bin/libcost variants)")
			}
			vs, err := a.variants(args)
			if err != nil {
				return err
			}
			built, err := a.builder().Build(vs...)
			if err != nil {
				return err
			}
			print := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(print, "variant\tlibc\tlinkage\tallocator\tswapped\tmemcpy\tmemcmp\tmalloc\tcompiler\tbinaries")
			for _, b := range built {
				f := b.Facts
				fmt.Fprintf(print, "%s\t%s %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", b.Variant.Name, f.Libc, f.LibcVersion, f.Linkage, f.Allocator,
					cmp.Or(strings.Join(f.Parts, "+"), "none"),
					f.Functions["memcpy"], f.Functions["memcmp"], f.Functions["malloc"], f.Compiler, relative(b.Dir))
			}
			return print.Flush()
		},
	}
}

// relative is a path as a person here would type it.
func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	r, err := filepath.Rel(here, path)
	if err != nil || strings.HasPrefix(r, "..") {
		return path
	}
	return r
}

func (a *app) variantsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "variants",
		Short: "List the variants that can be built",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			defs, err := a.definitions()
			if err != nil {
				return err
			}
			for _, name := range variant.Known(defs) {
				v, err := variant.Parse(name, defs)
				if err != nil {
					return err
				}
				line := fmt.Sprintf("%s, %s", map[string]string{"gnu": "glibc", "musl": "musl"}[v.Libc], v.Linkage())
				if v.Allocator() != "native" {
					line += ", malloc from " + v.Allocator()
				}
				if slices.Contains(v.Parts, "memops") {
					line += ", memory functions from swap/memops"
				}
				if slices.Contains(v.Parts, "locks") {
					line += ", locks from swap/locks"
				}
				if _, own := defs[name]; own {
					line += ", from variants.toml"
				}
				fmt.Fprintf(a.stdout, "%-24s %s\n", name, line)
			}
			return nil
		},
	}
}

func (a *app) cleanCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove what was built; results stay",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			return os.RemoveAll(filepath.Join(a.root, ".build"))
		},
	}
}

// noArgs is cobra.NoArgs as a usage error.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument, got %q (bin/%s -h)", c.Name(), args[0], c.CommandPath())
	}
	return nil
}
