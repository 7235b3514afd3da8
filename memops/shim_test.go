package memops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestKernels(t *testing.T) { Kernels.Verify(t) }

// A kernel's check is what tells a wrong copy from a fast one. So the kernels
// run once more on functions of our own that make one mistake at a time: check
// must notice each, and must not complain where there is none.
func TestMistakes(t *testing.T) {
	const source = "testdata/wrong.c"
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong")
	build := exec.Command("gcc", append(kernels, source, "-o", wrong, "-I.", "-I../internal/gang",
		"-O1", "-Wall", "-fno-builtin", "-fno-stack-protector", "-U_FORTIFY_SOURCE")...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	var rows []string
	for _, row := range Kernels.Rows() {
		if !strings.Contains(string(text), row.Calls+"(") {
			t.Logf("%s: %s has no %s with mistakes", row.Name, source, row.Calls)
			continue
		}
		rows = append(rows, row.Name)
	}
	out, err := exec.Command(wrong, rows...).Output()
	if err != nil {
		t.Fatal(err)
	}

	tried := map[string]int{}
	for line := range strings.Lines(string(out)) {
		row, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		said, mistake, _ := strings.Cut(rest, " ")
		want := "wrong"
		if mistake == "none" {
			want = "right"
		}
		if said != want {
			t.Errorf("%s: mistake: %s: check said %q, want %q", row, mistake, said, want)
		}
		tried[row]++
	}
	for _, row := range rows {
		if tried[row] < 6 {
			t.Errorf("%s: tried %d mistakes, want 6 or more", row, tried[row])
		}
	}
}
