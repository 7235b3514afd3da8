//go:build cgo

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/e2e/internal/sampletest"
	"libcost/internal/workload"
)

// Each of these workloads does all the ops of a sample in a static glibc
// program, built as its workload.toml says.
//
// Note: it does not build through workload.Builder, whose compiler is a script
// in a directory of its own: Go would compile SQLite anew for each workload, a
// minute each. The Builder is tested with smaller programs.
func TestSamples(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc not found (make setup)")
	}
	if out, err := exec.Command(gcc, "-print-file-name=libc.a").Output(); err != nil || !filepath.IsAbs(string(out)) {
		t.Skip("static glibc not found (make setup)")
	}
	for dir, name := range map[string]string{
		"clone-smells":      "CloneSmells/files=1",
		"sqlite-query":      "SqliteQuery/rows=2000",
		"sqlite-upsert":     "SqliteUpsert/store=memory",
		"sqlite-upsert-wal": "SqliteUpsert/store=wal/synchronous=FULL",
		"treesitter-parse":  "TreesitterParse/files=4",
	} {
		t.Run(dir, func(t *testing.T) {
			w, err := workload.Read(dir)
			require.NoError(t, err)
			binary := filepath.Join(t.TempDir(), "out")
			fill := strings.NewReplacer("{cc}", gcc, "{cflags}", "-O2 -fno-stack-protector -U_FORTIFY_SOURCE",
				"{ldflags}", "-static", "{objects}", "", "{out}", binary)
			var words []string
			for _, word := range w.Build {
				words = append(words, fill.Replace(word))
			}
			build := exec.Command(words[0], words[1:]...)
			build.Dir = dir
			build.Env = os.Environ()
			for key, value := range w.Env {
				build.Env = append(build.Env, key+"="+fill.Replace(value))
			}
			said, err := build.CombinedOutput()
			require.NoError(t, err, string(said))

			args := w.Args(binary, "", t.TempDir(), w.N, 1)
			sample := exec.Command(args[0], args[1:]...)
			var stderr strings.Builder
			sample.Stderr = &stderr
			out, err := sample.Output()
			require.NoError(t, err, stderr.String())
			assert.Empty(t, stderr.String())
			sampletest.Line(t, string(out), name, w.N)
		})
	}
}
