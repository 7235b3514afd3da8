package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"libcost/internal/accept"
	"libcost/internal/peer"
	"libcost/internal/results"
	"libcost/internal/runner"
	"libcost/internal/stats"
	"libcost/internal/variant"
)

// peerPairs is how often a row and its peer are measured, in turns.
const peerPairs = 40

// acceptPeers compares rows with measurements that share no code with them.
func (a *app) acceptPeers(ctx context.Context, f runFlags, built []*variant.Built, _ []accept.Case) ([]accept.Finding, error) {
	dynamic, err := a.builder().Build(mustParse("gnu-dynamic"))
	if err != nil {
		return nil, err
	}
	built = slices.Concat(built, dynamic)
	dir, err := filesDir(f.dir, f.results)
	if err != nil {
		return nil, err
	}
	builds, err := a.layouts(built, 1)
	if err != nil {
		return nil, err
	}
	m, err := newManifest(builds, nil, f, dir)
	if err != nil {
		return nil, err
	}
	loops, err := os.MkdirTemp("", "libcost-peers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(loops)
	for _, b := range built {
		cc, err := a.builder().CC(b.Variant)
		if err != nil {
			return nil, err
		}
		if err := peer.Compile(ctx, b.Variant, cc, loops); err != nil {
			return nil, err
		}
	}
	d := duel{
		runner: a.newRunner(builds, m, dir), rows: built[0].Rows,
		site: peer.Site{Exec: a.exec, CPU: m.Pin, Dir: dir, Timeout: f.timeout, Loops: loops},
	}
	peers := peer.All()
	progress, done := bar(a.stderr, len(peers), fmt.Sprintf("peers: %d, %d pairs each", len(peers), peerPairs))
	defer done()
	var findings []accept.Finding
	for i, p := range peers {
		progress(i)
		finding, err := d.fight(ctx, p)
		if err != nil {
			return nil, err
		}
		findings = append(findings, finding)
	}
	progress(len(peers))
	return findings, nil
}

// A duel measures a row and its peer in turns.
type duel struct {
	runner *runner.Runner
	rows   []variant.Row
	site   peer.Site
}

func (d duel) fight(ctx context.Context, p peer.Peer) (accept.Finding, error) {
	finding := accept.Finding{Case: "peer", What: p.String(), Expected: fmt.Sprintf("within %g %%", 100*p.Margin)}
	if p.FloorNS > 0 {
		finding.Expected += fmt.Sprintf(" or %g ns", p.FloorNS)
	}
	if err := p.Missing(ctx, d.site); err != nil {
		finding.Measured, finding.Answer = err.Error(), accept.Unjudged
		return finding, ctx.Err()
	}
	at := slices.IndexFunc(d.rows, func(r variant.Row) bool { return r.Key() == p.Row })
	if at < 0 {
		return finding, fmt.Errorf("accept: %v: no such row", p)
	}
	var ours, theirs []float64
	for i := range peerPairs {
		x, y, err := d.pair(ctx, p, d.rows[at], i%2 == 0)
		if err := ctx.Err(); err != nil {
			return finding, err
		}
		if err != nil {
			finding.Measured = err.Error()
			return finding, nil
		}
		ours, theirs = append(ours, x), append(theirs, y)
	}
	err := judgePeer(p, &finding, ours, theirs)
	return finding, err
}

// pair takes one sample of each, in either order.
func (d duel) pair(ctx context.Context, p peer.Peer, row variant.Row, oursFirst bool) (ours, theirs float64, err error) {
	mine := func() error {
		s := d.runner.Sample(ctx, row, p.Variant, 0, p.N)
		if s.Status != results.OK {
			return fmt.Errorf("%s: %s", filepath.Base(row.Key()), s.Error)
		}
		ours, err = p.Ours(*s.Result)
		return err
	}
	if oursFirst {
		if err := mine(); err != nil {
			return 0, 0, err
		}
	}
	if theirs, err = p.Measure(ctx, d.site); err != nil {
		return 0, 0, err
	}
	if !oursFirst {
		if err := mine(); err != nil {
			return 0, 0, err
		}
	}
	return ours, theirs, nil
}

// judgePeer says whether both agree: by the whole interval of the ratio, or of
// the difference.
func judgePeer(p peer.Peer, finding *accept.Finding, ours, theirs []float64) error {
	ratio, err := stats.PairedRatio(ours, theirs, stats.Confidence)
	if err != nil {
		return err
	}
	apart, err := stats.PairedDifference(ours, theirs, stats.Confidence)
	if err != nil {
		return err
	}
	finding.Measured = fmt.Sprintf("%.3f [%.3f, %.3f], %+.2f ns apart", ratio.Value, ratio.Lo, ratio.Hi, apart.Value)
	if stats.Margin(ratio.Interval) <= 100*p.Margin || max(-apart.Lo, apart.Hi) <= p.FloorNS {
		finding.Answer = accept.Holds
	}
	return nil
}
