package memops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestKernels(t *testing.T) { Kernels.Verify(t) }

// compile makes a program of C files with a compiler.
func compile(t *testing.T, cc string, args ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	args = append(args, "-o", program, "-I.", "-I../internal/gang", "-Wall")
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", cc, args, err, out)
	}
	return program
}

// kernels lists the room's C files.
func kernels(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The functions themselves are right on both libcs: what is measured is not a
// bug's speed.
func TestFunctions(t *testing.T) {
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			if _, err := exec.LookPath(cc); err != nil {
				t.Skip(err)
			}
			functions := compile(t, cc, "testdata/functions.c", "-O1", "-fno-builtin")
			if out, err := exec.Command(functions).Output(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// No kernel reads or writes beside its buffers, or computes what C leaves open.
func TestSanitized(t *testing.T) {
	const sanitize = "-fsanitize=address,undefined"
	empty := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(empty, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", sanitize, empty, "-o", empty+".out").CombinedOutput(); err != nil {
		t.Skipf("gcc %s: %v: %s", sanitize, err, out)
	}
	rows := compile(t, "gcc", append(kernels(t), "testdata/rows.c", "../internal/gang/run.c", "../internal/gang/histogram.c",
		"-O1", "-fno-builtin", sanitize, "-fno-sanitize-recover=all", "-pthread")...)
	var names []string
	for _, row := range Kernels.Rows() {
		names = append(names, row.Name)
	}
	if out, err := exec.Command(rows, names...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A kernel's check is what tells a wrong copy from a fast one. So the kernels
// run once more on functions of our own that make one mistake at a time: check
// must notice each, and must not complain where there is none.
func TestMistakes(t *testing.T) {
	const source = "testdata/wrong.c"
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	wrong := compile(t, "gcc", append(kernels(t), source,
		"-O1", "-fno-builtin", "-fno-stack-protector", "-U_FORTIFY_SOURCE")...)
	var rows []string
	for _, row := range Kernels.Rows() {
		if !strings.Contains(string(text), " "+row.Calls+"(") && !strings.Contains(string(text), "*"+row.Calls+"(") {
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
		if tried[row] < 5 {
			t.Errorf("%s: tried %d mistakes, want 5 or more", row, tried[row])
		}
	}
}
