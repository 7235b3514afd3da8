package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/results"
	"libcost/internal/runner"
)

// A run that is killed again and again, at moments that nobody chose, keeps all
// that it had finished, and comes to its end. LIBCOST_KILLS=200 takes some
// minutes.
func TestKilledRunLosesNothing(t *testing.T) {
	needsQuiet(t)
	kills := 10
	if more := os.Getenv("LIBCOST_KILLS"); more != "" {
		var err error
		kills, err = strconv.Atoi(more)
		require.NoError(t, err)
	}
	bin := filepath.Join(t.TempDir(), "libcost")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	// What a fresh tree has to build first would take all the time.
	built := libcost(context.Background(), runner.Processes{}, "build", "gnu")
	require.Zero(t, built.code, built.stderr)
	dir := t.TempDir()
	const rounds = "200000" // more than are finished between any two kills
	args := []string{"run", "-bench", "^cgo/Empty", "-rounds", rounds, "-results", dir, "gnu"}
	var before []byte
	finished := 0
	for range kills {
		cmd := exec.Command(bin, args...)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(rand.IntN(2500)) * time.Millisecond) // which moment the kill hits, is the point
		require.NoError(t, cmd.Process.Kill())
		err := cmd.Wait()
		require.ErrorContains(t, err, "killed")

		latest := filepath.Join(dir, "latest")
		if _, err := os.Stat(latest); err != nil {
			continue // before its first sample: nothing was finished
		}
		args = []string{"run", "-resume", latest, "-dir", dir}
		run, err := results.Read(latest)
		require.NoError(t, err)
		now, err := os.ReadFile(filepath.Join(latest, "samples.jsonl"))
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(now), len(before))
		require.Equal(t, string(before), string(now[:len(before)]), "what was finished is as it was")
		before = now
		for len(before) > 0 && before[len(before)-1] != '\n' {
			before = before[:len(before)-1] // torn: not finished
		}
		finished = len(run.Samples)
	}
	require.Positive(t, finished)
	t.Logf("%d kills, %d samples finished", kills, finished)

	// It goes on to where a cancelled context ends it, and reads back whole.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	got := libcost(ctx, runner.Processes{}, "run", "-resume", filepath.Join(dir, "latest"), "-dir", dir)
	assert.Equal(t, exitShort, got.code, got.stderr)
	run := readRun(t, dir)
	assert.Greater(t, len(run.Samples), finished)
	seen := map[int]bool{}
	for _, s := range run.Samples {
		assert.False(t, seen[s.Seq], "sample %d stands twice", s.Seq)
		seen[s.Seq] = true
	}
}
