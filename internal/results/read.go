package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"libcost/internal/variant"
)

// A Run is what was read of a run's directory.
type Run struct {
	Dir      string
	Manifest Manifest
	Samples  []Sample
	Counts   Counts
	Warnings []string // a torn line that was dropped

	whole int64 // bytes of samples.jsonl up to the tear
}

// A SchemaError is a run of another version of libcost.
type SchemaError struct {
	Dir string
	Got int
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("results: %s: schema %d, this libcost reads %d (the libcost that wrote it reads it)", e.Dir, e.Got, Schema)
}

// Read reads a run. A torn last line is dropped and told in Warnings; a line
// that is wrong before that is an error with its number.
func Read(dir string) (*Run, error) {
	run := &Run{Dir: dir}
	file := filepath.Join(dir, "manifest.json")
	encoded, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: %s holds no manifest.json, so it is no run (make bench-musl bench-gnu)", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	var version struct{ Schema int }
	if err := json.Unmarshal(encoded, &version); err != nil {
		return nil, fmt.Errorf("results: %s: %w", file, err)
	}
	if version.Schema != Schema {
		return nil, &SchemaError{dir, version.Schema}
	}
	if err := json.Unmarshal(encoded, &run.Manifest); err != nil {
		return nil, fmt.Errorf("results: %s: %w", file, err)
	}
	if err := run.Manifest.check(); err != nil {
		return nil, fmt.Errorf("results: %s: %w", file, err)
	}
	if err := run.readCounts(filepath.Join(dir, "counts.json")); err != nil {
		return nil, err
	}
	return run, run.readSamples(filepath.Join(dir, "samples.jsonl"))
}

func (r *Run) readCounts(file string) error {
	encoded, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		r.Counts.Missing = "the run ended before its counting pass"
		return nil
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := json.Unmarshal(encoded, &r.Counts); err != nil {
		// The samples are whole all the same.
		r.Counts = Counts{Missing: "counts.json is torn"}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: dropped: %v", file, err))
	}
	for _, s := range r.Counts.Samples {
		if s.Status == OK && (s.Result == nil || s.N < 1) {
			return fmt.Errorf("results: %s: a sample of %s that went well and has no result", file, s.Row)
		}
	}
	return nil
}

func (r *Run) readSamples(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	rows := map[string]Row{}
	for _, row := range r.Manifest.Rows {
		rows[row.Key()] = row
	}
	seen := map[string]int{}
	for number := 1; len(text) > 0; number++ {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		var s Sample
		err := json.Unmarshal(line, &s)
		if last := len(rest) == 0; last && (err != nil || !ended) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s:%d: torn line dropped", file, number))
			return nil
		}
		if err == nil {
			err = s.check(rows, r.Manifest.Layouts)
		}
		id := fmt.Sprintf("%s %s %d", s.Row, s.Variant, s.Round)
		if before := seen[id]; err == nil && before > 0 {
			err = fmt.Errorf("round %d of %s, %s, stands in line %d already", s.Round, s.Row, s.Variant, before)
		}
		if err != nil {
			return fmt.Errorf("results: %s:%d: %w (without that line the others can be read)", file, number, err)
		}
		seen[id] = number
		r.Samples = append(r.Samples, s)
		r.whole += int64(len(line)) + 1
		text = rest
	}
	return nil
}

// check refuses what no run can have been.
func (m Manifest) check() error {
	var names []string
	for _, v := range m.Variants {
		if v.Name == "" || filepath.Base(v.Name) != v.Name || slices.Contains(names, v.Name) {
			return fmt.Errorf("%q is no name of a variant, or stands twice", v.Name)
		}
		names = append(names, v.Name)
	}
	if !slices.Contains(names, m.Base) {
		return fmt.Errorf("the base %q is none of the variants %q", m.Base, names)
	}
	if m.Layouts < 0 || m.Layouts > maxLayouts {
		return fmt.Errorf("%d layouts", m.Layouts)
	}
	for _, v := range m.Variants {
		if len(v.Builds) != max(0, m.Layouts-1) {
			return fmt.Errorf("%d further builds of %s for %d layouts", len(v.Builds), v.Name, m.Layouts)
		}
	}
	if m.Rounds < 1 || m.Rounds > maxRounds || m.Timeout <= 0 {
		return fmt.Errorf("%d rounds with a watchdog of %v", m.Rounds, m.Timeout)
	}
	if !slices.Contains(m.Host.CPUs, m.Pin) {
		return fmt.Errorf("pinned to CPU %d, which is none of %v", m.Pin, m.Host.CPUs)
	}
	for _, r := range m.Rows {
		if err := r.check(names); err != nil {
			return err
		}
	}
	return nil
}

// Far above what anybody waits for.
const (
	maxRounds  = 1_000_000
	maxLayouts = 1_000
)

func (r Row) check(variants []string) error {
	if r.Rounds < 0 || r.Rounds > maxRounds || r.Threads < 1 || !slices.Contains(variant.Rooms, r.Room) {
		return fmt.Errorf("row %s: %d rounds, %d threads, room %q", r.Key(), r.Rounds, r.Threads, r.Room)
	}
	for _, v := range r.Variants {
		if !slices.Contains(variants, v) {
			return fmt.Errorf("row %s runs in %q, which is none of the variants", r.Key(), v)
		}
		if r.Skipped == "" && r.N[v] < 2 {
			return fmt.Errorf("row %s runs %d ops in %s", r.Key(), r.N[v], v)
		}
	}
	return nil
}

var statuses = []Status{OK, Failed, Lacking, Crashed, Hung, Garbled, Differs}

// check refuses what no sample of the run can be.
func (s Sample) check(rows map[string]Row, layouts int) error {
	row, ok := rows[s.Row]
	switch {
	case !ok:
		return fmt.Errorf("no row %q in this run", s.Row)
	case !slices.Contains(row.Variants, s.Variant):
		return fmt.Errorf("%s does not run in variant %q", s.Row, s.Variant)
	case s.Round < 0 || s.Round >= row.Rounds:
		return fmt.Errorf("round %d of %s, which has %d", s.Round, s.Row, row.Rounds)
	case s.Layout < 0 || s.Layout >= max(1, layouts):
		return fmt.Errorf("layout %d of %s in a run of %d", s.Layout, s.Row, max(1, layouts))
	case !slices.Contains(statuses, s.Status):
		return fmt.Errorf("a sample of %s with status %q", s.Row, s.Status)
	case s.N != row.N[s.Variant]:
		return fmt.Errorf("a sample of %s, %s, with %d ops, where the run has %d", s.Row, s.Variant, s.N, row.N[s.Variant])
	case strings.ContainsAny(s.Line, "\r\n"):
		return fmt.Errorf("a sample of %s with more than one line", s.Row)
	case s.Result != nil && s.Result.negative():
		return fmt.Errorf("a sample of %s that took or counted less than nothing", s.Row)
	case s.Status == OK && (s.Result == nil || s.N < 1 || s.Result.N != s.N || s.Result.ElapsedNS < 1 || s.Line == ""):
		return fmt.Errorf("a sample of %s that went well and has no result", s.Row)
	case s.Status != OK && s.Result != nil:
		return fmt.Errorf("a sample of %s with status %q and a result", s.Row, s.Status)
	}
	return nil
}

// negative says that something was counted below 0; only the run-queue time
// may be, -1 where the kernel does not tell it.
func (r *Result) negative() bool {
	least := min(r.ElapsedNS, r.CPUNS, r.MinFlt, r.MajFlt, r.NVCSw, r.NIvCSw, r.MaxNS, r.RunDelayNS+1)
	for _, q := range r.Quantiles {
		least = min(least, q)
	}
	return least < 0
}
