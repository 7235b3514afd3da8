package fsync

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"libcost/internal/gang"
)

func TestKernels(t *testing.T) { Kernels.Verify(t) }

// each runs f once for each row of the room.
func each(t *testing.T, f func(t *testing.T, row gang.Row)) {
	for _, row := range Kernels.Rows() {
		t.Run(row.Name, func(t *testing.T) { f(t, row) })
	}
}

// oneFile lists the rows that open one file only.
func oneFile(t *testing.T, f func(t *testing.T, row gang.Row)) {
	each(t, func(t *testing.T, row gang.Row) {
		if !strings.Contains(row.Name, "/files=own") {
			f(t, row)
		}
	})
}

func appends(row gang.Row) bool { return strings.Contains(row.Name, "/file=append/") }

// wantError compares err with the errno, the phase and the text of a RunError.
func wantError(t *testing.T, err error, row gang.Row, phase, dir string, want syscall.Errno) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
		return
	}
	text := "fsync: " + row.Name + ": " + phase + " in " + dir + ": " + want.Error()
	if got := err.Error(); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("%s stays behind", entry.Name())
	}
}

// More ops than the region has blocks: each block holds the last op that wrote
// it. In memory where there is such a place; the disk has no part in it.
func TestRoundAndRound(t *testing.T) {
	dir := "/dev/shm"
	if syscall.Access(dir, 2) != nil {
		dir = t.TempDir()
	}
	each(t, func(t *testing.T, row gang.Row) {
		for _, n := range []int{1, 2, 15, 17, 1030} {
			_, err := Kernels.Run(row, n, dir)
			var run *gang.RunError
			if errors.As(err, &run) && run.Lacking() {
				t.Skip(err)
			}
			if err != nil {
				t.Errorf("%d ops: %v", n, err)
			}
		}
	})
}

// A lone writer syncs once for each group, the last of which may be smaller;
// of several, one syncs for all that wait.
func TestGroups(t *testing.T) {
	each(t, func(t *testing.T, row gang.Row) {
		_, after, ok := strings.Cut(row.Name, "/group=")
		if !ok {
			return
		}
		number, _, _ := strings.Cut(after, "/")
		group, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 7, 8, 9, 64, 65, 1000} {
			r, err := Kernels.Run(row, n, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			share := (n + row.Threads - 1) / row.Threads
			most := min(n, row.Threads*((share+group-1)/group))
			syncs := int(*r.Value*float64(n) + 0.5)
			if syncs > most || row.Threads == 1 && syncs < most {
				t.Errorf("%d ops: %d syncs, want %d", n, syncs, most)
			}
		}
	})
}

// On a disk, each op waits for it at least once, or each group.
func TestSyncWaitsForTheDisk(t *testing.T) {
	dir := t.TempDir()
	var st syscall.Stat_t
	if err := syscall.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	if unix.Major(st.Dev) == 0 {
		t.Skipf("%s is on no block device of its own", dir)
	}
	each(t, func(t *testing.T, row gang.Row) {
		const n = 20
		r, err := Kernels.Run(row, n, dir)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(n)
		if r.Value != nil {
			want = int64(*r.Value*n + 0.5)
		}
		if strings.Contains(row.Name, "/by=none/") {
			return // waits for nothing
		}
		if r.NVCSw < want {
			t.Errorf("%d ops waited %d times, want %d", n, r.NVCSw, want)
		}
	})
}

// A row closes what it opened, also where its set-up fails half way.
func TestClosesFiles(t *testing.T) {
	dir := t.TempDir()
	each(t, func(t *testing.T, row gang.Row) {
		before := openFiles(t)
		Kernels.Run(row, 2, dir)
		Kernels.Run(row, 2, filepath.Join(dir, "missing"))
		limitFiles(t, 11*4096)
		Kernels.Run(row, 12*row.Threads, dir)
		if after := openFiles(t); after != before {
			t.Errorf("%d files open before, %d after", before, after)
		}
	})
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestNoSuchDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, row gang.Row) {
		missing := filepath.Join(dir, "missing")
		_, err := Kernels.Run(row, 12, missing)
		wantError(t, err, row, "set up", missing, syscall.ENOENT)
		_, err = Kernels.Run(row, 12, file)
		wantError(t, err, row, "set up", file, syscall.ENOTDIR)
	})
}

// A file that must not grow: the write that crosses the limit comes back
// short, the one after it has an errno of its own. Of several threads that
// write one file, one meets the first and the others the second.
func TestWriteFails(t *testing.T) {
	const short, after = syscall.ENOSPC, syscall.EFBIG
	for limit, want := range map[uint64]syscall.Errno{11*4096 + 1000: short, 11 * 4096: after} {
		each(t, func(t *testing.T, row gang.Row) {
			if want == short && strings.Contains(row.Name, "/by=direct/") {
				return // 1000 bytes are no part of a block that O_DIRECT could write
			}
			phase := "set up"
			if appends(row) {
				phase = "run"
			}
			dir := t.TempDir()
			limitFiles(t, limit)
			_, err := Kernels.Run(row, 12*row.Threads, dir)
			if row.Threads > 1 && appends(row) && errors.Is(err, after) {
				wantError(t, err, row, phase, dir, after)
			} else {
				wantError(t, err, row, phase, dir, want)
			}
			wantEmpty(t, dir)
		})
	}
}

// limitFiles lets no file grow beyond so many bytes until the test ends.
func limitFiles(t *testing.T, bytes uint64) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
		signal.Reset(syscall.SIGXFSZ)
	})
}

// Where a file system knows no O_DIRECT, the rows that need it are lacking, and
// say what would help.
func TestLacksDirect(t *testing.T) {
	each(t, func(t *testing.T, row gang.Row) {
		if !strings.Contains(row.Name, "/by=direct/") {
			return
		}
		dir := t.TempDir()
		got := sampleOn(t, "ramfs", "rw", dir, row, gang.ExitLacking)
		text := "fsync: " + row.Name + ": set up in " + dir + ": O_DIRECT not supported on ramfs (DIR=a directory on a disk)"
		if want := `{"error":"` + text + "\"}\n"; got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	})
}

// A full disk and a read-only one, as the libcost command meets them.
func TestFullAndReadOnly(t *testing.T) {
	each(t, func(t *testing.T, row gang.Row) {
		full := "set up"
		if appends(row) {
			full = "run"
		}
		for _, test := range []struct {
			options, phase string
			want           syscall.Errno
		}{
			{"size=64k", full, syscall.ENOSPC},
			{"ro", "set up", syscall.EROFS},
		} {
			dir := t.TempDir()
			got := sampleOn(t, "tmpfs", test.options, dir, row, 1)
			text := "fsync: " + row.Name + ": " + test.phase + " in " + dir + ": " + test.want.Error()
			if want := `{"error":"` + text + "\"}\n"; got != want {
				t.Errorf("tmpfs %s:\ngot  %swant %s", test.options, got, want)
			}
		}
	})
}

// On a file system of which it isn't known whether a file without a name is
// synced as any other, the file keeps its name, and loses it in the end.
func TestKeepsName(t *testing.T) {
	const look = `
"$0" -sample "$1" -test.benchtime=1000000x -dir "$2" >/dev/null &
until [ -e "$2"/libcost-* ] || ! kill -0 $!; do :; done
ls "$2" | sed 's/-.*//'; kill $!`
	oneFile(t, func(t *testing.T, row gang.Row) {
		if row.Threads > 1 || strings.Contains(row.Name, "/by=direct/") {
			return // ramfs has no O_DIRECT
		}
		dir := t.TempDir()
		got := sampleOn(t, "ramfs", "rw", dir, row, 0)
		if !strings.Contains(got, `{"result":`) || !strings.HasSuffix(got, "}\n") {
			t.Errorf("got %s\nwant a result and no file", got)
		}
		if appends(row) {
			return // would fill the memory
		}
		if got, _ := mounted(t, "ramfs", "rw", look, row, dir); got != "libcost\n" {
			t.Errorf("while the ops run: got %q, want a file of libcost's", got)
		}
	})
}

// sampleOn runs a sample of this binary on a file system of its own. It
// returns what the sample printed and the names of what it left.
func sampleOn(t *testing.T, fs, options, dir string, row gang.Row, wantCode int) string {
	t.Helper()
	const script = `"$0" -sample "$1" -test.benchtime=100x -dir "$2"; code=$?
ls -A "$2"; exit $code`
	out, code := mounted(t, fs, options, script, row, dir)
	if code != wantCode {
		t.Errorf("exit status %d, want %d", code, wantCode)
	}
	return out
}

// mounted runs a script, $0 this binary, $1 the row, $2 dir, where dir is a
// file system that ends with the script.
func mounted(t *testing.T, fs, options, script string, row gang.Row, dir string) (out string, code int) {
	t.Helper()
	script = `mount -t "$3" -o "$4" none "$2" || exit 99; ` + script
	cmd := exec.Command("sh", "-c", script, self(t), row.Name, dir, fs, options)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	text, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		t.Skipf("user namespace: %v", err)
	}
	if code == 99 {
		t.Skipf("mount %s in a user namespace: %s", fs, exit.Stderr)
	}
	return string(text), code
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A sample that is killed leaves nothing behind: its file has lost its name
// while the ops go on.
func TestKilled(t *testing.T) {
	oneFile(t, func(t *testing.T, row gang.Row) {
		dir := t.TempDir()
		var fs syscall.Statfs_t
		if err := syscall.Statfs(dir, &fs); err != nil {
			t.Fatal(err)
		}
		switch fs.Type {
		case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		default:
			t.Skipf("%s is not on ext4, xfs or tmpfs", dir)
		}
		deleted := watchDeletes(t, dir)
		cmd := exec.Command(self(t), "-sample", row.Name, "-test.benchtime=100000x", "-dir", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := deleted.Read(make([]byte, 4096)); err != nil {
			t.Errorf("the file keeps its name: %v", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		cmd.Wait()
		wantEmpty(t, dir)
	})
}

// watchDeletes returns a file that can be read from once something in dir was
// deleted, within five seconds.
func watchDeletes(t *testing.T, dir string) *os.File {
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { events.Close() })
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_DELETE); err != nil {
		t.Fatal(err)
	}
	if err := events.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return events
}
