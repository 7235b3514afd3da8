package bugreport

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/compare"
	"libcost/internal/host"
	"libcost/internal/results"
	"libcost/internal/variant"
)

// run has memcmp over sizes, slower on musl but for one byte, where it is
// faster.
func run() *results.Run {
	facts := func(libc, version string) variant.Facts {
		return variant.Facts{Libc: libc, LibcVersion: version, Linkage: "static", Allocator: "native", Compiler: "gcc 12.2.0"}
	}
	r := &results.Run{Manifest: results.Manifest{
		Base: "gnu", Rounds: 10, Host: host.Facts{OS: "Debian GNU/Linux 12", Kernel: "6.1", CPU: "a CPU", CPUs: []int{0, 1}},
		Variants: []results.Variant{{Name: "gnu", Facts: facts("glibc", "2.36")}, {Name: "musl", Facts: facts("musl", "1.2.3")}},
	}}
	ns := map[string][2]int64{"1": {20, 10}, "64": {40, 200}, "4096": {50, 2500}}
	for _, size := range []string{"1", "64", "4096"} {
		row := results.Row{Row: variant.Row{Room: "memops", Name: "Memcmp/size=" + size + "/differ=none/threads=1", Threads: 1, Calls: "memcmp", About: "compares <b>equal</b> bytes", Source: "https://example.org/report"},
			Variants: []string{"gnu", "musl"}, Rounds: 10, N: map[string]int{"gnu": 1000, "musl": 100}}
		r.Manifest.Rows = append(r.Manifest.Rows, row)
		for round := range 10 {
			for side, v := range row.Variants {
				r.Samples = append(r.Samples, results.Sample{Round: round, Row: row.Key(), Variant: v, Status: results.OK, CPU: 1,
					Result: &results.Result{N: 1000, ElapsedNS: 1000*ns[size][side] + int64(round), CPUNS: 1000 * ns[size][side], NVCSw: int64(side * 500)}})
			}
		}
	}
	return r
}

const row = "memops/Memcmp/size=4096/differ=none/threads=1"

func written(t *testing.T, change func(*Report)) string {
	t.Helper()
	run := run()
	r, err := New(run, compare.Compare(compare.FromRun(run)), row, "")
	require.NoError(t, err)
	if change != nil {
		change(&r)
	}
	var out bytes.Buffer
	r.Markdown(&out)
	return out.String()
}

func TestMarkdown(t *testing.T) {
	text := written(t, func(r *Report) {
		r.Archive, r.Compiled = "libcost-x.tar.gz", []string{"gcc: compiles it", "musl-gcc: not found"}
		r.Listings = []Listing{{"gnu", "memops_memcmp_op", "  call memcmp"}}
	})
	first, _, _ := strings.Cut(text, "\n")
	assert.Equal(t, "musl 1.2.3, static, gcc 12.2.0 (musl), Debian GNU/Linux 12; against glibc 2.36, static, gcc 12.2.0 (gnu). Not tried on a newer release.", first)
	for _, want := range []string{
		"# memops/Memcmp/size=4096/differ=none/threads=1: 50x slower\n",
		"One op: compares &lt;b&gt;equal&lt;/b&gt; bytes.",
		"This shape was met in https://example.org/report.",
		"## By size\n", "| 1 | 20 ns | 10 ns |", "| 64 | 40 ns | 200 ns |", "| 4096 | 50 ns | 2.5 µs |",
		"The sign changes at size=64: slower from there.",
		"| nvcsw/op | 0 | 0.5 |",
		"10 rounds, each a fresh process", "corrected for all 3 verdicts of the run",
		"gcc -O2 -static -pthread *.c -o gnu && ./gnu", "Expected, about: 50 ns in gnu, 2.5 µs in musl (ns/op).",
		"Tried where this was written: musl-gcc: not found.",
		"## memops_memcmp_op in gnu", "call memcmp",
	} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 1, strings.Count(text, "The sign changes"))
}

func TestNewRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*results.Run)
		row    string
		want   string
	}{
		"no row":      {func(*results.Run) {}, "memops/Memcmp", "no row memops/Memcmp in this run"},
		"one variant": {func(r *results.Run) { r.Manifest.Rows[2].Variants = []string{"gnu"} }, row, "ran in gnu alone"},
		"skipped":     {func(r *results.Run) { r.Manifest.Rows[2].Skipped = "no disk" }, row, "was not measured: no disk"},
		"no sample":   {func(r *results.Run) { r.Samples = nil }, row, "has no sample that went well in both variants"},
	} {
		run := run()
		c.change(run)
		_, err := New(run, compare.Compare(compare.FromRun(run)), c.row, "")
		assert.ErrorContains(t, err, c.want, what)
	}
}

// Names with markup or escapes are text.
func TestText(t *testing.T) {
	assert.Equal(t, "a&lt;script&gt;\\|b\\[31m'", Text("a<script>|b[31m`"))
	assert.Equal(t, `\*a\* &amp;lt; \\`, Text(`*a* &lt; \`))
	assert.NotContains(t, Text("\x1b[31mred\nnext"), "\x1b")
	assert.NotContains(t, Text("\x1b[31mred\nnext"), "\n")
}

func TestDiffersIn(t *testing.T) {
	key, value, ok := differsIn("a/B/size=1/threads=1", "a/B/size=2/threads=1")
	assert.True(t, ok)
	assert.Equal(t, "size=2", key+"="+value)
	for _, other := range []string{"a/B/size=1/threads=1", "a/C/size=1/threads=1", "a/B/size=2/threads=2", "a/B/size=1", "a/B/sizes=1/threads=1"} {
		_, _, ok := differsIn("a/B/size=1/threads=1", other)
		assert.False(t, ok, other)
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

// The reproducer of a row of each room compiles with either compiler, runs, and
// finds its result right.
func TestReproducerOfEachRoom(t *testing.T) {
	for _, c := range []variant.Row{
		{Room: "alloc", Name: "Pair/size=64/live=1/threads=1"},
		{Room: "memops", Name: "Memcmp/size=4096/a=0/b=0/differ=none/threads=1"},
		{Room: "syscalls", Name: "Mutex/held=0/think=0/threads=2/place=spread"},
		{Room: "fsync", Name: "Sync/size=4096/by=none/file=append/threads=1"},
		{Room: "stdlib", Name: "Strtol/digits=9/threads=1"},
		{Room: "alloc", Name: "Pair/size=64/live=1/threads=1/proc=plain", Plain: true},
	} {
		c.Op = 1
		files, err := Files(root(t), results.Row{Row: c}, 500)
		require.NoError(t, err)
		for _, cc := range []string{"gcc", "musl-gcc"} {
			t.Run(c.Room+" "+cc, func(t *testing.T) {
				if _, err := exec.LookPath(cc); err != nil {
					t.Skip(cc + " not found (make setup)")
				}
				dir := t.TempDir()
				binary, err := Compile(context.Background(), cc, dir, files)
				require.NoError(t, err)
				cmd := exec.Command(binary)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				assert.Contains(t, string(out), c.Name+": ")
				assert.Contains(t, string(out), "500 ops")
			})
		}
	}
}

func TestFilesOfALoopInGo(t *testing.T) {
	for _, r := range []variant.Row{{Room: "cgo", Name: "Empty", Op: 1}, {Room: "memops", Name: "X"}, {Room: "alloc", Name: "Pair/batch=1", Op: 1}} {
		_, err := Files(root(t), results.Row{Row: r}, 5)
		assert.ErrorContains(t, err, "loop is in Go", r.Name)
	}
}

func TestCompileThatFails(t *testing.T) {
	_, err := Compile(context.Background(), "gcc", t.TempDir(), map[string][]byte{"main.c": []byte("int main(void) { return x; }")})
	assert.EqualError(t, err, "gcc: does not compile it (exit status 1)")
	_, err = Compile(context.Background(), "no-such-cc", t.TempDir(), nil)
	assert.EqualError(t, err, "no-such-cc: not found")
}

// Nothing of this machine is in the two files: no host, user, home, time or
// variable.
func TestNothingOfTheMachine(t *testing.T) {
	const secret = "xyzzy-plugh"
	hostname, err := os.Hostname()
	require.NoError(t, err)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	t.Setenv("PLANTED_SECRET", secret)
	files, err := Files(root(t), results.Row{Row: variant.Row{Room: "alloc", Name: "Pair/size=64/live=1/threads=1", Op: 1}}, 500)
	require.NoError(t, err)
	var packed bytes.Buffer
	require.NoError(t, Pack(&packed, "libcost-x", files))
	zip, err := gzip.NewReader(&packed)
	require.NoError(t, err)
	assert.Empty(t, zip.Name)
	reader := tar.NewReader(zip)
	// What a record may hold of a machine, and a report may not.
	all := written(t, func(r *Report) {
		r.Archive = "libcost-x.tar.gz"
		m := &r.Run.Manifest
		m.Command, m.Set = []string{"libcost", secret}, secret
		m.Disk.Device = secret
		for i := range m.Variants {
			m.Variants[i].Env, m.Variants[i].Command, m.Variants[i].Build = []string{"A=" + secret}, []string{secret}, secret
		}
		r.Base.Env, r.Variant.Env, r.Base.Command, r.Variant.Command = []string{secret}, []string{secret}, []string{secret}, []string{secret}
		for i := range r.Run.Samples {
			r.Run.Samples[i].Error, r.Run.Samples[i].Line = secret, secret
		}
		r.Run.Dir = "/home/" + secret
	})
	names := 0
	for {
		h, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		names++
		assert.True(t, strings.HasPrefix(h.Name, "libcost-x/"))
		assert.Empty(t, h.Uname+h.Gname)
		assert.Zero(t, h.Uid)
		assert.Zero(t, h.ModTime.Unix())
		text, err := io.ReadAll(reader)
		require.NoError(t, err)
		all += h.Name + string(text)
	}
	assert.Equal(t, len(files), names)
	for _, private := range []string{secret, "PLANTED_SECRET", root(t), home + "/"} {
		assert.NotContains(t, all, private)
	}
	if len(hostname) > 3 && !strings.HasPrefix(hostname, "localhost") {
		assert.NotContains(t, all, hostname)
	}
}
