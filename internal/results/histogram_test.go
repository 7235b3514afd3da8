package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// timed is a sample with a histogram.
func timed(seq, round int, variant string) Sample {
	s := sample(seq, round, "fsync/Append", variant)
	s.Result.Histogram = Buckets{{99, 4}, {101, 5}, {255, 1}}
	return s
}

func histogram(round int) Histogram {
	return Histogram{Row: "fsync/Append", Round: round, N: 10, Buckets: Buckets{{99, 4}, {101, 5}, {255, 1}}}
}

// A histogram has a file of its own; the record and the benchmark file are as
// they are without it.
func TestHistograms(t *testing.T) {
	all := []Sample{timed(0, 0, "gnu"), timed(1, 0, "musl"), sample(2, 1, "alloc/Pair/size=64", "gnu"), timed(3, 1, "gnu")}
	dir := write(t, t.TempDir(), all)
	assert.NotContains(t, content(t, dir, "samples.jsonl"), "histogram")
	run, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, sample(0, 0, "fsync/Append", "gnu"), run.Samples[0])
	assert.NotNil(t, all[0].Result.Histogram, "the caller's sample is its own")

	got, err := ReadHistograms(dir, "gnu")
	require.NoError(t, err)
	assert.Equal(t, []Histogram{histogram(0), histogram(1)}, got)
	got, err = ReadHistograms(dir, "musl")
	require.NoError(t, err)
	assert.Equal(t, []Histogram{histogram(0)}, got)
	assert.Equal(t, `{"row":"fsync/Append","round":0,"n":10,"buckets":[[99,4],[101,5],[255,1]]}`+"\n", content(t, dir, "hist", "musl.jsonl"))

	got, err = ReadHistograms(write(t, t.TempDir(), samples()), "gnu")
	require.NoError(t, err)
	assert.Nil(t, got, "a run without latency rows has none")
}

// A run that was killed at any byte of a histogram, or between it and its
// sample, goes on to the same files.
func TestHistogramsOfAKilledRun(t *testing.T) {
	all := []Sample{timed(0, 0, "gnu"), timed(1, 1, "gnu")}
	whole := write(t, t.TempDir(), all)
	want := content(t, whole, "hist", "gnu.jsonl")
	for n := range len(want) + 1 {
		dir := write(t, t.TempDir(), all[:strings.Count(want[:n], "\n")])
		file := filepath.Join(dir, "hist", "gnu.jsonl")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(want[:n]), 0o666))
		got, err := ReadHistograms(dir, "gnu")
		require.NoError(t, err, "at byte %d", n)
		assert.Len(t, got, strings.Count(want[:n], "\n"), "at byte %d", n)
		goOn(t, dir, all)
		require.Equal(t, want, content(t, dir, "hist", "gnu.jsonl"), "at byte %d", n)
	}
	dir := write(t, t.TempDir(), all[:1])
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hist", "gnu.jsonl"), []byte(want), 0o666))
	goOn(t, dir, all)
	assert.Equal(t, want, content(t, dir, "hist", "gnu.jsonl"), "the sample of the second was never written")
}

func goOn(t *testing.T, dir string, all []Sample) {
	t.Helper()
	run, err := Read(dir)
	require.NoError(t, err)
	w, err := Resume(run)
	require.NoError(t, err)
	for _, s := range all[len(run.Samples):] {
		require.NoError(t, w.Append(s))
	}
	require.NoError(t, w.Close())
}

func TestHistogramsThatAreNone(t *testing.T) {
	for line, says := range map[string]string{
		"{\n": "gnu.jsonl:2: unexpected end of JSON input",
		`{"row":"fsync/Append","round":1,"n":10,"buckets":[[99,4]]}` + "\n":           "gnu.jsonl:2: the buckets do not hold 10 ops",
		`{"row":"fsync/Append","round":1,"n":10,"buckets":[[99,4],[98,6]]}` + "\n":    "do not hold 10 ops", // not in order
		`{"row":"fsync/Append","round":1,"n":10,"buckets":[[99,11],[101,-1]]}` + "\n": "do not hold 10 ops",
	} {
		dir := write(t, t.TempDir(), []Sample{timed(0, 0, "gnu")})
		file := filepath.Join(dir, "hist", "gnu.jsonl")
		require.NoError(t, os.WriteFile(file, []byte(content(t, file)+line), 0o666))
		_, err := ReadHistograms(dir, "gnu")
		assert.ErrorContains(t, err, says)
		run, err := Read(dir)
		require.NoError(t, err, "the samples can be read all the same")
		_, err = Resume(run)
		assert.ErrorContains(t, err, says)
	}
}
