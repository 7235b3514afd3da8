package stdlib

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/gang"
)

func TestKernels(t *testing.T) { Kernels.Verify(t) }

// n is what was asked for, be it one op, or more than a batch or than the
// inputs by a few.
func TestOps(t *testing.T) {
	for _, row := range Kernels.Rows() {
		for _, n := range []int{1, 3, 1027} {
			if n > 3 && strings.Contains(row.Name, "/elements=10000/") {
				continue // seconds, of the loop that the other lengths run
			}
			_, err := Kernels.Run(row, n, "")
			assert.NoError(t, err, "%s: %d ops", row.Name, n)
		}
	}
}

// A file that is read over and over begins anew where it ends.
func TestRewinds(t *testing.T) {
	for _, row := range Kernels.Rows() {
		if strings.HasPrefix(row.Name, "Getc") {
			_, err := Kernels.Run(row, 3<<20+5, "")
			assert.NoError(t, err, row.Name)
		}
	}
}

// The keys that a kernel reads change what its ops do, and the digest tells.
func TestShapes(t *testing.T) {
	digests := map[string]string{}
	for _, row := range Kernels.Rows() {
		kernel, _, _ := strings.Cut(row.Name, "/")
		switch kernel {
		case "Qsort", "Bsearch", "Strtod", "Strtol", "Snprintf", "Fwrite", "Mbstowcs", "Iconv":
		default:
			continue // rows that differ in how the same work is done
		}
		if kernel == "Qsort" && !strings.Contains(row.Name, "/size=8/") ||
			kernel == "Bsearch" && strings.Contains(row.Name, "/key=absent/") {
			continue // the same numbers in other elements; nothing found
		}
		r, err := Kernels.Run(row, 10, "")
		require.NoError(t, err)
		if other := digests[kernel+r.Digest]; other != "" {
			t.Errorf("%s and %s have the same digest, %s", other, row.Name, r.Digest)
		}
		digests[kernel+r.Digest] = row.Name
	}
}

// What a row leaves open or changes would be another row's.
func TestLeavesNothing(t *testing.T) {
	before := openFiles(t)
	for _, row := range Kernels.Rows() {
		if _, err := Kernels.Run(row, 2, ""); err != nil {
			t.Error(err)
		}
	}
	assert.Equal(t, before, openFiles(t), "open files")
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

// Shapes that a kernel can't take are refused, and nothing stays behind.
func TestRefused(t *testing.T) {
	for from, to := range map[string]string{
		"Fwrite/size=512/":        "Fwrite/size=513/",
		"Getenv/vars=200/":        "Getenv/vars=1024/",
		"/buffer=65536/":          "/buffer=65537/",
		"pattern=simple/size=64/": "pattern=simple/size=7/",
	} {
		before, tried := openFiles(t), 0
		for _, row := range Kernels.Rows() {
			if !strings.Contains(row.Name, from) {
				continue
			}
			row.Name = strings.Replace(row.Name, from, to, 1)
			_, err := Kernels.Run(row, 2, "")
			var run *gang.RunError
			if !errors.As(err, &run) || run.Phase != "set up" || run.Errno != syscall.EINVAL {
				t.Errorf("%s: got %v, want %v in the set-up", row.Name, err, syscall.EINVAL)
			}
			tried++
		}
		assert.NotZero(t, tried, from)
		assert.Equal(t, before, openFiles(t), to)
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

// The kernels' declarations fit either libc's headers, and the measured
// functions do what they should.
func TestAnswers(t *testing.T) {
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			out, err := exec.Command(compile(t, cc, "-O1", "-Wall", "-fno-builtin", "-static", "testdata/answers.c")).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
}

// No kernel reads or writes beside what it has, or keeps it.
func TestSanitized(t *testing.T) {
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	probe := exec.Command("gcc", append(flags, "-x", "c", "-", "-o", filepath.Join(t.TempDir(), "probe"))...)
	probe.Stdin = strings.NewReader("int main(void) { return 0; }")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("gcc has no sanitizers: %s", out)
	}
	kernels, err := filepath.Glob("*.c")
	require.NoError(t, err)
	const gang = "../internal/gang/"
	bin := compile(t, "gcc", append(append(flags, kernels...), gang+"testdata/rows.c", gang+"run.c", gang+"histogram.c",
		"-I"+gang, "-DROOM_TABLE=stdlib_kernels", "-O1", "-g", "-Wall", "-fno-builtin", "-pthread")...)
	var rows []string
	for _, row := range Kernels.Rows() {
		rows = append(rows, row.Name)
	}
	for _, n := range []string{"1", "70"} {
		out, err := exec.Command(bin, append([]string{t.TempDir(), n, "0"}, rows...)...).CombinedOutput()
		assert.NoError(t, err, "%s ops: %s", n, out)
	}
}
