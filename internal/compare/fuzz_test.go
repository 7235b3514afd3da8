package compare

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzFromFiles feeds arbitrary bytes to the reader of benchmark files: it
// refuses them or compares them, and never panics.
func FuzzFromFiles(f *testing.F) {
	f.Add([]byte("goos: linux\nUnit qps better=higher\nBenchmarkA/x=1 10 8.5 ns/op 3 qps\nBenchmarkA/x=1 10 9 ns/op 0 B/op\n"))
	f.Add([]byte("BenchmarkA 1 NaN ns/op\n"))
	f.Add([]byte("BenchmarkA\x00 1 1 ns/op\n\x1b[31m: x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
		for _, file := range []string{a, b} {
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		in, err := FromFiles([]string{a, b})
		if err != nil {
			return
		}
		in.Base = "a"
		for _, l := range Compare(in).Lines {
			for _, c := range l.Cells {
				if c.BaseMedian != c.Median {
					t.Errorf("%s %s: a file differs from itself: %v and %v", l.Row, l.Unit, c.BaseMedian, c.Median)
				}
			}
		}
	})
}
