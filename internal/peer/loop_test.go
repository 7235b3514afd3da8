package peer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"libcost/internal/runner"
	"libcost/internal/variant"
)

func TestMeasureLoop(t *testing.T) {
	f := &fake{outcome: runner.Outcome{Stdout: []byte("4.3210\n")}}
	got, err := find(t, "C loop", "Mutex", "musl").Measure(t.Context(), f.site(t))
	if err != nil || got != 4.321 {
		t.Errorf("got %v, %v, want 4.321", got, err)
	}
	want := runner.Command{Path: "loops/mutex.musl", Args: []string{"2500000"}, Env: []string{"LC_ALL=C"}, CPU: 1, Timeout: time.Minute}
	if len(f.commands) != 1 || fmt.Sprint(f.commands[0]) != fmt.Sprint(want) {
		t.Errorf("ran %+v, want %+v", f.commands, want)
	}
}

// compile compiles the loops of a libc, skipping the test where there is no
// compiler for it.
func compile(t *testing.T, libc string, ldflags ...string) (dir string) {
	t.Helper()
	v, err := variant.Parse(libc, nil)
	if err != nil {
		t.Fatal(err)
	}
	v.LDFlags = ldflags
	dir = t.TempDir()
	if err := Compile(t.Context(), v, compiler(t, libc), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func compiler(t *testing.T, libc string) string {
	t.Helper()
	name := map[string]string{"gnu": "gcc", "musl": "musl-gcc"}[libc]
	for _, file := range []string{"../../.toolchain/bin/" + name, name} {
		if path, err := exec.LookPath(file); err == nil {
			path, err = filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	t.Skipf("%s is not installed (make setup)", name)
	return ""
}

// The loops run as they are measured, and each op of theirs is a call that
// reaches libc: the linker puts a counter before each function. Nothing is
// deleted, hoisted or doubled. libc's own printf may call some of them, a few
// times.
func TestLoopsCallLibc(t *testing.T) {
	const n = 1000
	calls := map[string][]string{
		"pair":   {"malloc", "free"},
		"write":  {"write"},
		"mutex":  {"pthread_mutex_lock", "pthread_mutex_unlock"},
		"thread": {"pthread_create", "pthread_join"},
	}
	var wrap []string
	for _, names := range calls {
		for _, name := range names {
			wrap = append(wrap, "-Wl,--wrap="+name)
		}
	}
	counter, err := filepath.Abs("testdata/count.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, libc := range variant.Libcs {
		t.Run(libc, func(t *testing.T) {
			dir := compile(t, libc, append(wrap, counter)...)
			for _, p := range loops() {
				l := p.tool.(loop)
				if l.variant != libc {
					continue
				}
				cmd := exec.Command(l.binary(dir), fmt.Sprint(n))
				var counts strings.Builder
				cmd.Stderr = &counts
				if out, err := cmd.Output(); err != nil || !loopOutput.Match(out) {
					t.Errorf("%s: printed %q, %v", l.name, out, err)
				}
				for line := range strings.Lines(counts.String()) {
					var name string
					var got int
					if _, err := fmt.Sscan(line, &name, &got); err != nil {
						t.Fatalf("%s: %q: %v", l.name, line, err)
					}
					want := 0
					if slices.Contains(calls[l.name], name) {
						want = n
					}
					// pthread_create allocates, and printf may.
					if own := l.name == "thread" && (name == "malloc" || name == "free"); !own && (got < want || got > want+10) {
						t.Errorf("%s: %d calls of %s in %d ops", l.name, got, name, n)
					}
				}
				if got := strings.Count(counts.String(), "\n"); got != len(wrap) {
					t.Errorf("%s: %d functions counted, want %d", l.name, got, len(wrap))
				}
			}
		})
	}
}

// Each loop runs in its libc as accept runs it.
func TestLoops(t *testing.T) {
	for _, libc := range variant.Libcs {
		t.Run(libc, func(t *testing.T) {
			s := Site{Exec: runner.Processes{}, CPU: -1, Timeout: time.Minute, Loops: compile(t, libc)}
			for _, p := range loops() {
				if p.Variant != libc {
					continue
				}
				p.N = 100
				if err := p.Missing(t.Context(), s); err != nil {
					t.Error(err)
				}
				if _, err := p.Measure(t.Context(), s); err != nil {
					t.Error(err)
				}
			}
			for _, args := range [][]string{nil, {"0"}, {"many"}, {"1", "2"}} {
				var exit *exec.ExitError
				cmd := exec.Command(filepath.Join(s.Loops, "pair."+libc), args...)
				if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
					t.Errorf("arguments %q: got %v, want exit code 2", args, err)
				}
			}
		})
	}
}

// The loops get the flags of the kernels, and the variant's own.
func TestCompileFlags(t *testing.T) {
	dir := t.TempDir()
	cc := filepath.Join(dir, "cc")
	if err := os.WriteFile(cc, []byte("#!/bin/sh\ncat loops/main.c >/dev/null && echo \"$@\" >>"+dir+"/said\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	v := variant.Variant{Name: "musl", Static: true, CFlags: []string{"-Os"}, LDFlags: []string{"-Wl,-O1"}}
	if err := Compile(t.Context(), v, cc, filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	want := fmt.Sprintf("%s -Os -fno-builtin loops/main.c loops/pair.c -o %s/new/pair.musl -static -Wl,-O1", strings.Join(variant.CFlags, " "), dir)
	if len(lines) != 4 || lines[0] != want {
		t.Errorf("ran %q,\nwant first %q", lines, want)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestCompileFails(t *testing.T) {
	v, err := variant.Parse("gnu", nil)
	if err != nil {
		t.Fatal(err)
	}
	v.CFlags = []string{"-Dpthread_mutex_lock=no_such_function"}
	err = Compile(t.Context(), v, compiler(t, "gnu"), t.TempDir())
	var step *variant.StepError
	if !errors.As(err, &step) || !strings.Contains(err.Error(), "build gnu: C loop mutex: ") || !strings.Contains(err.Error(), "no_such_function") {
		t.Errorf("got %v", err)
	}
}
