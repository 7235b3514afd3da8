// Package kv tests the server and its load, as the programs that they are.
package kv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var bin string // of what TestMain's builds make

func TestMain(m *testing.M) {
	var err error
	if bin, err = os.MkdirTemp("", "kv"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(bin)
	os.Exit(code)
}

// A build is how one server, or the client, is made.
type build struct {
	name, cc, cflags, ldflags, objects string
	client                             bool
}

var builds sync.Map // name -> func() (string, error)

// make builds a program once and returns its path.
func (b build) make(t *testing.T) string {
	t.Helper()
	once, _ := builds.LoadOrStore(b.name, sync.OnceValues(func() (string, error) {
		out := filepath.Join(bin, b.name)
		args := []string{"-s", "server", "OUT=" + out, "CC=" + b.cc, "CFLAGS=" + b.cflags, "LDFLAGS=" + b.ldflags, "OBJECTS=" + b.objects}
		if b.client {
			args = []string{"-s", "client", "OUT=" + out, "CLIENT_FLAGS=" + b.cflags}
		}
		said, err := exec.Command("make", args...).CombinedOutput()
		if err == nil && len(said) > 0 {
			err = fmt.Errorf("the build is not silent")
		}
		if err != nil {
			err = fmt.Errorf("make %q: %w\n%s", args, err, said)
		}
		return out, err
	}))
	path, err := once.(func() (string, error))()
	require.NoError(t, err)
	return path
}

// compiler finds the compiler of a libc, skipping the test where there is none.
func compiler(t *testing.T, name string) string {
	t.Helper()
	for _, file := range []string{"../../.toolchain/bin/" + name, name} {
		if path, err := exec.LookPath(file); err == nil {
			path, err = filepath.Abs(path)
			require.NoError(t, err)
			return path
		}
	}
	t.Skipf("%s is not installed (make setup)", name)
	return ""
}

const strict = "-O2 -Wall -Wextra -Werror"

func gnuServer(t *testing.T) string {
	return build{name: "gnu", cc: compiler(t, "gcc"), cflags: strict}.make(t)
}

func client(t *testing.T) string {
	compiler(t, "gcc")
	return build{name: "client", cflags: strict, client: true}.make(t)
}

// An end is how a program ended and what it said.
type end struct {
	code           int
	stdout, stderr string
}

func run(t *testing.T, name string, args ...string) end {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Minute
	timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		require.NoError(t, err)
	}
	return end{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// words splits flags.
func words(flags string, more ...string) []string { return append(strings.Fields(flags), more...) }

// load runs the client with a server, in a directory that goes.
func load(t *testing.T, server, flags string, more ...string) end {
	t.Helper()
	return run(t, client(t), append([]string{"-server", server, "-dir", t.TempDir()}, words(flags, more...)...)...)
}

var line = regexp.MustCompile(`^BenchmarkKV\t(\d+)\t[0-9.]+ ns/op(\t[0-9.]+ \S+)*$`)

// metrics checks the output of a run and returns the line's values by unit.
func metrics(t *testing.T, e end) (digest string, values map[string]float64) {
	t.Helper()
	require.Zero(t, e.code, e.stderr)
	lines := strings.Split(strings.TrimSuffix(e.stdout, "\n"), "\n")
	require.Len(t, lines, 3, e.stdout)
	require.Regexp(t, `^digest: [0-9a-f]{16}$`, lines[0])
	require.Regexp(t, `^setup-ns: \d+$`, lines[1])
	require.Regexp(t, line, lines[2])
	fields := strings.Split(lines[2], "\t")
	values = map[string]float64{}
	for _, f := range fields[2:] {
		value, unit, _ := strings.Cut(f, " ")
		v, err := strconv.ParseFloat(value, 64)
		require.NoError(t, err)
		values[unit] = v
	}
	values["n"], _ = strconv.ParseFloat(fields[1], 64)
	return strings.TrimPrefix(lines[0], "digest: "), values
}

// Every way to serve gives the same answers to the same work.
func TestModes(t *testing.T) {
	modes := []string{
		"-commit serial -workers 0", "-commit serial -workers 3", "-commit serial -thread-a-client",
		"-commit group -workers 0", "-commit group -workers 4", "-commit group -thread-a-client",
		"-commit group -wait-us 100", "-snapshot 100", "-nodes 3", "-nodes 3 -commit serial -workers 0",
		"-nodes 3 -snapshot 150 -thread-a-client", "-sync none", "-threads 3", "-rate 20000",
	}
	loads := []string{
		"-n 900 -clients 7", "-n 900 -clients 1 -order uniform -keys 50", "-n 900 -clients 64 -order hot -reads 50 -filled -keys 300",
		"-n 900 -clients 8 -reads 100 -filled -keys 200", "-n 200 -clients 16 -value 65536 -reads 50 -filled -keys 20",
	}
	for _, l := range loads {
		var want string
		for _, m := range modes {
			t.Run(l+" "+m, func(t *testing.T) {
				digest, v := metrics(t, load(t, gnuServer(t), l+" "+m))
				if want == "" {
					want = digest
				}
				require.Equal(t, want, digest)
				if strings.Contains(m, "serial") && v["reqs/sync"] != 0 {
					require.Equal(t, 1.0, v["reqs/sync"])
				}
				for _, unit := range []string{"cpu-ns/op", "client-cpu-ns/op", "p50-ns", "max-ns", "nvcsw/op", "minflt/op",
					"arrive-ns", "queue-ns", "map-ns", "reply-ns"} {
					require.Contains(t, v, unit)
				}
				require.NotContains(t, v, "p99.9-ns", "fewer than ten requests are above it")
			})
		}
	}
}

// Other work has another digest.
func TestDigest(t *testing.T) {
	seen := map[string]string{}
	for _, l := range []string{"-n 100", "-n 101", "-n 100 -value 65", "-n 100 -order uniform", "-n 100 -order uniform -keys 99",
		"-n 100 -order hot", "-n 100 -reads 50 -filled", "-n 100 -reads 51 -filled"} {
		digest, v := metrics(t, load(t, gnuServer(t), l))
		require.Empty(t, seen[digest], l)
		seen[digest] = l
		require.Equal(t, strings.Fields(l)[1], strconv.Itoa(int(v["n"])))
	}
}

// Both libcs, each linkage, without a warning, and with everything replaced that a part may replace.
func TestBuilds(t *testing.T) {
	want, _ := metrics(t, load(t, gnuServer(t), "-n 500"))
	for _, cc := range []string{"gcc", "musl-gcc"} {
		for _, ldflags := range []string{"", "-static"} {
			for _, part := range []string{"", "parts", "clock"} {
				t.Run(cc+ldflags+part, func(t *testing.T) {
					b := build{name: cc + ldflags + part, cc: compiler(t, cc), cflags: strict, ldflags: ldflags}
					if part != "" {
						b.objects = filepath.Join(t.TempDir(), part+".o")
						said, err := exec.Command(b.cc, "-O1", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-c", "-o", b.objects,
							"testdata/"+part+".c").CombinedOutput()
						require.NoError(t, err, string(said))
					}
					server := b.make(t)
					for _, mode := range []string{"-snapshot 100", "-thread-a-client"} {
						got, _ := metrics(t, load(t, server, "-n 500 -clients 8 "+mode))
						require.Equal(t, want, got)
					}
				})
			}
		}
	}
}

// The parts of testdata are what the program runs on.
func TestPartsAreReached(t *testing.T) {
	if _, err := exec.LookPath("nm"); err != nil {
		t.Skip("nm is not installed")
	}
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			b := build{name: cc + "-reached", cc: compiler(t, cc), cflags: strict, ldflags: "-static"}
			b.objects = filepath.Join(t.TempDir(), "parts.o")
			said, err := exec.Command(b.cc, "-c", "-g", "-fno-builtin", "-o", b.objects, "testdata/parts.c").CombinedOutput()
			require.NoError(t, err, string(said))
			out, err := exec.Command("nm", "-l", b.make(t)).Output()
			require.NoError(t, err)
			for _, name := range []string{"malloc", "realloc", "memcpy", "memcmp", "pthread_mutex_lock", "pthread_cond_wait"} {
				// No libc.a has lines: those of the pthreads are their declarations'.
				require.Regexp(t, `(?m)^[0-9a-f]+ T `+name+`\t.*(parts\.c|pthread\.h):\d+$`, string(out))
			}
		})
	}
}

// What workload.toml says is what the Makefile and the client take.
func TestWorkload(t *testing.T) {
	text, err := os.ReadFile("workload.toml")
	require.NoError(t, err)
	server, load := filepath.Join(t.TempDir(), "s"), filepath.Join(t.TempDir(), "c")
	values := strings.NewReplacer("{cc}", compiler(t, "gcc"), "{cflags}", "-O2 -fno-stack-protector", "{ldflags}", "-static", "{objects}", "",
		"{out}", server, "{once}", load, "{n}", "300", "{dir}", t.TempDir(), "{clients}", "5")
	for _, key := range []string{"build", "build-once", "run"} {
		m := regexp.MustCompile(`(?m)^` + key + ` = \[(.*)\]$`).FindSubmatch(text)
		require.NotNil(t, m, key)
		var args []string
		for _, w := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(string(m[1]), -1) {
			args = append(args, values.Replace(w[1]))
		}
		e := run(t, args[0], args[1:]...)
		require.Zero(t, e.code, e.stderr)
		require.Empty(t, e.stderr)
		if key == "run" {
			_, v := metrics(t, e)
			require.Equal(t, 300.0, v["n"])
		}
	}
}
