package sample_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"libcost/e2e/internal/sample"
	"libcost/e2e/internal/sampletest"
)

type fake struct {
	calls              *[]string
	ops, check, closes error
}

func (f fake) call(name string) { *f.calls = append(*f.calls, name) }

func (f fake) Ops() error             { f.call("ops"); return f.ops }
func (f fake) Check() (uint64, error) { f.call("check"); return 0x2a, f.check }
func (f fake) Close() error           { f.call("close"); return f.closes }

func program(f fake, refused, setup error) sampletest.Program {
	return func(args []string, stdout, stderr io.Writer) int {
		flags := flag.NewFlagSet("fake", flag.ContinueOnError)
		return sample.Main(flags, func() (sample.Workload, error) {
			return sample.Workload{Name: "Fake/size=1", Op: "turn", N: 7, New: func(int) (sample.Run, error) { return f, setup }}, refused
		}, args, stdout, stderr)
	}
}

func TestMain(t *testing.T) {
	var calls []string
	digest := sampletest.Good(t, program(fake{calls: &calls}, nil, nil), "Fake/size=1", 3)
	assert.Equal(t, "000000000000002a", digest)
	assert.Equal(t, []string{"ops", "check", "close"}, calls)

	var stdout, stderr bytes.Buffer
	assert.Zero(t, program(fake{calls: &calls}, nil, nil)(nil, &stdout, &stderr))
	sampletest.Line(t, stdout.String(), "Fake/size=1", 7)
}

// A sample that went wrong has no line that could be measured.
func TestWrong(t *testing.T) {
	bad := errors.New("bad")
	for want, run := range map[string]sampletest.Program{
		"fake: set up: bad\n": program(fake{calls: new([]string)}, nil, bad),
		"fake: turn: bad\n":   program(fake{calls: new([]string), ops: bad}, nil, nil),
		"fake: check: bad\n":  program(fake{calls: new([]string), check: bad}, nil, nil),
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 1, run(nil, &stdout, &stderr))
		assert.Equal(t, want, stderr.String())
		assert.Empty(t, stdout.String())
	}
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 1, program(fake{calls: new([]string), closes: bad}, nil, nil)(nil, &stdout, &stderr))
	assert.Equal(t, "fake: bad\n", stderr.String())
}

func TestUsage(t *testing.T) {
	run := program(fake{calls: new([]string)}, nil, nil)
	sampletest.Usage(t, run, "less than 1 op", "-n", "-1")
	sampletest.Usage(t, run, `unexpected argument "x"`, "x")
	sampletest.Usage(t, run, "not defined", "-what")
	sampletest.Usage(t, program(fake{}, errors.New("no such store"), nil), "no such store")

	var stdout, stderr bytes.Buffer
	assert.Zero(t, run([]string{"-h"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "-n ops")
	assert.Empty(t, stdout.String())
}
