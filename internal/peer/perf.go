package peer

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
)

// A perf is a benchmark of perf bench.
type perf struct {
	args  []string // without the number of ops
	parse func(out []byte, n int) (float64, error)
}

// perfs are compared with gnu-dynamic: perf is a dynamic program of glibc, so
// that its calls too go through the PLT to the functions of the same libc.so.
func perfs() []Peer {
	return []Peer{
		{
			Name: "perf bench", Row: "syscalls/Getppid/via=wrapper/threads=1", Variant: "gnu-dynamic",
			N: 300_000, Margin: 0.10,
			tool: perf{[]string{"bench", "syscall", "basic"}, parseSyscall},
		},
		{
			// As in the row: two buffers, written before the clock starts and
			// alike modulo 4096, and a loop of nothing but the call. Smaller ones
			// perf has from the heap, not alike: its copy of 4 KiB takes 34 ns
			// where the row's takes 26.
			Name: "perf bench", Row: "memops/Memcpy/size=1048576/src=0/dst=0/threads=1", Variant: "gnu-dynamic",
			N: 1000, Margin: 0.10,
			tool: perf{[]string{"bench", "--format=simple", "mem", "memcpy", "-f", "default", "-s", "1MB"}, parseMemcpy},
		},
	}
}

// missing runs one op: distributions have a perf that is a script, and looks
// for the kernel's own perf, or one that was built without a benchmark.
func (p perf) missing(ctx context.Context, s Site) error {
	path, err := exec.LookPath("perf")
	if err != nil {
		return errors.New("not installed")
	}
	_, err = s.run(ctx, path, p.command(1)...)
	return err
}

func (p perf) measure(ctx context.Context, s Site, n int) (float64, error) {
	path, err := exec.LookPath("perf")
	if err != nil {
		return 0, err
	}
	out, err := s.run(ctx, path, p.command(n)...)
	if err != nil {
		return 0, err
	}
	return p.parse(out, n)
}

func (p perf) command(n int) []string {
	return append(p.args[:len(p.args):len(p.args)], "-l", strconv.Itoa(n))
}

var syscallOutput = regexp.MustCompile(`^# Running 'syscall/basic' benchmark:
# Executed ([0-9]+) getppid\(\) calls
 +Total time: [0-9]+\.[0-9]{3} \[sec\]

 +([0-9]+\.[0-9]{6}) usecs/op
 +[0-9]+ ops/sec\n+$`)

func parseSyscall(out []byte, n int) (float64, error) {
	m := syscallOutput.FindSubmatch(out)
	if m == nil || string(m[1]) != strconv.Itoa(n) {
		return 0, unknown("perf bench syscall basic", out)
	}
	us, err := strconv.ParseFloat(string(m[2]), 64)
	return 1e3 * us, err
}

var memcpyOutput = regexp.MustCompile(`^# function 'default' \(.*\)\n([0-9]+\.[0-9]{6})\n$`)

func parseMemcpy(out []byte, _ int) (float64, error) {
	m := memcpyOutput.FindSubmatch(out)
	if m == nil {
		return 0, unknown("perf bench mem memcpy", out)
	}
	bytesPerSecond, err := strconv.ParseFloat(string(m[1]), 64)
	return 1 << 20 / bytesPerSecond * 1e9, err
}
