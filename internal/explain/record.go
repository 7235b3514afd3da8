package explain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"libcost/internal/host"
	"libcost/internal/results"
)

// Schema is the version of the files. A reader refuses another.
const Schema = 1

// A Manifest is what was fixed before the first sample.
type Manifest struct {
	Schema   int               `json:"schema"`
	Command  []string          `json:"command"`
	Started  time.Time         `json:"started"`
	Seed     uint64            `json:"seed"`
	Workload string            `json:"workload"` // its directory's name
	Op       string            `json:"op"`
	Source   string            `json:"source,omitempty"`
	Sides    [2]string         `json:"sides"`
	Neutral  string            `json:"neutral"`         // the allocator that stands for both
	Plant    string            `json:"plant,omitempty"` // a function whose calls wait in the other build
	Builds   map[string]string `json:"builds"`          // SHA-256 of each binary, by name
	Rounds   int               `json:"rounds"`
	N        int               `json:"n"`
	Clients  int               `json:"clients,omitempty"`
	Pin      int               `json:"pin"` // -1: not pinned
	Timeout  time.Duration     `json:"timeout_ns"`
	Host     host.Facts        `json:"host"`
	Disk     host.Disk         `json:"disk"`
}

// Files of a run.
const (
	manifestFile = "explain.json"
	samplesFile  = "explain.jsonl"
)

// A Record is a run on disk.
type Record struct {
	Dir      string
	Manifest Manifest
	Samples  []Sample
	Warnings []string

	whole int64 // bytes of the samples up to a tear
	file  *os.File
}

// Create starts a record below dir and points latest-explain to it.
func Create(dir string, m Manifest) (*Record, error) {
	m.Schema = Schema
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	sum := sha256.Sum256(text)
	name := m.Started.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(sum[:3]) + "-" + m.Workload
	r := &Record{Dir: filepath.Join(dir, name), Manifest: m}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := os.Mkdir(r.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := results.WriteWhole(filepath.Join(r.Dir, manifestFile), append(text, '\n')); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := results.PointTo(filepath.Join(dir, "latest-explain"), name); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return r, r.open()
}

// Resume opens a record that was read, to go on with it.
func (r *Record) Resume() error {
	if err := os.Truncate(filepath.Join(r.Dir, samplesFile), r.whole); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("results: %w", err)
	}
	return r.open()
}

func (r *Record) open() (err error) {
	if r.file, err = os.OpenFile(filepath.Join(r.Dir, samplesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// Append writes one sample.
func (r *Record) Append(s Sample) error {
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("results: sample of %s: %w", s.Binary, err)
	}
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	r.Samples = append(r.Samples, s)
	return nil
}

// Close closes the file.
func (r *Record) Close() error { return r.file.Close() }

// Read reads a record. A torn last line is dropped and told.
func Read(dir string) (*Record, error) {
	file := filepath.Join(dir, manifestFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: %s holds no %s, so nothing was explained there (make explain)", dir, manifestFile)
	}
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	r := &Record{Dir: dir}
	if err := json.Unmarshal(text, &r.Manifest); err != nil {
		return nil, fmt.Errorf("results: %s: %w", file, err)
	}
	if m := r.Manifest; m.Schema != Schema {
		return nil, fmt.Errorf("results: %s: schema %d, this libcost reads %d (the libcost that wrote it reads it)", dir, m.Schema, Schema)
	} else if m.Rounds < 1 || m.N < 1 || m.Timeout <= 0 || len(m.Builds) == 0 {
		return nil, fmt.Errorf("results: %s: %d rounds of %d ops in %d builds", file, m.Rounds, m.N, len(m.Builds))
	}
	return r, r.readSamples(filepath.Join(dir, samplesFile))
}

func (r *Record) readSamples(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	for number := 1; len(text) > 0; number++ {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		var s Sample
		err := json.Unmarshal(line, &s)
		if len(rest) == 0 && (err != nil || !ended) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s:%d: torn line dropped", file, number))
			return nil
		}
		if err == nil {
			err = r.check(s)
		}
		if err != nil {
			return fmt.Errorf("results: %s:%d: %w (without that line the others can be read)", file, number, err)
		}
		r.Samples = append(r.Samples, s)
		r.whole += int64(len(line)) + 1
		text = rest
	}
	return nil
}

// check refuses what no sample of the record can be.
func (r *Record) check(s Sample) error {
	if _, ok := r.Manifest.Builds[s.Binary]; !ok {
		return fmt.Errorf("no binary %q in this run", s.Binary)
	}
	if s.Round < 0 || s.Round >= r.Manifest.Rounds {
		return fmt.Errorf("round %d of %d", s.Round, r.Manifest.Rounds)
	}
	if slices.ContainsFunc(r.Samples, func(t Sample) bool { return t.Round == s.Round && t.Binary == s.Binary }) {
		return fmt.Errorf("round %d of %s stands there already", s.Round, s.Binary)
	}
	for unit, x := range s.Metrics {
		if math.IsNaN(x) || x < 0 {
			return fmt.Errorf("%v %s is no measurement", x, unit)
		}
	}
	if !(s.Metrics["ns/op"] > 0) {
		return fmt.Errorf("a sample of %s without a time", s.Binary)
	}
	return nil
}
