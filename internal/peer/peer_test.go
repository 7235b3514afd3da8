package peer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"libcost/internal/results"
	"libcost/internal/runner"
)

// A fake executor records what it is asked and answers what it is told.
type fake struct {
	commands []runner.Command
	outcome  runner.Outcome
	during   func(runner.Command) // looks at what the program would find
}

func (f *fake) Execute(_ context.Context, c runner.Command) runner.Outcome {
	f.commands = append(f.commands, c)
	if f.during != nil {
		f.during(c)
	}
	return f.outcome
}

func (f *fake) site(t *testing.T) Site {
	return Site{Exec: f, CPU: 1, Dir: t.TempDir(), Timeout: time.Minute, Loops: "loops"}
}

// install puts programs of these names, and no others, into PATH.
func install(t *testing.T, names ...string) (dir string) {
	dir = t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

func find(t *testing.T, name, row, variant string) Peer {
	t.Helper()
	for _, p := range All() {
		if p.Name == name && strings.Contains(p.Row, row) && p.Variant == variant {
			return p
		}
	}
	t.Fatalf("no %s for %s (%s)", name, row, variant)
	return Peer{}
}

func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if seen[p.String()] {
			t.Errorf("%v is there twice", p)
		}
		seen[p.String()] = true
		if p.N < 1 || p.Margin <= 0 || p.tool == nil {
			t.Errorf("%v is not complete: %+v", p, p)
		}
	}
}

// Each C loop stands beside a row of the plain workers. The tables are read as
// text: the list must not need a built binary.
func TestEachLoopHasARow(t *testing.T) {
	tables, err := filepath.Glob("../../*/table.c")
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	rows := map[string]bool{}
	for _, file := range tables {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`{ "(\w+)", "([^"]*proc=plain[^"]*)"`).FindAllStringSubmatch(string(text), -1) {
			for _, name := range expand([]string{filepath.Base(filepath.Dir(file)) + "/" + m[1]}, strings.Fields(m[2])) {
				rows[name] = true
			}
		}
	}
	for _, p := range loops() {
		if !rows[p.Row] {
			t.Errorf("%v: no row of that name", p)
		}
	}
}

// expand makes a name of each combination of a grid's values.
func expand(names []string, grid []string) []string {
	for _, field := range grid {
		key, values, _ := strings.Cut(field, "=")
		var longer []string
		for _, name := range names {
			for _, value := range strings.Split(values, ",") {
				longer = append(longer, name+"/"+key+"="+value)
			}
		}
		names = longer
	}
	return names
}

func TestOurs(t *testing.T) {
	r := results.Result{N: 300, ElapsedNS: 60_000, Quantiles: []int64{150, 180, 0, 0}}
	for _, c := range []struct {
		peer Peer
		want float64
	}{
		{find(t, "C loop", "Pair", "musl"), 200},
		{find(t, "fio", "append", "gnu"), 150},
		{find(t, "perf bench", "Getppid", "gnu-dynamic"), 200},
	} {
		if got, err := c.peer.Ours(r); err != nil || got != c.want {
			t.Errorf("%v: got %v, %v, want %v", c.peer, got, err, c.want)
		}
	}
	p := find(t, "fio", "append", "gnu")
	for _, quantiles := range [][]int64{nil, {0, 0, 0, 0}} {
		if got, err := p.Ours(results.Result{N: 9, ElapsedNS: 9, Quantiles: quantiles}); err == nil {
			t.Errorf("quantiles %v: got %v, want an error", quantiles, got)
		}
	}
}

// What goes wrong with the program is told; no number comes out.
func TestMeasureFails(t *testing.T) {
	p := find(t, "C loop", "Mutex", "musl")
	for _, c := range []struct {
		outcome runner.Outcome
		want    string
	}{
		{runner.Outcome{Err: errors.New("no such file")}, "no such file"},
		{runner.Outcome{Hung: true, Signal: syscall.SIGKILL}, "no answer in 1m0s"},
		{runner.Outcome{Signal: syscall.SIGSEGV}, "signal 11"},
		{runner.Outcome{Code: 1, Stderr: []byte("mutex.musl: Invalid argument\n")}, "exit code 1: mutex.musl: Invalid argument"},
		{runner.Outcome{Code: 1, Stdout: []byte("one\ntwo\n")}, "exit code 1: two"},
		{runner.Outcome{Code: 7}, "exit code 7"},
		{runner.Outcome{}, "unknown output"},
		{runner.Outcome{Stdout: []byte("4.3210 ns\n")}, "unknown output"},
		{runner.Outcome{Stdout: []byte("4.3210\n4.3210\n")}, "unknown output"},
		{runner.Outcome{Stdout: []byte("4.32\n")}, "unknown output"},
		{runner.Outcome{Stdout: []byte("nan\n")}, "unknown output"},
		{runner.Outcome{Stdout: []byte("-4.3210\n")}, "unknown output"},
		{runner.Outcome{Stdout: []byte("0.0000\n")}, "0 ns an op"},
	} {
		f := &fake{outcome: c.outcome}
		got, err := p.Measure(t.Context(), f.site(t))
		if err == nil || got != 0 || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), p.String()+": ") {
			t.Errorf("%+v: got %v, %v, want %q", c.outcome, got, err, c.want)
		}
	}
}

func TestMissing(t *testing.T) {
	fine := &fake{}
	refused := &fake{outcome: runner.Outcome{Code: 2, Stderr: []byte("WARNING: perf not found for kernel 6.1\n")}}
	for _, name := range []string{"fio", "perf bench"} {
		var p Peer
		for _, p = range All() {
			if p.Name == name {
				break
			}
		}
		install(t)
		if err := p.Missing(t.Context(), fine.site(t)); err == nil || err.Error() != name+": not installed" {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := p.Measure(t.Context(), fine.site(t)); err == nil {
			t.Errorf("%s measures without being installed", name)
		}
		install(t, "fio", "perf")
		if err := p.Missing(t.Context(), refused.site(t)); err == nil || !strings.HasSuffix(err.Error(), "exit code 2: WARNING: perf not found for kernel 6.1") {
			t.Errorf("%s refuses: got %v", name, err)
		}
		if err := p.Missing(t.Context(), fine.site(t)); err != nil {
			t.Errorf("%s is there: got %v", name, err)
		}
	}
}
