// Libcost measures what each part of a libc costs, alone, in builds of the same
// code that differ in nothing else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"libcost/internal/runner"
	"libcost/internal/variant"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Exit codes: done; something was refused, dropped or fell short; usage.
const (
	exitDone  = 0
	exitShort = 1
	exitUsage = 2
)

// A usageError is a call that can't be taken.
type usageError struct{ error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// errShort is returned by a command that has told already what fell short.
var errShort = errors.New("something fell short")

// An app is what every sub-command needs.
type app struct {
	root           string
	stdout, stderr io.Writer
	exec           runner.Executor // of samples; tests replace it
	lock           string          // the directory that a run locks; "" is root
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{stdout: stdout, stderr: stderr, exec: runner.Processes{}}
	return a.main(ctx, args)
}

func (a *app) main(ctx context.Context, args []string) int {
	cmd := a.command()
	cmd.SetArgs(longFlags(args))
	cmd.SetOut(a.stdout)
	cmd.SetErr(a.stderr)
	err := cmd.ExecuteContext(ctx)
	var usage usageError
	var name *variant.NameError
	var definition *variant.DefinitionError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errShort):
		return exitShort
	case errors.As(err, &usage), errors.As(err, &name) && !errors.As(err, &definition):
		fmt.Fprintf(a.stderr, "libcost: %v\n", err)
		return exitUsage
	default:
		fmt.Fprintf(a.stderr, "libcost: %v\n", err)
		return exitShort
	}
}

// longFlags takes -set like --set, as Go's own tools do; pflag would read three
// letters. A negative number is no flag.
func longFlags(args []string) []string {
	long := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" {
			copy(long[i:], args[i:])
			break
		}
		if len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && (arg[1] < '0' || arg[1] > '9') {
			arg = "-" + arg
		}
		long[i] = arg
	}
	return long
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "libcost",
		Short: "What each part of a libc costs, in builds that differ in nothing else",
		Example: `  libcost run gnu musl
  libcost rows -set quick`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) (err error) {
			if c.HasParent() && c.Name() != "help" {
				a.root, err = findRoot()
			}
			return err
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return usagef("unknown command %q%s (bin/libcost -h)", args[0], near(args[0], commandNames(c)))
		},
		Args: cobra.ArbitraryArgs,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var unknown interface {
			error
			GetSpecifiedName() string
		}
		if errors.As(err, &unknown) && c.Flags().Lookup(unknown.GetSpecifiedName()) == nil {
			name := unknown.GetSpecifiedName()
			return usagef("unknown flag -%s%s (bin/%s -h)", name, near("-"+name, flagNames(c)), c.CommandPath())
		}
		return usagef("%w (bin/%s -h)", err, c.CommandPath())
	})
	root.AddCommand(a.doctorCommand(), a.buildCommand(), a.runCommand(), a.compareCommand(), a.explainCommand(), a.bugreportCommand(), a.nullCommand(), a.acceptCommand(), a.rowsCommand(), a.variantsCommand(), a.cleanCommand())
	return root
}

func commandNames(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

func flagNames(c *cobra.Command) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "-"+f.Name) })
	return names
}

func near(word string, known []string) string {
	if word == "" {
		return ""
	}
	if n := variant.Near(word, known); n != "" {
		return fmt.Sprintf("; did you mean %s?", n)
	}
	return ""
}

// findRoot is the project's directory: the working directory or one above it.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil && strings.HasPrefix(string(text), "module libcost\n") {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in libcost's tree: the kernels are built from source (cd there first)", dir)
		}
	}
}

// definitions are those of variants.toml, and the musl of MUSL_SRC=.
func (a *app) definitions() (variant.Definitions, error) {
	defs, err := variant.ReadDefinitions(filepath.Join(a.root, "variants.toml"))
	if source := os.Getenv("MUSL_SRC"); err == nil && source != "" {
		if source, err = filepath.Abs(source); err != nil {
			return nil, fmt.Errorf("MUSL_SRC: %w", err)
		}
		if defs == nil {
			defs = variant.Definitions{}
		}
		defs[variant.MuslSource] = variant.Definition{Base: "musl", Source: source}
	}
	return defs, err
}

// variants parses the names of variants, none named twice.
func (a *app) variants(names []string) ([]variant.Variant, error) {
	defs, err := a.definitions()
	if err != nil {
		return nil, err
	}
	var vs []variant.Variant
	seen := map[string]bool{}
	for _, n := range names {
		v, err := variant.Parse(n, defs)
		if err != nil {
			return nil, err
		}
		if seen[v.Name] {
			return nil, usagef("variant %s is named twice", v.Name)
		}
		seen[v.Name] = true
		vs = append(vs, v)
	}
	return vs, nil
}

func (a *app) builder() *variant.Builder {
	return &variant.Builder{Root: a.root, Say: func(line string) { fmt.Fprintln(a.stderr, line) }}
}
