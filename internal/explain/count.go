package explain

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"libcost/internal/workload"
)

// Count runs a binary that has wrappers in it and returns the calls an op of
// each slot. It runs twice, with n ops and with twice as many: the difference
// has none of the set-up in it.
func (r *Runner) Count(ctx context.Context, b Binary) ([workload.Slots]float64, error) {
	var perOp [workload.Slots]float64
	once, err := r.countOnce(ctx, b, r.N)
	if err != nil {
		return perOp, err
	}
	twice, err := r.countOnce(ctx, b, 2*r.N)
	if err != nil {
		return perOp, err
	}
	for i := range perOp {
		perOp[i] = float64(int64(twice[i]-once[i])) / float64(r.N)
	}
	return perOp, nil
}

func (r *Runner) countOnce(ctx context.Context, b Binary, n int) ([workload.Slots]uint64, error) {
	var counts [workload.Slots]uint64
	dir, err := os.MkdirTemp("", "libcost-counts-")
	if err != nil {
		return counts, fmt.Errorf("count calls: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "counts")
	if err := os.WriteFile(file, make([]byte, workload.CountsSize), 0o666); err != nil {
		return counts, fmt.Errorf("count calls: %w", err)
	}
	counting := *r
	counting.N = n
	counting.first = nil // other ops, other work
	counting.Env = map[string][]string{b.Name: append(r.Env[b.Name][:len(r.Env[b.Name]):len(r.Env[b.Name])], workload.CountsEnv+"="+file)}
	if _, err := counting.Sample(ctx, b); err != nil {
		return counts, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return counts, fmt.Errorf("count calls: %w", err)
	}
	if len(text) != workload.CountsSize {
		return counts, fmt.Errorf("count calls: %d bytes of counts, want %d", len(text), workload.CountsSize)
	}
	for i := range counts {
		counts[i] = binary.NativeEndian.Uint64(text[8*i:])
	}
	return counts, nil
}
