package peer

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"libcost/internal/runner"
)

func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// testdata/fio.json is what fio 3.33 printed for the command of the row
// file=append.
func TestMeasureFio(t *testing.T) {
	bin := install(t, "fio")
	for _, c := range []struct {
		file string
		own  []string
		size int64 // of the file that fio finds
	}{
		{"append", []string{"--size=4096000"}, 0},
		{"zeros", []string{"--overwrite=1", "--invalidate=0", "--size=4194304", "--io_size=4096000"}, 4 << 20},
	} {
		f := &fake{outcome: runner.Outcome{Stdout: []byte(recorded(t, "fio.json"))}}
		size := int64(-1)
		f.during = func(c runner.Command) {
			if info, err := os.Stat(fileOf(c)); err == nil {
				size = info.Size()
			}
		}
		s := f.site(t)
		got, err := find(t, "fio", c.file, "musl").Measure(t.Context(), s)
		if err != nil || got != 108032+4320 {
			t.Errorf("%s: got %v, %v, want the two p50 of the file together", c.file, got, err)
		}
		command := f.commands[0]
		common := []string{"--name=sync", "--output-format=json", "--percentile_list=50", "--rw=write", "--bs=4k", "--ioengine=psync", "--fdatasync=1", "--fallocate=none"}
		args := slices.DeleteFunc(slices.Clone(command.Args), func(a string) bool { return strings.HasPrefix(a, "--filename=") })
		if want := append(common, c.own...); command.Path != filepath.Join(bin, "fio") || command.CPU != s.CPU || !slices.Equal(args, want) {
			t.Errorf("%s: ran %+v, want %q", c.file, command, want)
		}
		if dir := filepath.Dir(fileOf(command)); dir != s.Dir || size != c.size {
			t.Errorf("%s: a file of %d bytes in %s, want %d in %s", c.file, size, dir, c.size, s.Dir)
		}
		if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", c.file, left, err)
		}
	}
}

// fileOf is the file that a fio command works on.
func fileOf(c runner.Command) string {
	for _, a := range c.Args {
		if name, ok := strings.CutPrefix(a, "--filename="); ok {
			return strings.ReplaceAll(name, `\:`, ":")
		}
	}
	return ""
}

func TestFioFileWithColon(t *testing.T) {
	install(t, "fio")
	f := &fake{outcome: runner.Outcome{Stdout: []byte(recorded(t, "fio.json"))}}
	s := f.site(t)
	s.Dir = filepath.Join(s.Dir, "a:b")
	if err := os.Mkdir(s.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := find(t, "fio", "append", "gnu").Measure(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(f.commands[0].Args, func(a string) bool { return strings.Contains(a, `a\:b`) }) {
		t.Errorf("ran %q", f.commands[0].Args)
	}
}

func TestParseFioRefuses(t *testing.T) {
	good := recorded(t, "fio.json")
	for _, c := range []struct{ old, new, want string }{
		{good, "", "unknown output"},
		{good, "fio: unknown option\n" + good, "unknown output"},
		{good, good[:len(good)/2], "unknown output"},
		{good, `{"jobs": []}`, "0 jobs"},
		{`"error" : 0`, `"error" : 5`, "error 5"},
		{`"N" : 999`, `"N" : 998`, "998 syncs"},
		{`"N" : 999`, `"N" : 1001`, "1001 syncs"},
		{`"N" : 1000`, `"N" : 999`, "999 writes"},
		{`"sync"`, `"syncs"`, "0 syncs"},
		{`"lat_ns"`, `"lat_us"`, "0 syncs"},
		{`"clat_ns"`, `"clat_us"`, "0 writes"},
		{`"50.000000"`, `"50"`, "no p50"},
		{`"percentile"`, `"percentiles"`, "no p50"},
	} {
		text := strings.ReplaceAll(good, c.old, c.new)
		if text == good {
			t.Fatalf("%q is not in the recorded output", c.old)
		}
		if got, err := parseFio([]byte(text), syncs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.30q to %.30q: got %v, %v, want %q", c.old, c.new, got, err, c.want)
		}
	}
}

func TestFio(t *testing.T) {
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("fio is not installed")
	}
	s := Site{Exec: runner.Processes{}, CPU: -1, Dir: t.TempDir(), Timeout: time.Minute}
	for _, p := range fios() {
		if p.Variant != "gnu" {
			continue // the same command
		}
		if err := p.Missing(t.Context(), s); err != nil {
			t.Skip(err)
		}
		if _, err := p.Measure(t.Context(), s); err != nil {
			t.Error(err)
		}
	}
}
