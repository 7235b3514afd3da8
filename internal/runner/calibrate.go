package runner

import (
	"context"
	"fmt"
	"math"
	"time"

	"libcost/internal/results"
)

// How long a sample is to be. Short samples in many fresh processes beat long
// ones in few: the noise lies between processes and between seconds.
const (
	statelessNS = 40e6 // each variant its own N for this time
	sameNSlowNS = 80e6 // one N for all: the slowest takes this long, at most 150 ms in bad moments
	maxOps      = 1e9
)

// Calibrate finds each row's N and writes it into the rows, with the reason
// where a row can't be measured here. report takes samples that failed.
func (r *Runner) Calibrate(ctx context.Context, rows []results.Row, progress func(int), report func(results.Sample)) error {
	for i := range rows {
		progress(i)
		if err := r.calibrate(ctx, &rows[i], report); err != nil {
			return err
		}
	}
	progress(len(rows))
	return nil
}

func (r *Runner) calibrate(ctx context.Context, row *results.Row, report func(results.Sample)) error {
	row.N = map[string]int{}
	row.Cost = 0
	if r.Memory > 0 && row.Need > r.Memory/2 {
		// A machine that swaps, or kills, measures nothing.
		row.Skipped, row.Lacking = fmt.Sprintf("needs %d MB, more than half of the %d MB that are available", row.Need/1e6, r.Memory/1e6), true
		return nil
	}
	least := math.MaxInt
	last := map[string]results.Sample{}
	for _, v := range row.Variants {
		n, failed := r.probe(ctx, row, v, last)
		if err := ctx.Err(); err != nil {
			return err
		}
		if failed != nil {
			row.Skipped, row.Lacking = v+": "+failed.Error, failed.Status == results.Lacking
			report(*failed)
			return nil
		}
		row.N[v] = n
		least = min(least, n)
	}
	if row.SameN {
		for v := range row.N {
			row.N[v] = least
		}
	}
	for v, s := range last {
		loop := float64(s.Result.ElapsedNS)
		row.Cost += time.Duration(loop/float64(s.N)*float64(row.N[v]) + float64(s.WallNS) - loop)
	}
	return nil
}

// probe runs samples of growing n until one is long enough to tell the N of
// the row's time, and leaves the last one in last.
func (r *Runner) probe(ctx context.Context, row *results.Row, v string, last map[string]results.Sample) (n int, failed *results.Sample) {
	want := statelessNS
	if row.SameN {
		want = sameNSlowNS
	}
	n = 100
	quantiles := row.Disk && row.Latency
	if quantiles {
		n = min(diskSteps[0], r.DiskOps)
	}
	for {
		s := r.Sample(ctx, row.Row, v, 0, n)
		if s.Status != results.OK {
			return 0, &s
		}
		last[v] = s
		took := float64(s.Result.ElapsedNS)
		if quantiles {
			return r.diskOps(took / float64(n)), nil
		}
		next := min(float64(n)*want/took, maxOps)
		if took > want/10 || next >= maxOps {
			return max(2, round(next)), nil
		}
		// The first ops are the slowest: come near, then look again.
		n = max(2, int(min(next/4, float64(n)*1000)))
	}
}

// diskSteps are the ops that quantiles of a disk's times need: p50 and p90, p99,
// p99.9. A sample that takes longer than diskNS makes fewer: at 8 ms an op, as
// of a disk that turns, the last step would take 80 s.
var diskSteps = []int{300, 1000, 10000}

const diskNS = 2.5e9

// diskOps is the largest step that DiskOps allows and an op's time.
func (r *Runner) diskOps(ns float64) int {
	n := min(diskSteps[0], r.DiskOps)
	for _, step := range diskSteps {
		if step <= r.DiskOps && float64(step)*ns <= diskNS {
			n = max(n, step)
		}
	}
	return n
}

// round keeps two digits: what a reader sees is what ran.
func round(n float64) int {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(n))-1))
	return int(math.Round(n/unit) * unit)
}
