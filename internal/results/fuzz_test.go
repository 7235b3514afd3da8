package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead feeds arbitrary bytes to the readers of a run's files: what they
// take can be resumed and read again, and says the same.
func FuzzRead(f *testing.F) {
	whole := f.TempDir()
	w, err := Create(whole, manifest())
	require.NoError(f, err)
	require.NoError(f, w.Append(sample(0, 0, "alloc/Pair/size=64", "gnu")))
	require.NoError(f, w.Append(sample(1, 0, "alloc/Pair/size=64", "musl")))
	require.NoError(f, w.Counts(Counts{Calls: []string{"futex"}, Samples: []Sample{sample(0, 0, "alloc/Pair/size=64", "gnu")}}))
	require.NoError(f, w.Close())
	var seed [3][]byte
	files := [3]string{"manifest.json", "samples.jsonl", "counts.json"}
	for i, name := range files {
		seed[i], err = os.ReadFile(filepath.Join(w.Dir, name))
		require.NoError(f, err)
	}
	f.Add(seed[0], seed[1], seed[2])
	f.Add(seed[0], seed[1][:len(seed[1])/2], []byte{})
	f.Add(seed[0], []byte("\x00\n{}\n"), []byte("null"))
	f.Fuzz(func(t *testing.T, manifest, samples, counts []byte) {
		dir := t.TempDir()
		for i, text := range [3][]byte{manifest, samples, counts} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), text, 0o666))
		}
		first, err := Read(dir)
		if err != nil {
			return
		}
		w, err := Resume(first)
		if err != nil {
			return
		}
		require.NoError(t, w.Close())
		second, err := Read(dir)
		require.NoError(t, err)
		require.Equal(t, first.Samples, second.Samples)
		require.NotContains(t, strings.Join(second.Warnings, "\n"), "torn line")
	})
}
