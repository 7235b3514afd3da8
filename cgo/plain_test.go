package cgo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every row whose loop is in C under the address and the undefined-behaviour
// sanitizer; the others' states are made, checked and freed.
func TestSanitized(t *testing.T) {
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	probe := exec.Command("gcc", append(flags, "-x", "c", "-", "-o", os.DevNull)...)
	probe.Stdin = strings.NewReader("int main(void) { return 0; }")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("gcc has no sanitizers: %s", out)
	}
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	const gang = "../internal/gang/"
	bin := filepath.Join(t.TempDir(), "rows")
	args := append(flags, "-g", "-O1", "-I"+gang, "-DROOM_TABLE=cgo_kernels", "-o", bin,
		"testdata/back.c", gang+"testdata/rows.c", gang+"run.c", gang+"histogram.c", "-pthread")
	if out, err := exec.Command("gcc", append(args, sources...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rows := []string{t.TempDir(), "1", "0"}
	for _, row := range Kernels.Rows() {
		rows = append(rows, row.Name)
	}
	out, err := exec.Command(bin, rows...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
