// Package peer measures the work of some rows without libcost: by plain C loops
// that share nothing with the kernels, by fio, and by perf bench. That both say
// the same is the evidence that a row's number is no product of the harness.
//
// A peer is worth what the sameness of the work is worth, so each one here says
// what its op is, and measures one sample of as many ops as the row does, in a
// process of its own on the same CPU. Comparing is the caller's: one sample of
// the row, one of the peer, in turns.
package peer

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"libcost/internal/results"
	"libcost/internal/runner"
)

// A Peer is another way to measure one row of one variant.
type Peer struct {
	Name    string // "C loop", "fio", "perf bench"
	Row     string // variant.Row.Key of the row
	Variant string // of the row
	N       int    // ops of a sample, of the row's as of the peer's: 40 to 100 ms

	// They agree if the whole interval of peer / row lies within 1/(1+Margin)
	// to 1+Margin, or that of peer - row within FloorNS of 0.
	Margin  float64
	FloorNS float64

	figure figure
	tool   tool
}

// A figure is what of the row's sample the peer measures.
type figure int

const (
	perOp  figure = iota // the mean, ns/op
	median               // p50
)

// A tool makes the peer's samples.
type tool interface {
	// missing is why the tool can't run here, nil if it can.
	missing(context.Context, Site) error
	// measure makes n ops and returns the ns of one.
	measure(ctx context.Context, s Site, n int) (float64, error)
}

// A Site is where the peers run.
type Site struct {
	Exec    runner.Executor
	CPU     int           // to pin them to: that of the rows
	Dir     string        // where fio writes: the directory of the rows that write files
	Timeout time.Duration // of one process
	Loops   string        // the directory that Compile filled
}

// All lists the peers.
func All() []Peer {
	return slices.Concat(loops(), fios(), perfs())
}

// String names the peer and what it measures.
func (p Peer) String() string { return fmt.Sprintf("%s: %s (%s)", p.Name, p.Row, p.Variant) }

// Missing says why the peer can't be had on this machine: its program is not
// installed or refuses to run. That is a reason to leave it out, and nothing is
// wrong.
func (p Peer) Missing(ctx context.Context, s Site) error {
	if err := p.tool.missing(ctx, s); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// Measure takes one sample of N ops and returns the ns of one.
func (p Peer) Measure(ctx context.Context, s Site) (float64, error) {
	ns, err := p.tool.measure(ctx, s, p.N)
	if err == nil && !(ns > 0 && ns < math.Inf(1)) {
		err = fmt.Errorf("%v ns an op", ns)
	}
	if err != nil {
		return 0, fmt.Errorf("%v: %w", p, err)
	}
	return ns, nil
}

// Ours is what the row's own sample says of the same.
func (p Peer) Ours(r results.Result) (float64, error) {
	ns := float64(r.ElapsedNS) / float64(r.N)
	if p.figure == median {
		if len(r.Quantiles) == 0 || r.Quantiles[0] <= 0 {
			return 0, fmt.Errorf("%v: the row's sample of %d ops has no p50", p, r.N)
		}
		ns = float64(r.Quantiles[0])
	}
	return ns, nil
}

// run runs a program on the site's CPU and returns what it printed. It sees
// nothing of the user's environment: a MALLOC_ARENA_MAX in it would be measured,
// and a locale would change how numbers are printed.
func (s Site) run(ctx context.Context, path string, args ...string) ([]byte, error) {
	out := s.Exec.Execute(ctx, runner.Command{
		Path: path, Args: args, Env: []string{"LC_ALL=C"}, CPU: s.CPU, Timeout: s.Timeout,
	})
	switch {
	case out.Err != nil:
		return nil, out.Err
	case out.Hung:
		return nil, fmt.Errorf("no answer in %v", s.Timeout)
	case out.Signal != 0:
		return nil, fmt.Errorf("killed by %v (signal %d)", out.Signal, int(out.Signal))
	case out.Code != 0:
		return nil, fmt.Errorf("exit code %d: %s", out.Code, said(out))
	}
	return out.Stdout, nil
}

// said is the last thing that a failed program printed.
func said(out runner.Outcome) string {
	text := bytes.TrimSpace(slices.Concat(out.Stdout, []byte("\n"), out.Stderr))
	return fmt.Sprintf("%.300s", text[bytes.LastIndexByte(text, '\n')+1:])
}

// unknown is a program's output that is not what is known of it.
func unknown(what string, output []byte) error {
	return fmt.Errorf("%s: unknown output: %.200q", what, strings.TrimSpace(string(output)))
}
