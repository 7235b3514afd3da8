package workload

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead feeds arbitrary bytes to the reader of workload.toml: what it takes
// can be built and run.
func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("n = 1\nbuild = [\"{cc}\"]\n[env]\nA = \"{out}\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), text, 0o666); err != nil {
			t.Fatal(err)
		}
		w, err := Read(dir)
		if err != nil {
			return
		}
		if len(w.Build) == 0 || len(w.Args("/out", "", dir, w.N, 1)) == 0 || w.N < 1 {
			t.Errorf("took %q", text)
		}
	})
}
