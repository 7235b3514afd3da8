// Check-shims proves that every row of the variants reaches the libc functions
// that it names: see package shims.
//
//	check-shims [-C dir] [variant...]
//
// Without arguments it builds and checks gnu and musl, linked both ways. It
// prints a line for each room, and one for each thing that is wrong.
// Exit: 0 all is well, 1 something is not or could not be checked, 2 usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"libcost/internal/shims"
	"libcost/internal/variant"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

var defaults = []string{"gnu", "musl", "gnu-dynamic", "musl-dynamic"}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("check-shims", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: check-shims [-C dir] [variant...]   (default: %s)\n", strings.Join(defaults, " "))
		flags.PrintDefaults()
	}
	dir := flags.String("C", ".", "the project's `directory`")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	names := flags.Args()
	if len(names) == 0 {
		names = defaults
	}
	root, variants, err := parse(*dir, names)
	if err != nil {
		fmt.Fprintln(stderr, "check-shims:", err)
		return 2
	}
	builder := &variant.Builder{Root: root, Say: func(line string) { fmt.Fprintln(stderr, line) }}
	builds, err := builder.Build(variants...)
	if err != nil {
		fmt.Fprintln(stderr, "check-shims:", err)
		return 1
	}
	report, err := shims.Check(root, builds)
	if err != nil {
		fmt.Fprintln(stderr, "check-shims:", err)
		return 1
	}
	fmt.Fprint(stdout, report)
	if len(report.Findings) > 0 {
		return 1
	}
	return 0
}

func parse(dir string, names []string) (string, []variant.Variant, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	defs, err := variant.ReadDefinitions(filepath.Join(root, "variants.toml"))
	if err != nil {
		return "", nil, err
	}
	var list []variant.Variant
	for _, name := range names {
		v, err := variant.Parse(name, defs)
		if err != nil {
			return "", nil, err
		}
		list = append(list, v)
	}
	return root, list, nil
}
