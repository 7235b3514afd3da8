package peer

import (
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"libcost/internal/runner"
)

// The recorded outputs are those of perf 6.1.
func TestMeasurePerf(t *testing.T) {
	bin := install(t, "perf")
	for _, c := range []struct {
		row, file string
		args      []string
		want      float64
	}{
		{"Getppid", "perf-syscall.txt", []string{"bench", "syscall", "basic", "-l", "300000"}, 228.103},
		{"Memcpy", "perf-memcpy.txt", []string{"bench", "--format=simple", "mem", "memcpy", "-f", "default", "-s", "1MB", "-l", "1000"}, 84806.0},
	} {
		f := &fake{outcome: runner.Outcome{Stdout: []byte(recorded(t, c.file))}}
		s := f.site(t)
		p := find(t, "perf bench", c.row, "gnu-dynamic")
		got, err := p.Measure(t.Context(), s)
		if err != nil || math.Abs(got-c.want) > 1e-3*c.want {
			t.Errorf("%s: got %v, %v, want %v", c.row, got, err, c.want)
		}
		if got := f.commands[0]; got.Path != filepath.Join(bin, "perf") || got.CPU != s.CPU || !slices.Equal(got.Args, c.args) {
			t.Errorf("%s: ran %+v, want %q", c.row, got, c.args)
		}
		if err := p.Missing(t.Context(), s); err != nil {
			t.Error(err)
		}
		if got := f.commands[1].Args; got[len(got)-1] != "1" {
			t.Errorf("%s: asks with %q, want one op", c.row, got)
		}
	}
}

func TestParsePerfRefuses(t *testing.T) {
	for _, c := range []struct {
		file, old, new string
		parse          func([]byte, int) (float64, error)
	}{
		{"perf-syscall.txt", "Executed 300000", "Executed 300,000", parseSyscall},
		{"perf-syscall.txt", "Executed 300000", "Executed 10000000", parseSyscall},
		{"perf-syscall.txt", "getppid()", "getpgid()", parseSyscall},
		{"perf-syscall.txt", "usecs/op", "msecs/op", parseSyscall},
		{"perf-syscall.txt", "# Running", "# running", parseSyscall},
		{"perf-syscall.txt", "ops/sec\n", "ops/sec\nmore\n", parseSyscall},
		{"perf-memcpy.txt", "'default'", "'x86-64-movsb'", parseMemcpy},
		{"perf-memcpy.txt", "666603\n", "666603 GB/sec\n", parseMemcpy},
		{"perf-memcpy.txt", "666603\n", "666603\n# function 'default' ()\n1.000000\n", parseMemcpy},
		{"perf-memcpy.txt", "12364408178.666603\n", "", parseMemcpy},
		{"perf-memcpy.txt", "12364408178.666603", "inf", parseMemcpy},
	} {
		good := recorded(t, c.file)
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%s: %q is not in it", c.file, c.old)
		}
		if got, err := c.parse([]byte(text), 300_000); err == nil || !strings.Contains(err.Error(), "unknown output") {
			t.Errorf("%s: %q to %q: got %v, %v", c.file, c.old, c.new, got, err)
		}
	}
}

func TestPerf(t *testing.T) {
	if _, err := exec.LookPath("perf"); err != nil {
		t.Skip("perf is not installed")
	}
	s := Site{Exec: runner.Processes{}, CPU: -1, Timeout: time.Minute}
	for _, p := range perfs() {
		if err := p.Missing(t.Context(), s); err != nil {
			t.Skip(err)
		}
		if _, err := p.Measure(t.Context(), s); err != nil {
			t.Error(err)
		}
	}
}
