package fsync

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"libcost/internal/gang"
)

// compile makes a program of the room without Go, and of more C files.
func compile(t *testing.T, more ...string) string {
	t.Helper()
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "rows")
	args := append([]string{"-g", "-O1", "-I../internal/gang", "-DROOM_TABLE=fsync_kernels", "-o", bin}, more...)
	args = append(args, "../internal/gang/testdata/rows.c", "../internal/gang/run.c", "../internal/gang/histogram.c", "-pthread")
	if out, err := exec.Command("gcc", append(args, sources...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// runRows runs rows of a program that compile made; want is the errno that each
// ends with.
func runRows(t *testing.T, bin, n, want string, rows []string) {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command(bin, append([]string{dir, n, want}, rows...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	wantEmpty(t, dir)
}

// Every row under the address and the undefined-behaviour sanitizer.
func TestSanitized(t *testing.T) {
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	probe := exec.Command("gcc", append(flags, "-x", "c", "-", "-o", os.DevNull)...)
	probe.Stdin = strings.NewReader("int main(void) { return 0; }")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("gcc has no sanitizers: %s", out)
	}
	var names []string
	for _, row := range Kernels.Rows() {
		if !lacking(t, row) {
			names = append(names, row.Name)
		}
	}
	runRows(t, compile(t, flags...), "33", "0", names)
}

// A disk that dies ends each row with the errno, and no thread waits for a sync
// that never comes.
func TestDiskDies(t *testing.T) {
	bin := compile(t, "testdata/eio.c")
	for _, row := range Kernels.Rows() {
		libc := strings.Contains(row.Calls, "fsync") || strings.Contains(row.Calls, "fdatasync")
		if libc {
			runRows(t, bin, "4000", "5", []string{row.Name})
		}
	}
}

func lacking(t *testing.T, row gang.Row) bool {
	_, err := Kernels.Run(row, 2, t.TempDir())
	return err != nil
}
