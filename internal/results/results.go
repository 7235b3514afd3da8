// Package results is a run on disk:
//
//	results/20261201T101500Z-3fa9c1/
//	    manifest.json    what was run, with what, where
//	    samples.jsonl    one line a sample, as it came
//	    gnu.txt ...      the same as Go benchmark files, one for each variant
//	    hist/gnu.jsonl   the times of single ops, of rows that have them
//	results/latest       the newest run
//
// samples.jsonl is the record; the benchmark files can be made again from it.
// A line is written whole or torn: a reader drops a torn last line and says so.
package results

import (
	"time"

	"libcost/internal/host"
	"libcost/internal/variant"
)

// Schema is the version of the files. A reader refuses another.
const Schema = 1

// A Manifest is what was fixed before the first sample.
type Manifest struct {
	Schema   int           `json:"schema"`
	Command  []string      `json:"command"`
	Started  time.Time     `json:"started"`
	Seed     uint64        `json:"seed"`
	Set      string        `json:"set"`
	Rounds   int           `json:"rounds"`            // of a row without rounds of its own
	Stops    bool          `json:"stops"`             // a row that is decided (plan.Decided) stops
	Layouts  int           `json:"layouts,omitempty"` // builds of each variant, with a code layout each; 0 is 1
	Base     string        `json:"base"`
	Canary   string        `json:"canary,omitempty"` // the variant that is a second copy of the base
	Variants []Variant     `json:"variants"`
	Rows     []Row         `json:"rows"`
	Host     host.Facts    `json:"host"`
	Disk     host.Disk     `json:"disk"` // of the rows that write files
	Pin      int           `json:"pin"`  // CPU of the single-thread rows
	Timeout  time.Duration `json:"timeout_ns"`
}

// A Variant is what a variant's binaries attested.
type Variant struct {
	Name     string        `json:"name"`
	Build    string        `json:"build"`
	Layout   int           `json:"layout,omitempty"` // of this build: variant.Variant.Layout
	Builds   []string      `json:"builds,omitempty"` // with the layouts after it
	Compiler string        `json:"compiler"`
	Command  []string      `json:"command"`
	Env      []string      `json:"env"`
	Facts    variant.Facts `json:"facts"`
}

// A Row is a row of the run with what calibration found.
type Row struct {
	variant.Row
	Variants []string       `json:"variants"` // those that run it, the base first
	Rounds   int            `json:"rounds"`
	Cost     time.Duration  `json:"cost_ns"`           // of one round, all variants, as calibrated
	N        map[string]int `json:"n"`                 // ops of one sample, by variant
	Skipped  string         `json:"skipped,omitempty"` // why it was not measured
	Lacking  bool           `json:"lacking,omitempty"` // the machine lacks something; nothing is wrong
}

// Counts are what the counting pass found: one sample for each row and variant.
type Counts struct {
	Calls   []string `json:"calls"`             // names of Result.Calls
	Missing string   `json:"missing,omitempty"` // why nothing was counted
	Samples []Sample `json:"samples,omitempty"`
}

// A Status is how a sample ended.
type Status string

// Everything but OK is a finding of its own, and no number.
const (
	OK      Status = "ok"
	Failed  Status = "failed"  // it said why
	Lacking Status = "lacking" // the machine lacks what the row needs
	Crashed Status = "crashed" // a signal ended it
	Hung    Status = "hung"    // the watchdog ended it
	Garbled Status = "garbled" // what it printed is no result
	Differs Status = "differs" // its digest is not that of the same ops before
)

// A Sample is one fresh process.
type Sample struct {
	Seq        int       `json:"seq"`
	Round      int       `json:"round"`
	Row        string    `json:"row"` // variant.Row.Key
	Variant    string    `json:"variant"`
	Layout     int       `json:"layout,omitempty"` // which of the variant's builds
	N          int       `json:"n"`
	Start      time.Time `json:"start"`
	WallNS     int64     `json:"wall_ns"` // of the process
	CPU        int       `json:"cpu"`     // pinned to, -1 not pinned
	StealTicks int64     `json:"steal_ticks"`
	Load       float64   `json:"load"`
	Status     Status    `json:"status"`
	Error      string    `json:"error,omitempty"`
	Result     *Result   `json:"result,omitempty"`
	Line       string    `json:"line,omitempty"` // in Go's benchmark format
}

// A Result is what a sample's n ops took (gang.Result).
type Result struct {
	N          int      `json:"n"`
	ElapsedNS  int64    `json:"elapsed_ns"`
	CPUNS      int64    `json:"cpu_ns"`
	MinFlt     int64    `json:"minflt"`
	MajFlt     int64    `json:"majflt"`
	NVCSw      int64    `json:"nvcsw"`
	NIvCSw     int64    `json:"nivcsw"`
	RunDelayNS int64    `json:"run_delay_ns"`
	Digest     string   `json:"digest"`
	Quantiles  []int64  `json:"quantiles_ns,omitempty"`
	MaxNS      int64    `json:"max_ns,omitempty"`
	Value      *float64 `json:"value,omitempty"` // in the row's unit
	Calls      []int64  `json:"calls,omitempty"` // of a counting pass

	// Of a latency row, on its way from the sample to its file.
	Histogram Buckets `json:"histogram,omitempty"`
}

// maxRunDelay is the share of a sample's time that it may have waited for its
// CPU before it is flagged.
const maxRunDelay = 0.05

// Flagged says that the machine was busy with something else: the sample waited
// for its CPU, or the hypervisor took it. It stays in; comparisons tell how
// many there are.
func (s Sample) Flagged() bool {
	if s.Result == nil {
		return false
	}
	waited := s.CPU >= 0 && float64(s.Result.RunDelayNS) > maxRunDelay*float64(s.Result.ElapsedNS)
	return waited || s.StealTicks > 0
}
