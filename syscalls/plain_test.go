package syscalls

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// The symbols of the vDSO, of libraries with either table of hashes and of the
// loader lie where debug/elf finds them.
func TestSymbols(t *testing.T) {
	dir := t.TempDir()
	images := map[string][]byte{"vdso": vdso(t)}
	const three = "int one(void) { return 1; } int two(void) { return 2; } int away(void); int four(void) { return away(); }"
	for name, library := range map[string]struct{ style, code string }{
		"sysv": {"sysv", three}, "gnu": {"gnu", three}, "both": {"both", three},
		"none": {"gnu", "int away(void); static int (*call)(void) = away; int (**hidden)(void) __attribute__((visibility(\"hidden\"))) = &call;"},
	} {
		file := filepath.Join(dir, name+".so")
		cmd := exec.Command("gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--hash-style="+library.style, "-x", "c", "-", "-o", file)
		cmd.Stdin = strings.NewReader(library.code)
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
			bin := compile(t, cc, "-O1", "-I../internal/gang", "testdata/symbol.c", "symbol.c")
			images["loader"] = loader(t, bin)
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

// symbols are those that an image defines, some that it does not, and what
// testdata/symbol.c should print of them.
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
	first := append(names, "none")[0]
	for _, missing := range []string{"away", first + "x", first[:len(first)-1]} {
		if !slices.Contains(names, missing) {
			names, places = append(names, missing), places+"-1\n"
		}
	}
	return names, places
}

// loader is the file that starts a program.
func loader(t *testing.T, program string) []byte {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	path, err := file.Section(".interp").Data()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(strings.TrimRight(string(path), "\x00"))
	if err != nil {
		t.Fatal(err)
	}
	return text
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
