package runner

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/results"
)

func TestCount(t *testing.T) {
	r, f := newFake(well)
	rows := []results.Row{row("alloc", "Pair", nil), row("alloc", "Grow", func(r *results.Row) { r.Skipped = "gnu: no" }), row("syscalls", "Mutex", func(r *results.Row) { r.Variants = []string{"musl"} })}
	samples, err := (&Counter{ids: "1,2"}).Count(context.Background(), r, rows, quiet)
	require.NoError(t, err)
	require.Len(t, samples, 3)
	for i, want := range []struct {
		row, variant string
		n            int
	}{{"Pair", "gnu", 100}, {"Pair", "musl", 200}, {"Mutex", "musl", 200}} {
		assert.Equal(t, want.row, f.commands[i].row())
		assert.Equal(t, want.variant, f.commands[i].variant())
		assert.Equal(t, want.n, f.commands[i].n())
		assert.Equal(t, "1,2", f.commands[i].after("-count"))
	}
	// The timed samples count nothing.
	r.Sample(context.Background(), rows[0].Row, "gnu", 0, 100)
	assert.NotContains(t, f.commands[3].Args, "-count")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = (&Counter{}).Count(ctx, r, rows, quiet)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestReadIDs(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		dir := filepath.Join(root, "events", "syscalls", "sys_enter_"+name)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "id"), []byte(text), 0o666))
	}
	for _, name := range Counted[1:] {
		put(name, "42\n")
	}
	_, err := readIDs(root)
	assert.ErrorIs(t, err, os.ErrNotExist)
	put(Counted[0], "7\n")
	ids, err := readIDs(root)
	assert.NoError(t, err)
	assert.Equal(t, []string{"7", "42", "42", "42", "42", "42"}, ids)
	put(Counted[0], "x\n")
	_, err = readIDs(root)
	assert.ErrorContains(t, err, "tracepoint of futex: ")
}
