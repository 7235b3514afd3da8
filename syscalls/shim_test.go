package syscalls

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"libcost/internal/gang"
)

func TestKernels(t *testing.T) {
	empties(t)
	Kernels.Verify(t)
}

// empties puts the programs that Spawn starts beside this test's, as libcost
// build does, of the libc that it is compiled for.
func empties(t *testing.T) {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	for linkage, flags := range map[string][]string{"static": {"-static"}, "dynamic": nil} {
		path := filepath.Join(filepath.Dir(self(t)), "empty."+linkage)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		out, err := exec.Command(cc, append(flags, "../internal/gang/plain/empty.c", "-o", path)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// rows are the room's rows of one kernel.
func rows(t *testing.T, kernel string) (list []gang.Row) {
	for _, row := range Kernels.Rows() {
		if strings.HasPrefix(row.Name, kernel+"/") {
			list = append(list, row)
		}
	}
	if list == nil {
		t.Fatalf("no row of %s", kernel)
	}
	return list
}

// Other devices than /dev/null make a write and the set-up fail.
func TestWriteErrors(t *testing.T) {
	for _, row := range rows(t, "Write") {
		for _, test := range []struct {
			to    string
			phase string
			want  syscall.Errno
		}{
			{"devfull", "run", syscall.ENOSPC},
			{"devnone", "set up", syscall.ENOENT},
			{"null", "set up", syscall.EINVAL},
		} {
			other := row
			other.Name = strings.Replace(row.Name, "devnull", test.to, 1)
			t.Run(other.Name, func(t *testing.T) {
				_, err := Kernels.Run(other, 100, ".")
				var run *gang.RunError
				if !errors.As(err, &run) || run.Phase != test.phase || run.Errno != test.want {
					t.Fatalf("got %v, want %v in the phase %q", err, test.want, test.phase)
				}
				want := "syscalls: " + other.Name + ": " + test.phase + ": " + test.want.Error()
				if got := err.Error(); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		}
	}
}

func TestWriteClosesFiles(t *testing.T) {
	before := openFiles(t)
	for _, row := range rows(t, "Write") {
		if _, err := Kernels.Run(row, 10, "."); err != nil {
			t.Error(err)
		}
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d files open before, %d after", before, after)
	}
}

// A set-up that fails gives back what it took.
func TestFailedSetUp(t *testing.T) {
	empties(t)
	for _, linkage := range []string{"static", "dynamic"} {
		path := filepath.Join(filepath.Dir(self(t)), "empty."+linkage)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		defer os.Rename(path+".away", path)
	}
	const times, page = 2000, 4096
	before := mapped(t)
	for _, row := range rows(t, "Spawn")[:2] {
		for range times {
			_, err := Kernels.Run(row, 1, ".")
			var run *gang.RunError
			if !errors.As(err, &run) || !run.Lacking() {
				t.Fatalf("got %v, want a row that lacks something", err)
			}
		}
	}
	if grown := mapped(t) - before; grown > times*page {
		t.Errorf("%d bytes stay mapped after %d set-ups", grown, 2*times)
	}
}

// mapped is how many bytes this process has mapped.
func mapped(t *testing.T) (bytes int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes * os.Getpagesize()
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// The keys that a kernel reads change what its ops do, and the digest tells.
func TestShapes(t *testing.T) {
	for _, test := range []struct{ kernel, old, new string }{
		{"Write", "/size=1/", "/size=64/"},
		{"Condvar", "/signal=inside/", "/signal=outside/"},
		{"Mutex", "/held=0/", "/held=200/"},
		{"Mutex", "/think=0/", "/think=1000/"},
		{"Mutex", "/think=0/", "/think=0/after=thread/"},
	} {
		row := rows(t, test.kernel)[0]
		one, err := Kernels.Run(row, 10, ".")
		if err != nil {
			t.Fatal(err)
		}
		name := row.Name
		row.Name = strings.Replace(name, test.old, test.new, 1)
		other, err := Kernels.Run(row, 10, ".")
		if err != nil {
			t.Fatal(err)
		}
		if one.Digest == other.Digest {
			t.Errorf("%s and %s have the same digest, %s", name, row.Name, one.Digest)
		}
	}
}

// Verify's hundred ops are over before the next thread starts. Here the
// threads meet, and a lock that lets two of them in loses additions.
func TestMutexExcludes(t *testing.T) {
	for _, row := range rows(t, "Mutex") {
		if row.Threads == 1 {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			if _, err := Kernels.Run(row, 300_000, "."); err != nil {
				t.Error(err)
			}
		})
	}
}
