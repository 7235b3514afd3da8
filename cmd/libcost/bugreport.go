package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"libcost/internal/bugreport"
	"libcost/internal/compare"
	"libcost/internal/results"
	"libcost/internal/variant"
)

func (a *app) bugreportCommand() *cobra.Command {
	out, name := "", ""
	c := &cobra.Command{
		Use:   "bugreport ROW [RUN]",
		Short: "Write what a maintainer can act on: a text, and the loop as a program of its own",
		Long: `Write what a maintainer of a libc or an allocator can act on: a text about one
row of a run (without a name: results/latest), and a .tar.gz with the loop that
was measured as a C program that needs no libcost. Neither holds a name or a
path of this machine.`,
		Example: "  libcost bugreport memops/Memcmp/size=4096/a=0/b=0/differ=none/threads=1",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usagef("bugreport takes a row, and perhaps a run (bin/libcost rows)")
			}
			dir := filepath.Join(a.root, "results", "latest")
			if len(args) == 2 {
				dir = args[1]
			}
			return a.bugreport(c.Context(), args[0], dir, name, out)
		},
	}
	c.Flags().StringVar(&out, "out", ".", "`directory` for the two files")
	c.Flags().StringVar(&name, "variant", "", "the `variant` that is reported (default: the first that was compared)")
	return c
}

var noFileName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func (a *app) bugreport(ctx context.Context, row, dir, name, out string) error {
	run, err := results.Read(dir)
	if err != nil {
		return err
	}
	for _, w := range run.Warnings {
		fmt.Fprintln(a.stderr, w)
	}
	table := compare.Compare(compare.FromRun(run))
	r, err := bugreport.New(run, table, row, name)
	if err != nil {
		var keys []string
		for _, row := range run.Manifest.Rows {
			keys = append(keys, row.Key())
		}
		return fmt.Errorf("bugreport: %w%s (bin/libcost rows)", err, near(row, keys))
	}
	stem := "libcost-" + strings.Trim(noFileName.ReplaceAllString(row, "-"), "-")
	text, archive := filepath.Join(out, stem+".md"), filepath.Join(out, stem+".tar.gz")
	// Told before the work.
	for _, file := range []string{text, archive} {
		if _, err := os.Stat(file); err == nil {
			return fmt.Errorf("bugreport: %s is there already (mv it, or -out another directory)", file)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("bugreport: %w", err)
		}
	}
	if info, err := os.Stat(out); err != nil || !info.IsDir() {
		return fmt.Errorf("bugreport: %s is no directory (mkdir -p %s)", out, out)
	}
	// Opened before the work too: a directory that can't be written is told now.
	f, err := os.OpenFile(text, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("bugreport: %w", err)
	}
	defer f.Close()
	if err := a.pack(ctx, &r, archive, stem); err != nil {
		return errors.Join(err, os.Remove(text))
	}
	a.list(ctx, &r)
	var written bytes.Buffer
	r.Markdown(&written)
	if _, err := f.Write(written.Bytes()); err != nil {
		return fmt.Errorf("bugreport: %w", err)
	}
	fmt.Fprintln(a.stdout, text)
	if r.Archive != "" {
		fmt.Fprintln(a.stdout, archive)
	}
	return nil
}

// pack writes the reproducer and tries to compile it with each libc's compiler.
func (a *app) pack(ctx context.Context, r *bugreport.Report, archive, stem string) error {
	files, err := bugreport.Files(a.root, r.Row, r.Row.N[r.Base.Name])
	if err != nil {
		fmt.Fprintf(a.stderr, "no reproducer: %v\n", err)
		return nil
	}
	f, err := os.OpenFile(archive, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("bugreport: %w", err)
	}
	if err := errors.Join(bugreport.Pack(f, stem, files), f.Close()); err != nil {
		return fmt.Errorf("bugreport: %w", err)
	}
	r.Archive = stem + ".tar.gz"
	for _, libc := range variant.Libcs {
		cc, err := a.builder().CC(mustParse(libc))
		if err != nil {
			r.Compiled = append(r.Compiled, fmt.Sprintf("no compiler for %s", libc))
			continue
		}
		dir, err := os.MkdirTemp("", "libcost-repro-")
		if err != nil {
			return fmt.Errorf("bugreport: %w", err)
		}
		if _, err := bugreport.Compile(ctx, cc, dir, files); err != nil {
			r.Compiled = append(r.Compiled, err.Error())
		} else {
			r.Compiled = append(r.Compiled, filepath.Base(cc)+": compiles it")
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("bugreport: %w", err)
		}
	}
	return nil
}

// list disassembles the loop and what it reaches, in both builds, where they
// are still there.
func (a *app) list(ctx context.Context, r *bugreport.Report) {
	for _, v := range []results.Variant{r.Base, r.Variant} {
		binary := (&variant.Built{Dir: filepath.Join(a.root, ".build", v.Name+"-"+v.Build)}).Binary(r.Row.Row)
		functions := []string{symbolAt(binary, r.Row.Op)}
		for _, call := range strings.Fields(r.Row.Calls) {
			if f, ok := v.Facts.Functions[call]; ok && f.File == "" {
				call = f.Symbol
			}
			functions = append(functions, call)
		}
		for i, function := range functions {
			if function == "" || function == "*" || function == "syscall" || i == 0 && v.Name != r.Base.Name {
				continue // the loop is the same in both
			}
			if text, err := bugreport.Disassemble(ctx, binary, function); err == nil {
				r.Listings = append(r.Listings, bugreport.Listing{Variant: v.Name, Function: function, Text: text})
			} else {
				fmt.Fprintf(a.stderr, "not listed: %s of %s: %v\n", function, v.Name, err)
			}
		}
	}
}

// symbolAt is the function at an address of a binary, "" if nobody knows.
func symbolAt(binary string, address uint64) string {
	file, err := elf.Open(binary)
	if err != nil {
		return ""
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return ""
	}
	for _, s := range symbols {
		if s.Value == address && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			return s.Name
		}
	}
	return ""
}
