package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Buckets are times of single ops: the longest that falls into a bucket, in ns,
// and how many did. A bucket is at most 1/128 of its times wide.
type Buckets [][2]int64

// A Histogram is what the ops of one sample took, a line of hist/VARIANT.jsonl.
// Its quantiles are in the sample's result: the file is for plots and for other
// quantiles.
type Histogram struct {
	Row     string  `json:"row"`
	Round   int     `json:"round"`
	N       int     `json:"n"`
	Buckets Buckets `json:"buckets"`
}

// total is how many ops the buckets hold, or -1 if they are no histogram.
func (b Buckets) total() int64 {
	var total, last int64 = 0, -1
	for _, bucket := range b {
		if bucket[0] <= last || bucket[1] < 1 {
			return -1
		}
		total, last = total+bucket[1], bucket[0]
	}
	return total
}

// Counts says whether the histogram, if there is one, holds all ops. A variant
// with planted work runs more than it tells.
func (r *Result) Counts() bool {
	return r.Histogram == nil || r.Histogram.total() >= int64(r.N)
}

func histogramFile(dir, variant string) string {
	return filepath.Join(dir, "hist", variant+".jsonl")
}

// ReadHistograms reads the histograms of a run's variant, nil if no row had
// any. A torn last line is dropped.
func ReadHistograms(dir, variant string) ([]Histogram, error) {
	file := histogramFile(dir, variant)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	list := []Histogram{}
	for number := 1; len(text) > 0; number++ {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		if !ended {
			break
		}
		var h Histogram
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, fmt.Errorf("results: %s:%d: %w (without that line the others can be read)", file, number, err)
		}
		if h.Buckets.total() < int64(h.N) {
			return nil, fmt.Errorf("results: %s:%d: the buckets do not hold %d ops (without that line the others can be read)", file, number, h.N)
		}
		list = append(list, h)
		text = rest
	}
	return list, nil
}

// appendHistogram moves a sample's histogram into its variant's file, where it
// has one: samples.jsonl stays lean.
func (w *Writer) appendHistogram(s *Sample) error {
	if s.Result == nil || s.Result.Histogram == nil {
		return nil
	}
	lean := *s.Result
	lean.Histogram = nil
	line, err := json.Marshal(Histogram{s.Row, s.Round, s.N, s.Result.Histogram})
	if err != nil {
		return err
	}
	s.Result = &lean
	file := histogramFile(w.Dir, s.Variant)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// keepHistograms drops from a run's files what belongs to no sample: a torn
// line, and one whose sample was never written because the run was killed.
func keepHistograms(run *Run) error {
	type place struct {
		variant, row string
		round        int
	}
	have := map[place]bool{}
	for _, s := range run.Samples {
		have[place{s.Variant, s.Row, s.Round}] = true
	}
	for _, v := range run.Manifest.Variants {
		list, err := ReadHistograms(run.Dir, v.Name)
		if err != nil {
			return err
		}
		if list == nil {
			continue
		}
		var kept bytes.Buffer
		enc := json.NewEncoder(&kept)
		for _, h := range list {
			if have[place{v.Name, h.Row, h.Round}] {
				if err := enc.Encode(h); err != nil {
					return fmt.Errorf("results: %w", err)
				}
			}
		}
		if err := WriteWhole(histogramFile(run.Dir, v.Name), kept.Bytes()); err != nil {
			return fmt.Errorf("results: %w", err)
		}
	}
	return nil
}
