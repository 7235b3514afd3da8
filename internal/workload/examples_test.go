package workload

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each example of docs/YOUR-PROGRAM.md is built, linked again, and run; the
// sources stay as they are.
func TestExamples(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(root(t), "examples", "*", File))
	require.NoError(t, err)
	require.Greater(t, len(dirs), 1)
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if filepath.Base(dir) == "c-cmake" {
				if _, err := exec.LookPath("cmake"); err != nil {
					t.Skip("cmake not found (apt-get install cmake)")
				}
			}
			before, err := os.ReadDir(dir)
			require.NoError(t, err)
			p := compile(t, filepath.Base(dir))
			binary, err := p.Link("again", nil)
			require.NoError(t, err)
			args := p.Workload.Args(binary, "", t.TempDir(), 500, 1)
			out, err := exec.Command(args[0], args[1:]...).Output()
			require.NoError(t, err)
			assert.Contains(t, string(out), "BenchmarkWords 500 ")
			after, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Equal(t, len(before), len(after))
		})
	}
}
