package runner

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/plan"
	"libcost/internal/results"
)

// A row whose variants differ by more than 2x stops after ten rounds, where the
// run stops rows at all; quantiles and controls get all of theirs.
func TestRunStopsDecidedRows(t *testing.T) {
	const rounds = 14
	m := results.Manifest{Stops: true, Rounds: rounds, Rows: []results.Row{
		row("memops", "Memcmp", nil), // musl 3x
		row("memops", "Memcpy", nil), // musl 1.5x
		row("fsync", "Append", func(r *results.Row) { r.Latency = true }),
		row("syscalls", "Getppid", func(r *results.Row) { r.Control = true }),
		row("cgo", "Alone", func(r *results.Row) { r.Variants = []string{"gnu"} }),
	}}
	var rows []plan.Row
	for i := range m.Rows {
		m.Rows[i].N = map[string]int{"gnu": 100, "musl": 100}
		rows = append(rows, plan.Row{Key: m.Rows[i].Key(), Variants: m.Rows[i].Variants, Rounds: rounds})
	}
	samples := plan.Order(rows, rounds, 1)
	slower := map[string]time.Duration{"Memcmp": 3, "Memcpy": 1, "Append": 3, "Getppid": 3}
	answer := func(c Command) Outcome {
		if c.variant() == "musl" {
			return took(c.row(), c.n(), slower[c.row()]*1000+500)
		}
		return took(c.row(), c.n(), 1000)
	}
	run := func(m results.Manifest, done []results.Sample) []results.Sample {
		r, _ := newFake(answer)
		var to memory
		require.NoError(t, r.Run(context.Background(), m, samples, done, &to, quiet))
		return to.samples
	}
	count := func(samples []results.Sample) map[string]int {
		n := map[string]int{}
		for _, s := range samples {
			n[s.Row]++
		}
		return n
	}

	all := run(m, nil)
	assert.Equal(t, map[string]int{"memops/Memcmp": 20, "memops/Memcpy": 28, "fsync/Append": 28, "syscalls/Getppid": 28, "cgo/Alone": 14}, count(all))
	// A run that is interrupted anywhere and goes on has the same samples.
	for n := range len(all) {
		assert.Equal(t, ids(all[n:]), ids(run(m, all[:n])), "after %d", n)
	}
	m.Stops = false
	assert.Equal(t, 28, count(run(m, nil))["memops/Memcmp"])
}
