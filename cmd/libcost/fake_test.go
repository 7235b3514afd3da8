package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"libcost/internal/results"
	"libcost/internal/runner"
)

// A machine runs no samples and says what they took: so many ns an op in each
// variant. Everything else of a run is real.
type machine struct {
	ns      map[string]int // by variant; 10 where it has none
	samples int            // so far
	before  func(variant, row string, n int) *runner.Outcome
}

func (m *machine) Execute(ctx context.Context, c runner.Command) runner.Outcome {
	m.samples++
	after := func(flag string) string {
		if i := slices.Index(c.Args, flag); i >= 0 {
			return c.Args[i+1]
		}
		return ""
	}
	row := after("-sample")
	n, _ := strconv.Atoi(after("-n"))
	for _, arg := range c.Args {
		if x, ok := strings.CutPrefix(arg, "-test.benchtime="); ok {
			n, _ = strconv.Atoi(strings.TrimSuffix(x, "x"))
		}
	}
	dir := filepath.Base(filepath.Dir(c.Path)) // gnu-dynamic-0123456789ab
	variant := dir[:strings.LastIndex(dir, "-")]
	if m.before != nil {
		if out := m.before(variant, row, n); out != nil {
			return *out
		}
	}
	if err := ctx.Err(); err != nil {
		return runner.Outcome{Err: err}
	}
	each := m.ns[variant]
	if each == 0 {
		each = 10
	}
	more := ""
	if after("-count") != "" {
		more = `,"calls":[` + strings.TrimSuffix(strings.Repeat("0,", len(runner.Counted)), ",") + "]"
	}
	return runner.Outcome{Start: time.Now(), Wall: time.Duration(each * n), Stdout: fmt.Appendf(nil,
		"Benchmark%s\t%d\t%d ns/op\n{\"result\":{\"n\":%d,\"elapsed_ns\":%d,\"cpu_ns\":%d,\"run_delay_ns\":-1,\"digest\":\"%x\",\"quantiles_ns\":[%d,%d,0,0]%s}}\n",
		row, n, each, n, each*n, each*n, n, each, each, more)}
}

// A reply is what a call of libcost came to.
type reply struct {
	code           int
	stdout, stderr string
}

// libcost calls the command in the tree. A machine disturbs no other run there,
// and none disturbs it.
func libcost(ctx context.Context, exec runner.Executor, args ...string) reply {
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, exec: exec}
	if _, ok := exec.(*machine); ok {
		a.lock = resultsOf(args)
	}
	code := a.main(ctx, args)
	return reply{code, stdout.String(), stderr.String()}
}

// resultsOf is the directory of the runs that a call names.
func resultsOf(args []string) string {
	for i, arg := range args {
		switch arg {
		case "-results":
			return args[i+1]
		case "-resume":
			return filepath.Dir(args[i+1])
		}
	}
	return ""
}

// needsQuiet skips what measures for real while somebody else does.
func needsQuiet(t *testing.T) {
	t.Helper()
	needsMusl(t)
	root, err := findRoot()
	require.NoError(t, err)
	unlock, err := results.Lock(root)
	if err != nil {
		t.Skip(err)
	}
	unlock()
}

// needsMusl skips where gnu and musl can't be compared.
func needsMusl(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: builds variants")
	}
	root, err := findRoot()
	require.NoError(t, err)
	if _, err := exec.LookPath("musl-gcc"); err != nil {
		if _, err := exec.LookPath(filepath.Join(root, ".toolchain", "bin", "musl-gcc")); err != nil {
			t.Skip("musl-gcc not found (make setup)")
		}
	}
}

func readRun(t *testing.T, dir string) *results.Run {
	t.Helper()
	run, err := results.Read(filepath.Join(dir, "latest"))
	require.NoError(t, err)
	return run
}
