package gang

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"libcost/internal/attest"
)

// ExitLacking is the exit code of a sample whose row this machine can't run.
const ExitLacking = 3

var (
	listRows = flag.Bool("rows", false, "print the room's rows as JSON and exit")
	attested = flag.Bool("attest", false, "print which libc this binary really holds as JSON and exit")
	sample   = flag.String("sample", "", "run this `row` once, -test.benchtime=Nx ops, and print its benchmark line and what it took as JSON")
	count    = flag.String("count", "", "with -sample: count the system calls of these tracepoints, `id,id,...`")
	dir      = flag.String("dir", "", "the `directory` of rows that write files (default: the working directory)")
)

// Main is a room's TestMain: its tests, then a benchmark for each row of the
// table; or, with -rows, -attest or -sample, what the libcost command asks for.
//
// Note: it calls testing.RunBenchmarks so that the table in C stays the only
// list of rows. A Go function for each kernel would be a second list.
func Main(m *testing.M, r *Room) {
	flag.Parse()
	switch {
	case *listRows:
		os.Exit(printJSON(r.rows))
	case *attested:
		os.Exit(printJSON(json.RawMessage(attest.JSON())))
	case *sample != "":
		os.Exit(r.sample(*sample))
	}
	code := m.Run()
	if pattern := flag.Lookup("test.bench").Value.String(); code == 0 && pattern != "" {
		fmt.Printf("pkg: libcost/%s\n", r.name)
		failed := false
		testing.RunBenchmarks(regexp.MatchString, r.benchmarks(&failed))
		if failed {
			code = 1
		}
	}
	os.Exit(code)
}

func printJSON(v any) int {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		fmt.Fprintln(os.Stderr, "gang:", err)
		return 1
	}
	return 0
}

// benchmarks are the rows as Go benchmarks; *failed tells whether one failed,
// which testing.RunBenchmarks keeps to itself.
func (r *Room) benchmarks(failed *bool) []testing.InternalBenchmark {
	list := make([]testing.InternalBenchmark, 0, len(r.rows))
	for _, row := range r.rows {
		list = append(list, testing.InternalBenchmark{Name: "Benchmark" + row.Name, F: func(b *testing.B) {
			if row.Plain {
				b.Skip("proc=plain runs in the C worker: libcost run")
			}
			result, err := r.Run(row, b.N, where())
			var run *RunError
			if errors.As(err, &run) && run.Lacking() {
				b.Skip(err)
			}
			if err != nil {
				*failed = true
				b.Fatal(err)
			}
			report(b, row, result)
			reportCounters(b, result)
		}})
	}
	return list
}

func where() string {
	if *dir == "" {
		return "."
	}
	return *dir
}

// report replaces Go's own clock by the gang's.
func report(b *testing.B, row Row, r Result) {
	n := float64(r.N)
	b.ReportMetric(float64(r.ElapsedNS)/n, "ns/op")
	b.ReportMetric(float64(r.CPUNS)/n, "cpu-ns/op")
	if row.bytes > 0 {
		b.ReportMetric(float64(row.bytes)*n/float64(r.ElapsedNS)*1e3, "MB/s")
	}
	if r.Value != nil {
		b.ReportMetric(*r.Value, row.Unit)
	}
	for i, q := range r.Quantiles {
		if q > 0 {
			b.ReportMetric(float64(q), Quantiles[i]+"-ns")
		}
	}
}

// reportCounters prints the counters that are not 0, or as good as 0: one page
// fault in a million ops belongs to the start. In a run they are in the
// sidecar.
func reportCounters(b *testing.B, r Result) {
	for unit, v := range map[string]int64{
		"minflt/op": r.MinFlt, "majflt/op": r.MajFlt, "nvcsw/op": r.NVCSw, "nivcsw/op": r.NIvCSw,
	} {
		if perOp := float64(v) / float64(r.N); perOp >= 0.0005 {
			b.ReportMetric(perOp, unit)
		}
	}
}

// sample runs one row for the libcost command: Go's benchmark line, then one
// line of JSON, {"result": ...} or {"error": ...}.
func (r *Room) sample(name string) int {
	var (
		row    *Row
		result Result
		err    error
	)
	for i := range r.rows {
		if r.rows[i].Name == name && !r.rows[i].Plain {
			row = &r.rows[i]
		}
	}
	if row == nil {
		return r.answer(Result{}, fmt.Errorf("%s: no row %s in this binary", r.name, name))
	}
	if err := r.count(*count); err != nil {
		return r.answer(Result{}, err)
	}
	line := testing.Benchmark(func(b *testing.B) {
		// testing tries a benchmark with one op first. That would leave the
		// sample a heap that is not fresh.
		if b.N == 1 {
			return
		}
		if result, err = r.Run(*row, b.N, where()); err == nil {
			report(b, *row, result)
		}
	})
	if err == nil {
		fmt.Printf("Benchmark%s\t%s\n", name, line)
	}
	return r.answer(result, err)
}

// count turns -count's ids into counters.
func (r *Room) count(list string) error {
	if list == "" {
		return nil
	}
	var ids []uint64
	for _, word := range strings.Split(list, ",") {
		id, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return fmt.Errorf("%s: -count: %w", r.name, err)
		}
		ids = append(ids, id)
	}
	return r.Count(ids)
}

func (r *Room) answer(result Result, err error) int {
	if err == nil && result.N == 0 {
		err = fmt.Errorf("%s: a sample needs -test.benchtime=Nx with N of 2 or more", r.name)
	}
	if err == nil {
		return printJSON(map[string]any{"result": result})
	}
	printJSON(map[string]any{"error": err.Error()})
	var run *RunError
	if errors.As(err, &run) && run.Lacking() {
		return ExitLacking
	}
	return 1
}
