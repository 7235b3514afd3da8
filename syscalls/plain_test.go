package syscalls

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"libcost/internal/gang"
)

// compile makes a C program for a test.
func compile(t *testing.T, cc string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("%s: not found (make setup)", cc)
	}
	bin := filepath.Join(t.TempDir(), "test")
	out, err := exec.Command(cc, append(args, "-o", bin)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", cc, args, err, out)
	}
	return bin
}

// sanitized makes a program of the room without Go, under a sanitizer of gcc's,
// and of more C files.
func sanitized(t *testing.T, kind string, more ...string) string {
	t.Helper()
	flags := []string{"-fsanitize=" + kind, "-g", "-O1", "-pthread"}
	probe := filepath.Join(t.TempDir(), "probe")
	if out, err := exec.Command("gcc", append(flags, "../internal/gang/plain/empty.c", "-o", probe)...).CombinedOutput(); err != nil {
		t.Skipf("gcc has no such sanitizer: %s", out)
	}
	if out, err := exec.Command(probe).CombinedOutput(); err != nil {
		t.Skipf("gcc's sanitizer does not run here: %s", out)
	}
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	const dir = "../internal/gang/"
	flags = append(flags, "-fno-sanitize-recover=all", "-I"+dir, "-DROOM_TABLE=syscalls_kernels",
		dir+"testdata/rows.c", dir+"run.c", dir+"histogram.c")
	return compile(t, "gcc", append(append(flags, more...), sources...)...)
}

// runRows runs 33 ops of each row in a program that sanitized made, and returns
// what was found.
func runRows(t *testing.T, bin string, rows []string) (found string) {
	t.Helper()
	out, err := exec.Command(bin, append([]string{t.TempDir(), "33", "0"}, rows...)...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err != nil && len(out) == 0 {
		return err.Error()
	}
	return string(out)
}

// names are the names of the rows that this machine can run.
func names(t *testing.T, fits func(gang.Row) bool) (list []string) {
	t.Helper()
	for _, row := range Kernels.Rows() {
		if !fits(row) {
			continue
		}
		var run *gang.RunError
		if _, err := Kernels.Run(row, 2, "."); errors.As(err, &run) && run.Lacking() {
			t.Log(err)
			continue
		}
		list = append(list, row.Name)
	}
	return list
}

// No kernel reads or writes beside what it has, or keeps it.
func TestSanitized(t *testing.T) {
	empties(t)
	bin := sanitized(t, "address,undefined")
	for _, linkage := range []string{"static", "dynamic"} {
		if err := os.Symlink(filepath.Join(filepath.Dir(self(t)), "empty."+linkage), filepath.Join(filepath.Dir(bin), "empty."+linkage)); err != nil {
			t.Fatal(err)
		}
	}
	if found := runRows(t, bin, names(t, func(gang.Row) bool { return true })); found != "" {
		t.Error(found)
	}
}

// What the threads of a row share they share through its lock, and a lock that
// is none is found out.
func TestRaces(t *testing.T) {
	if found := runRows(t, sanitized(t, "thread"), names(t, func(r gang.Row) bool { return r.Threads > 1 })); found != "" {
		t.Error(found)
	}
	broken := sanitized(t, "thread", "testdata/broken.c")
	for _, row := range []string{"Mutex/held=0/think=0/threads=2", "MutexFairness/held=0/think=0/threads=2"} {
		if found := runRows(t, broken, []string{row}); !strings.Contains(found, "WARNING: ThreadSanitizer: data race") {
			t.Errorf("%s with a lock that is none: no race found: %s", row, found)
		}
	}
}

// The vDSO's symbols, and those of libraries with either table of hashes, lie
// where debug/elf finds them.
func TestVDSO(t *testing.T) {
	dir := t.TempDir()
	images := map[string][]byte{"-": vdso(t)}
	for _, style := range []string{"sysv", "gnu", "both"} {
		file := filepath.Join(dir, style+".so")
		cmd := exec.Command("gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--hash-style="+style, "-x", "c", "-", "-o", file)
		cmd.Stdin = strings.NewReader("int one(void) { return 1; } int two(void) { return 2; } extern int away(void); int four(void) { return away(); }")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		images[file] = text
	}
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			bin := compile(t, cc, "-O1", "-I../internal/gang", "testdata/vdso.c", "vdso.c")
			for file, text := range images {
				args, want := symbols(t, text)
				out, err := exec.Command(bin, append([]string{file}, args...)...).CombinedOutput()
				if err != nil || string(out) != want {
					t.Errorf("%s: %v %v\ngot  %q\nwant %q", file, args, err, out, want)
				}
			}
		})
	}
}

// symbols are those that an image defines and two that it does not, and what
// testdata/vdso.c should print of them.
func symbols(t *testing.T, image []byte) (names []string, places string) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	list, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Section != elf.SHN_UNDEF && s.Section != elf.SHN_ABS {
			names = append(names, s.Name)
			places += fmt.Sprintln(s.Value)
		}
	}
	if len(names) < 3 {
		t.Fatalf("%d symbols", len(names))
	}
	return append(names, "away", names[0]+"x"), places + "-1\n-1\n"
}

// vdso is this process's vDSO, as the kernel mapped it.
func vdso(t *testing.T) []byte {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to int64
		if !strings.HasSuffix(line, "[vdso]\n") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			t.Fatal(err)
		}
		memory, err := os.Open("/proc/self/mem")
		if err != nil {
			t.Fatal(err)
		}
		defer memory.Close()
		image := make([]byte, to-from)
		if _, err := memory.ReadAt(image, from); err != nil {
			t.Fatal(err)
		}
		return image
	}
	t.Skip("the kernel maps no vDSO")
	return nil
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
