//go:build cgo

// Clone-smells looks for code that was copied: it parses Go source files once
// and compares every function and block with every other one. Names, strings
// and numbers are folded, so that a renamed copy is still a copy.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	"libcost/e2e/internal/gosource"
	"libcost/e2e/internal/sample"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("clone-smells", flag.ContinueOnError)
	return sample.Main(flags, func() (sample.Workload, error) { return workload(), nil }, args, stdout, stderr)
}

// One file, so that parsing is not most of a sample.
var paths = []string{"strings/strings.go"}

func workload() sample.Workload {
	return sample.Workload{
		Name: fmt.Sprintf("CloneSmells/files=%d", len(paths)),
		Op:   "subtree",
		N:    2500,
		New:  func(n int) (sample.Run, error) { return newSearch(n) },
	}
}

type search struct {
	forest *forest
	found  []smell // of each op
}

func newSearch(n int) (*search, error) {
	files, err := gosource.Files(paths...)
	if err != nil {
		return nil, err
	}
	f, err := newForest(files)
	if err != nil {
		return nil, err
	}
	return &search{f, make([]smell, n)}, nil
}

// Ops compares one subtree after another, from the first again if there are
// more ops than subtrees.
func (s *search) Ops() error {
	for i := range s.found {
		s.found[i] = s.forest.smells(i % len(s.forest.subtrees))
	}
	return nil
}

// checked is how many ops Check works out again: all of them would take longer
// than the ops.
const checked = 40

func (s *search) Check() (uint64, error) {
	digest := fnv.New64a()
	total := uint32(0)
	for i, got := range s.found {
		if i >= len(s.forest.subtrees) && got != s.found[i-len(s.forest.subtrees)] {
			return 0, fmt.Errorf("op %d: got %+v, want %+v as the time before", i, got, s.found[i-len(s.forest.subtrees)])
		}
		if i%max(1, len(s.found)/checked) == 0 {
			if want := s.forest.expect(i % len(s.forest.subtrees)); got != want {
				return 0, fmt.Errorf("op %d: got %+v, want %+v", i, got, want)
			}
		}
		fmt.Fprintln(digest, got)
		total += got.found
	}
	if len(s.found) >= len(s.forest.subtrees) && total == 0 {
		return 0, errors.New("no clone in files that have some")
	}
	return digest.Sum64(), nil
}

func (s *search) Close() error {
	s.forest.free()
	return nil
}

// expect is the answer of smells, worked out in Go: the counts in a map, the
// texts as byte slices.
func (f *forest) expect(left int) smell {
	var s smell
	most := 0
	for i := range f.subtrees {
		if f.overlap(left, i) {
			continue
		}
		p := f.similarity(left, i)
		if p == 0 {
			continue
		}
		s.found++
		s.percent += uint64(p)
		if p > most {
			most, s.best = p, uint32(i)
		}
	}
	return s
}

func (f *forest) overlap(a, b int) bool {
	p, q := f.subtrees[a], f.subtrees[b]
	return p.file == q.file && max(p.first, q.first) < min(p.end, q.end)
}

const similar = 70

func (f *forest) similarity(a, b int) int {
	of := func(shared, a, b int) int {
		if a+b == shared {
			return 0
		}
		return 100 * shared / (a + b - shared)
	}
	p, q := f.subtrees[a], f.subtrees[b]
	m, n := int(p.nodes), int(q.nodes)
	if of(min(m, n), m, n) < similar {
		return 0
	}
	if bytes.Equal(f.bytes(uint64(p.text), uint64(p.size)), f.bytes(uint64(q.text), uint64(q.size))) {
		return 100
	}
	counts := map[string]int{}
	for _, c := range f.counts[p.counts : p.counts+p.kinds] {
		counts[f.label(uint64(c.label))] = int(c.nodes)
	}
	shared := 0
	for _, c := range f.counts[q.counts : q.counts+q.kinds] {
		shared += min(int(c.nodes), counts[f.label(uint64(c.label))])
	}
	nodes := of(shared, m, n)
	if nodes < similar {
		return 0
	}
	others := f.parts[q.parts : q.parts+q.statements]
	shared = 0
	for _, part := range f.parts[p.parts : p.parts+p.statements] {
		text := f.bytes(uint64(part.text), uint64(part.size))
		for i, other := range others {
			if bytes.Equal(text, f.bytes(uint64(other.text), uint64(other.size))) {
				shared, others = shared+1, others[i+1:]
				break
			}
		}
	}
	both := (2*nodes + of(shared, int(p.statements), int(q.statements))) / 3
	if both < similar {
		return 0
	}
	return both
}

func (f *forest) bytes(at, size uint64) []byte { return f.text[at : at+size] }

func (f *forest) label(at uint64) string {
	return string(f.text[at : at+uint64(bytes.IndexByte(f.text[at:], 0))])
}
