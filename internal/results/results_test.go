package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"libcost/internal/host"
	"libcost/internal/variant"
)

// The test binary is also another owner of a lock.
func TestMain(m *testing.M) {
	dir := os.Getenv("LIBCOST_TEST_LOCK")
	if dir == "" {
		os.Exit(m.Run())
	}
	if _, err := Lock(dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("locked")
	io.Copy(io.Discard, os.Stdin)
}

var started = time.Date(2026, 12, 1, 10, 15, 0, 123, time.UTC)

// manifest is a run of two rooms in two variants that differ in all they can.
func manifest() Manifest {
	m := Manifest{
		Schema: Schema, Command: []string{"libcost", "run", "gnu", "musl"}, Started: started, Seed: 7, Set: "quick", Rounds: 3, Base: "gnu",
		Host: host.Facts{Arch: "amd64", CPU: "a CPU: with colons", CPUs: []int{0, 1}}, Disk: host.Disk{FileSystem: "ext4"}, Pin: 1, Timeout: 30 * time.Second,
	}
	m.Variants = []Variant{
		{Name: "gnu", Build: "0a", Facts: variant.Facts{Libc: "glibc", LibcVersion: "2.36", Linkage: "static", Allocator: "native", Compiler: "gcc 12"}},
		{Name: "musl", Build: "0b", Facts: variant.Facts{Libc: "musl", LibcVersion: "1.2.3", Linkage: "dynamic", Allocator: "mimalloc 2.0.9", Compiler: "clang 15"}, Env: []string{"A=1"}},
	}
	for _, r := range []variant.Row{{Room: "alloc", Name: "Pair/size=64", Threads: 1}, {Room: "fsync", Name: "Append", Threads: 1, Latency: true}} {
		m.Rows = append(m.Rows, Row{Row: r, Variants: []string{"gnu", "musl"}, Rounds: 3, N: map[string]int{"gnu": 10, "musl": 10}})
	}
	return m
}

func sample(seq, round int, row, variant string) Sample {
	_, name, _ := strings.Cut(row, "/")
	ns := 10 + seq
	return Sample{
		Seq: seq, Round: round, Row: row, Variant: variant, N: 10, Start: started.Add(time.Duration(seq) * time.Second), WallNS: 5, CPU: 1, Status: OK,
		Line:   fmt.Sprintf("Benchmark%s\t10\t%d ns/op\t5 cpu-ns/op", name, ns),
		Result: &Result{N: 10, ElapsedNS: int64(10 * ns), Digest: "d"},
	}
}

// samples are two rounds, one of them unwell.
func samples() []Sample {
	all := []Sample{
		sample(0, 0, "alloc/Pair/size=64", "gnu"), sample(1, 0, "alloc/Pair/size=64", "musl"),
		sample(2, 0, "fsync/Append", "musl"), sample(3, 0, "fsync/Append", "gnu"),
		sample(4, 1, "alloc/Pair/size=64", "musl"), sample(5, 1, "alloc/Pair/size=64", "gnu"),
		sample(6, 1, "fsync/Append", "gnu"),
	}
	all[3].Status, all[3].Error, all[3].Line, all[3].Result = Crashed, "killed by \x1b \"quotes\"\nand lines", "", nil
	return all
}

// write writes a run and gives its directory.
func write(t *testing.T, dir string, samples []Sample) string {
	t.Helper()
	w, err := Create(dir, manifest())
	require.NoError(t, err)
	for _, s := range samples {
		require.NoError(t, w.Append(s))
	}
	require.NoError(t, w.Close())
	return w.Dir
}

func content(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(b)
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, manifest())
	require.NoError(t, err)
	assert.Regexp(t, `^20261201T101500Z-[0-9a-f]{6}$`, filepath.Base(w.Dir))
	for i, s := range samples() {
		require.NoError(t, w.Append(s))
		// It is on disk before the next one starts, whole.
		run, err := Read(w.Dir)
		require.NoError(t, err)
		assert.Equal(t, samples()[:i+1], run.Samples)
	}
	require.NoError(t, w.Counts(Counts{Calls: []string{"futex"}, Samples: samples()[:1]}))
	require.NoError(t, w.Close())

	run, err := Read(w.Dir)
	require.NoError(t, err)
	assert.Equal(t, manifest(), run.Manifest)
	assert.Equal(t, Counts{Calls: []string{"futex"}, Samples: samples()[:1]}, run.Counts)
	assert.Empty(t, run.Warnings)

	latest, err := Read(filepath.Join(dir, "latest"))
	require.NoError(t, err)
	assert.Equal(t, run.Samples, latest.Samples)
}

// Go's own tools read the files, and put both into one table: that needs equal
// configuration in both.
func TestBenchmarkFiles(t *testing.T) {
	run := write(t, t.TempDir(), samples())
	config := map[string]map[string]string{} // by row, "key: value ..." to the files that have it
	values := map[string][]string{}
	for _, name := range []string{"gnu", "musl"} {
		r := benchfmt.NewReader(strings.NewReader(content(t, run, name+".txt")), name)
		for r.Scan() {
			result, ok := r.Result().(*benchfmt.Result)
			if unit, is := r.Result().(*benchfmt.UnitMetadata); is {
				assert.Equal(t, "better", unit.Key)
				continue
			}
			require.True(t, ok, "%v", r.Result())
			keys := ""
			for _, c := range result.Config {
				keys += fmt.Sprintf("%s=%s ", c.Key, c.Value)
			}
			row := string(result.Name)
			if config[row] == nil {
				config[row] = map[string]string{}
			}
			config[row][keys] += name + " "
			v, ok := result.Value("sec/op")
			require.True(t, ok)
			values[name+" "+row] = append(values[name+" "+row], fmt.Sprintf("%.0f", v*1e9))
		}
		require.NoError(t, r.Err())
		for _, unit := range []string{"cpu-ns/op", "p50-ns", "p90-ns", "p99-ns", "p99.9-ns"} {
			assert.Equal(t, -1, r.Units().GetBetter(unit), unit)
		}
	}
	const machine = "goos=linux goarch=amd64 cpu=a CPU: with colons pkg=libcost/"
	assert.Equal(t, map[string]map[string]string{
		"Pair/size=64": {machine + "alloc ": "gnu gnu musl musl "},
		"Append":       {machine + "fsync ": "gnu musl "},
	}, config)
	// Each whole sample once; one that crashed is no number.
	assert.Equal(t, map[string][]string{
		"gnu Pair/size=64": {"10", "15"}, "musl Pair/size=64": {"11", "14"}, "gnu Append": {"16"}, "musl Append": {"12"},
	}, values)
	assert.NotContains(t, content(t, run, "gnu.txt"), "\n\n")
	assert.Contains(t, content(t, run, "musl.txt"), "# libcost: variant musl: musl 1.2.3, dynamic, allocator mimalloc 2.0.9, clang 15\n")
}

// A run may be killed at any byte. Its whole samples can be read, and once it
// has gone on nothing tells that it was killed.
func TestKilledAtAnyByte(t *testing.T) {
	all := samples()[:4]
	whole := write(t, t.TempDir(), all)
	record := content(t, whole, "samples.jsonl")
	files := map[string]string{}
	for _, name := range []string{"manifest.json", "gnu.txt", "musl.txt"} {
		files[name] = content(t, whole, name)
	}
	for n := range len(record) + 1 {
		dir := t.TempDir()
		for name, text := range files {
			if name != "manifest.json" {
				text = text[:n*len(text)/len(record)]
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "samples.jsonl"), []byte(record[:n]), 0o666))

		run, err := Read(dir)
		require.NoError(t, err, "at byte %d", n)
		lines := strings.Count(record[:n], "\n")
		require.Equal(t, len(all[:lines]), len(run.Samples), "at byte %d", n)
		if n > 0 && record[n-1] != '\n' {
			require.Equal(t, []string{fmt.Sprintf("%s/samples.jsonl:%d: torn line dropped", dir, lines+1)}, run.Warnings)
		} else {
			require.Empty(t, run.Warnings)
		}
		w, err := Resume(run)
		require.NoError(t, err)
		for _, s := range all[len(run.Samples):] {
			require.NoError(t, w.Append(s))
		}
		require.NoError(t, w.Close())
		require.Equal(t, record, content(t, dir, "samples.jsonl"), "at byte %d", n)
		for name, text := range files {
			require.Equal(t, text, content(t, dir, name), "%s at byte %d", name, n)
		}
	}
}

// Before its first sample a run has no record.
func TestResumeWithoutARecord(t *testing.T) {
	dir := write(t, t.TempDir(), nil)
	for _, name := range []string{"samples.jsonl", "gnu.txt", "musl.txt"} {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	run, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, "the run ended before its counting pass", run.Counts.Missing)
	w, err := Resume(run)
	require.NoError(t, err)
	require.NoError(t, w.Append(samples()[0]))
	require.NoError(t, w.Close())
	assert.Equal(t, 1, strings.Count(content(t, dir, "gnu.txt"), "\nBenchmark"))
}

// What can't be is refused with its file and line, and costs no crash.
func TestReadRefuses(t *testing.T) {
	line := func(change func(*Sample)) string {
		s := sample(0, 0, "alloc/Pair/size=64", "gnu")
		change(&s)
		b, err := json.Marshal(s)
		require.NoError(t, err)
		return string(b) + "\n"
	}
	good := line(func(*Sample) {})
	musl := line(func(s *Sample) { s.Variant = "musl" })
	for what, c := range map[string]struct{ file, text, want string }{
		"no manifest":             {"manifest.json", "", "results: DIR holds no manifest.json, so it is no run (make bench-musl bench-gnu)"},
		"half a manifest":         {"manifest.json", `{"schema": 1, "comm`, "results: DIR/manifest.json: unexpected end of JSON input"},
		"a manifest of old":       {"manifest.json", `{"schema": 0}`, "results: DIR: schema 0, this libcost reads 1 (the libcost that wrote it reads it)"},
		"a manifest of tomorrow":  {"manifest.json", `{"schema": 2, "command": 5}`, "results: DIR: schema 2, this libcost reads 1 (the libcost that wrote it reads it)"},
		"a manifest of elsewhere": {"manifest.json", `{"schema": 1, "rounds": "x"}`, "results: DIR/manifest.json: json: cannot unmarshal string into Go struct field Manifest.rounds of type int"},
		"no watchdog":             {"manifest.json", `{"schema": 1, "variants": [{"name": "gnu"}], "base": "gnu", "rounds": 1}`, `results: DIR/manifest.json: 1 rounds with a watchdog of 0s`},
		"too many rounds":         {"manifest.json", `{"schema": 1, "variants": [{"name": "gnu"}], "base": "gnu", "rounds": 4611686018427387904, "timeout_ns": 1}`, `results: DIR/manifest.json: 4611686018427387904 rounds with a watchdog of 1ns`},
		"another CPU":             {"manifest.json", `{"schema": 1, "variants": [{"name": "gnu"}], "base": "gnu", "rounds": 1, "timeout_ns": 1, "pin": 999}`, `results: DIR/manifest.json: pinned to CPU 999, which is none of []`},

		"layouts without builds": {"manifest.json", `{"schema": 1, "layouts": 6, "variants": [{"name": "gnu", "builds": ["a"]}], "base": "gnu", "rounds": 1}`, `results: DIR/manifest.json: 1 further builds of gnu for 6 layouts`},
		"builds without layouts": {"manifest.json", `{"schema": 1, "variants": [{"name": "gnu", "builds": ["a"]}], "base": "gnu", "rounds": 1}`, `results: DIR/manifest.json: 1 further builds of gnu for 0 layouts`},
		"too many layouts":       {"manifest.json", `{"schema": 1, "layouts": 1001, "variants": [{"name": "gnu"}], "base": "gnu"}`, `results: DIR/manifest.json: 1001 layouts`},

		"another layout":            {"samples.jsonl", line(func(s *Sample) { s.Layout = 1 }), "results: DIR/samples.jsonl:1: layout 1 of alloc/Pair/size=64 in a run of 1"},
		"a layout before all":       {"samples.jsonl", line(func(s *Sample) { s.Layout = -1 }), "results: DIR/samples.jsonl:1: layout -1 of alloc/Pair/size=64 in a run of 1"},
		"a wrong line":              {"samples.jsonl", good + "x\n" + musl, "results: DIR/samples.jsonl:2: invalid character 'x' looking for beginning of value"},
		"an empty line":             {"samples.jsonl", good + "\n" + musl, "results: DIR/samples.jsonl:2: unexpected end of JSON input"},
		"NUL bytes":                 {"samples.jsonl", good + "\x00\x00\x00\n" + musl, `results: DIR/samples.jsonl:2: invalid character '\x00' looking for beginning of value`},
		"a line twice":              {"samples.jsonl", good + musl + good, "results: DIR/samples.jsonl:3: round 0 of alloc/Pair/size=64, gnu, stands in line 1 already"},
		"other ops":                 {"samples.jsonl", line(func(s *Sample) { s.N, s.Result.N = 7, 7 }), `results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64, gnu, with 7 ops, where the run has 10`},
		"less than nothing":         {"samples.jsonl", line(func(s *Sample) { s.Result.NVCSw = -1 }), `results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 that took or counted less than nothing`},
		"two lines in one":          {"samples.jsonl", line(func(s *Sample) { s.Line += "\nBenchmarkEvil 1 1 ns/op" }), `results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 with more than one line`},
		"no status of ours":         {"samples.jsonl", line(func(s *Sample) { s.Status = "zzz" }), `results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 with status "zzz"`},
		"another row":               {"samples.jsonl", line(func(s *Sample) { s.Row = "alloc/Pear" }), `results: DIR/samples.jsonl:1: no row "alloc/Pear" in this run`},
		"no sample":                 {"samples.jsonl", "{}\n" + good, `results: DIR/samples.jsonl:1: no row "" in this run`},
		"another variant":           {"samples.jsonl", line(func(s *Sample) { s.Variant = "gnu-dynamic" }), `results: DIR/samples.jsonl:1: alloc/Pair/size=64 does not run in variant "gnu-dynamic"`},
		"another round":             {"samples.jsonl", line(func(s *Sample) { s.Round = 3 }), "results: DIR/samples.jsonl:1: round 3 of alloc/Pair/size=64, which has 3"},
		"a round before all":        {"samples.jsonl", line(func(s *Sample) { s.Round = -1 }), "results: DIR/samples.jsonl:1: round -1 of alloc/Pair/size=64, which has 3"},
		"well, without a result":    {"samples.jsonl", line(func(s *Sample) { s.Result = nil }), "results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 that went well and has no result"},
		"well, without ops":         {"samples.jsonl", line(func(s *Sample) { s.N, s.Result.N = 0, 0 }), `results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64, gnu, with 0 ops, where the run has 10`},
		"well, with other ops":      {"samples.jsonl", line(func(s *Sample) { s.N = 11 }), `results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64, gnu, with 11 ops, where the run has 10`},
		"well, with ops of its own": {"samples.jsonl", line(func(s *Sample) { s.Result.N = 11 }), "results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 that went well and has no result"},
		"well, in no time":          {"samples.jsonl", line(func(s *Sample) { s.Result.ElapsedNS = 0 }), "results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 that went well and has no result"},
		"counts without any":        {"counts.json", `{"samples": [{"row": "alloc/Pair", "status": "ok", "n": 3}]}`, "results: DIR/counts.json: a sample of alloc/Pair that went well and has no result"},
		"well, without its line":    {"samples.jsonl", line(func(s *Sample) { s.Line = "" }), "results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 that went well and has no result"},
		"hung, with a result":       {"samples.jsonl", line(func(s *Sample) { s.Status = Hung }), `results: DIR/samples.jsonl:1: a sample of alloc/Pair/size=64 with status "hung" and a result`},
	} {
		t.Run(what, func(t *testing.T) {
			dir := write(t, t.TempDir(), nil)
			if c.text == "" {
				require.NoError(t, os.Remove(filepath.Join(dir, c.file)))
			} else {
				require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o666))
			}
			want := strings.ReplaceAll(c.want, "DIR", dir)
			if c.file == "samples.jsonl" {
				want += " (without that line the others can be read)"
			}
			_, err := Read(dir)
			assert.EqualError(t, err, want)
		})
	}
}

// A manifest says what every sample is held against.
func TestReadRefusesAManifest(t *testing.T) {
	for want, change := range map[string]func(*Manifest){
		`the base "nobody" is none of the variants ["gnu" "musl"]`:         func(m *Manifest) { m.Base = "nobody" },
		`"gnu" is no name of a variant, or stands twice`:                   func(m *Manifest) { m.Variants[1].Name = "gnu" },
		`"../musl" is no name of a variant, or stands twice`:               func(m *Manifest) { m.Variants[1].Name = "../musl" },
		`"" is no name of a variant, or stands twice`:                      func(m *Manifest) { m.Variants[1].Name = "" },
		`0 rounds with a watchdog of 30s`:                                  func(m *Manifest) { m.Rounds = 0 },
		`1000001 rounds with a watchdog of 30s`:                            func(m *Manifest) { m.Rounds = 1000001 },
		`3 rounds with a watchdog of 0s`:                                   func(m *Manifest) { m.Timeout = 0 },
		`pinned to CPU 9, which is none of [0 1]`:                          func(m *Manifest) { m.Pin = 9 },
		`row alloc/Pair/size=64: -1 rounds, 1 threads, room "alloc"`:       func(m *Manifest) { m.Rows[0].Rounds = -1 },
		`row alloc/Pair/size=64: 3 rounds, 0 threads, room "alloc"`:        func(m *Manifest) { m.Rows[0].Threads = 0 },
		`row etc/Pair/size=64: 3 rounds, 1 threads, room "etc"`:            func(m *Manifest) { m.Rows[0].Room = "etc" },
		`row fsync/Append runs in "nobody", which is none of the variants`: func(m *Manifest) { m.Rows[1].Variants[1] = "nobody" },
		`row fsync/Append runs 1 ops in musl`:                              func(m *Manifest) { m.Rows[1].N["musl"] = 1 },
		``:                                                                 func(m *Manifest) { m.Rows[1].Skipped, m.Rows[1].N = "gnu: no disk", nil },
	} {
		m := manifest()
		change(&m)
		w, err := Create(t.TempDir(), m)
		if err == nil {
			require.NoError(t, w.Close())
			_, err = Read(w.Dir)
		}
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, "/manifest.json: "+want)
	}
}

// Torn counts cost nothing but themselves.
func TestReadDropsTornCounts(t *testing.T) {
	dir := write(t, t.TempDir(), samples())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "counts.json"), []byte("{"), 0o666))
	run, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, samples(), run.Samples)
	assert.Equal(t, Counts{Missing: "counts.json is torn"}, run.Counts)
	assert.Equal(t, []string{dir + "/counts.json: dropped: unexpected end of JSON input"}, run.Warnings)
}

func TestReadAnotherSchemaByName(t *testing.T) {
	dir := write(t, t.TempDir(), nil)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(`{"schema": 2}`), 0o666))
	_, err := Read(dir)
	var schema *SchemaError
	require.ErrorAs(t, err, &schema)
	assert.Equal(t, SchemaError{Dir: dir, Got: 2}, *schema)
}

// A disk that was full or a machine that lost power leaves such tails.
func TestReadDropsATornTail(t *testing.T) {
	good := samples()[:1]
	for what, tail := range map[string]string{
		"half a line":        `{"seq":1,"round":0,"row":"al`,
		"a line without end": `{"seq":1,"round":0,"row":"alloc/Pair/size=64","variant":"musl"}`,
		"NUL bytes":          "\x00\x00\x00\x00",
		"NUL and an end":     "\x00\x00\x00\x00\n",
		"100 MB":             strings.Repeat("x", 100e6),
		"100 MB of a string": `{"row":"` + strings.Repeat("x", 100e6),
	} {
		t.Run(what, func(t *testing.T) {
			dir := write(t, t.TempDir(), good)
			f, err := os.OpenFile(filepath.Join(dir, "samples.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString(tail)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			run, err := Read(dir)
			require.NoError(t, err)
			assert.Equal(t, good, run.Samples)
			assert.Equal(t, []string{dir + "/samples.jsonl:2: torn line dropped"}, run.Warnings)
		})
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	first := write(t, dir, nil)
	link := filepath.Join(dir, "latest")
	target := func() string {
		to, err := os.Readlink(link)
		require.NoError(t, err)
		return to
	}
	assert.Equal(t, filepath.Base(first), target())

	// Another run of the same second has another name, the same run is refused.
	m := manifest()
	m.Started = m.Started.Add(1)
	require.NoError(t, os.Symlink("nowhere", link+".part"), "of one that was killed")
	w, err := Create(dir, m)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	assert.NotEqual(t, first, w.Dir)
	assert.Equal(t, filepath.Base(w.Dir), target())
	_, err = Create(dir, m)
	assert.ErrorIs(t, err, os.ErrExist)
	assert.ErrorContains(t, err, "results: mkdir "+w.Dir)

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "two runs and latest")
	entries, err = os.ReadDir(w.Dir)
	require.NoError(t, err)
	assert.Len(t, entries, 4, "manifest, samples, two variants")
}

func TestCreateWhereNothingCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err := Create(file, manifest())
	assert.ErrorContains(t, err, "results: mkdir "+file)
}

// At each moment latest is a run: the old one or the new one.
func TestLatestIsReplacedAtOnce(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "latest")
	require.NoError(t, PointTo(link, "a"))
	done := make(chan error)
	go func() {
		for i := range 1000 {
			if err := PointTo(link, string(rune('a'+i%2))); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			require.NoError(t, err)
			return
		default:
			to, err := os.Readlink(link)
			require.NoError(t, err)
			require.Contains(t, "ab", to)
		}
	}
}

func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	unlock, err := Lock(dir)
	require.NoError(t, err)
	_, err = Lock(dir)
	assert.Equal(t, &BusyError{dir}, err)
	assert.EqualError(t, err, "run: "+dir+": another run is going on in this tree; two at once would measure each other")

	// Samples that outlive their run do not keep the tree busy.
	heir := exec.Command("cat")
	pipe, err := heir.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, heir.Start())
	unlock()
	unlock, err = Lock(dir)
	assert.NoError(t, err)
	unlock()
	pipe.Close()
	require.NoError(t, heir.Wait())
}

func TestLockDiesWithItsOwner(t *testing.T) {
	dir := t.TempDir()
	owner := exec.Command("/proc/self/exe")
	owner.Env = []string{"LIBCOST_TEST_LOCK=" + dir}
	in, err := owner.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	out, err := owner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, owner.Start())
	word, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "locked\n", word)

	_, err = Lock(dir)
	assert.IsType(t, &BusyError{}, err)
	require.NoError(t, owner.Process.Kill())
	owner.Wait()
	unlock, err := Lock(dir)
	require.NoError(t, err)
	unlock()
}

func TestLockWhereNothingCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err := Lock(file)
	assert.ErrorContains(t, err, "run: mkdir "+file)
}

func TestFlagged(t *testing.T) {
	for what, c := range map[string]struct {
		sample Sample
		want   bool
	}{
		"quiet":                           {Sample{Result: &Result{ElapsedNS: 1000, RunDelayNS: 0}}, false},
		"waited 5 %":                      {Sample{Result: &Result{ElapsedNS: 1000, RunDelayNS: 50}}, false},
		"waited more":                     {Sample{Result: &Result{ElapsedNS: 1000, RunDelayNS: 51}}, true},
		"threads wait for CPUs by nature": {Sample{CPU: -1, Result: &Result{ElapsedNS: 1000, RunDelayNS: 900}}, false},
		"the kernel does not say":         {Sample{Result: &Result{ElapsedNS: 1000, RunDelayNS: -1}}, false},
		"steal":                           {Sample{StealTicks: 1, Result: &Result{ElapsedNS: 1000}}, true},
		"steal while threads ran":         {Sample{CPU: -1, StealTicks: 1, Result: &Result{ElapsedNS: 1000}}, true},
		"no result":                       {Sample{StealTicks: 1}, false},
	} {
		assert.Equal(t, c.want, c.sample.Flagged(), what)
	}
}

// The files hold no byte that a terminal obeys.
func TestRecordIsPlainText(t *testing.T) {
	record := content(t, write(t, t.TempDir(), samples()), "samples.jsonl")
	assert.False(t, bytes.ContainsAny([]byte(record), "\x1b\x00"))
	assert.Equal(t, len(samples()), strings.Count(record, "\n"))
}
