package sample

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

// A toy workload counts its ops, and may be wrong.
type toy struct {
	n, done int
	wrong   bool
}

func (t *toy) Ops() error { t.done = t.n; return nil }

func (t *toy) Check() (uint64, error) {
	if t.wrong {
		return 0, errors.New("got 4, want 5")
	}
	return uint64(t.done), nil
}

func (t *toy) Close() error { return nil }

func call(wrong bool, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	flags := flag.NewFlagSet("toy", flag.ContinueOnError)
	code = Main(flags, func() (Workload, error) {
		return Workload{Name: "Toy", Op: "op", N: 7, New: func(n int) (Run, error) { return &toy{n: n, wrong: wrong}, nil }}, nil
	}, args, &out, &errs)
	return code, out.String(), errs.String()
}

// A sample prints its digest, its set-up and one benchmark line.
func TestMainPrintsOneLine(t *testing.T) {
	for args, n := range map[string]int{"": 7, "-n 12": 12} {
		code, stdout, stderr := call(false, strings.Fields(args)...)
		require.Zero(t, code, stderr)
		r := benchfmt.NewReader(strings.NewReader(stdout), "out")
		lines := 0
		for r.Scan() {
			rec, ok := r.Result().(*benchfmt.Result)
			require.True(t, ok, stdout)
			lines++
			assert.Equal(t, n, rec.Iters)
			assert.Equal(t, "Toy", string(rec.Name))
			assert.Regexp(t, "^[0-9a-f]{16}$", rec.GetConfig("digest"))
			assert.Regexp(t, "^[0-9]+$", rec.GetConfig("setup-ns"))
			for _, unit := range []string{"sec/op", "cpu-sec/op", "minflt/op", "nvcsw/op", "nivcsw/op"} {
				_, ok := rec.Value(unit)
				assert.True(t, ok, unit)
			}
		}
		assert.Equal(t, 1, lines)
	}
}

func TestMainRefuses(t *testing.T) {
	code, stdout, stderr := call(true)
	assert.Equal(t, exitWrong, code)
	assert.Empty(t, stdout, "a wrong result is no number")
	assert.Equal(t, "toy: check: got 4, want 5\n", stderr)
	for _, args := range []string{"-n -1", "more", "-x"} {
		code, stdout, _ := call(false, strings.Fields(args)...)
		assert.Equal(t, exitUsage, code, args)
		assert.Empty(t, stdout)
	}
	code, _, _ = call(false, "-h")
	assert.Zero(t, code)
}
