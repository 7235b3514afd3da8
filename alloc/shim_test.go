package alloc

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/gang"
)

func TestKernels(t *testing.T) { Kernels.Verify(t) }

// n is what was asked for, even where it is less than the threads or a batch.
func TestFewOps(t *testing.T) {
	for _, row := range Kernels.Rows() {
		if row.Threads > 64 {
			continue // the same kernel
		}
		for _, n := range []int{1, 3} {
			_, err := Kernels.Run(row, n, "")
			assert.NoError(t, err, "%d ops", n)
		}
	}
}

func find(t *testing.T, name string) gang.Row {
	t.Helper()
	for _, row := range Kernels.Rows() {
		if row.Name == name {
			return row
		}
	}
	t.Fatalf("no row %s", name)
	return gang.Row{}
}

// What is live is resident: its bytes are the least that can come out.
func TestResident(t *testing.T) {
	row := find(t, "Resident/freed=none/sizes=16..1039/blocks=16384/threads=1/proc=plain")
	const live = 16384 * (16 + 1039) / 2
	r, err := Kernels.Run(row, 2, "")
	require.NoError(t, err)
	require.NotNil(t, r.Value)
	assert.Greater(t, *r.Value, 0.98*live)
}

// Rows that take much memory say so, or they would swap a small machine.
func TestNeed(t *testing.T) {
	for name, bytes := range map[string]uint64{
		"Touched/size=67108864/touched=pages/threads=1":                              64 << 20,
		"Replace/sizes=16..1039/live=128/threads=1024/place=spread":                  1024 * 128 * 527,
		"Replace/sizes=64/live=1024/threads=64/place=spread":                         64 * 1024 * 64,
		"Larson/sizes=16..1039/live=1024/every=1024/threads=64/place=spread":         64 * 2 * 1024 * 527,
		"Grow/step=double/to=268435456/growers=1/heap=used/threads=1":                256 << 20,
		"Remote/phase=free/free=other/size=16384/blocks=4096/threads=2/place=spread": 64 << 20,
	} {
		need := find(t, name).Need
		assert.GreaterOrEqual(t, need, bytes, name)
		assert.Less(t, need, 3*bytes, name)
	}
}

func compile(t *testing.T, cc string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("%s: not found (make setup)", cc)
	}
	bin := filepath.Join(t.TempDir(), "test")
	out, err := exec.Command(cc, append(args, "-o", bin)...).CombinedOutput()
	require.NoError(t, err, "%s %v\n%s", cc, args, out)
	return bin
}

// The measured functions do what they should, on both libcs.
func TestFunctions(t *testing.T) {
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			out, err := exec.Command(compile(t, cc, "-O1", "-Wall", "-fno-builtin", "-static", "testdata/heap.c")).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
}

// No kernel reads or writes beside its blocks, or keeps one.
func TestSanitized(t *testing.T) {
	const none = "int main(void) { return 0; }"
	probe := exec.Command("gcc", "-fsanitize=address,undefined", "-x", "c", "-", "-o", filepath.Join(t.TempDir(), "probe"))
	probe.Stdin = strings.NewReader(none)
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("gcc -fsanitize=address,undefined: %v\n%s", err, out)
	}
	kernels, err := filepath.Glob("*.c")
	require.NoError(t, err)
	bin := compile(t, "gcc", append(kernels, "testdata/small.c", "../internal/gang/run.c", "../internal/gang/histogram.c",
		"-I.", "-I../internal/gang", "-O1", "-g", "-Wall", "-fno-builtin", "-pthread",
		"-fsanitize=address,undefined", "-fno-sanitize-recover=all")...)
	var rows []string
	for _, row := range Kernels.Rows() {
		if row.Threads <= 16 && !strings.Contains(row.Name, "/size=67108864/") {
			rows = append(rows, row.Name)
		}
	}
	for _, n := range []string{"1", "7"} {
		cmd := exec.Command(bin, append([]string{n}, rows...)...)
		cmd.Env = []string{"ASAN_OPTIONS=quarantine_size_mb=16"}
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s ops: %s", n, out)
	}
}
