package explain

import (
	"fmt"
	"slices"
	"strings"

	"libcost/internal/stats"
	"libcost/internal/variant"
	"libcost/internal/workload"
)

// PlantNS is what each call of a planted function waits.
const PlantNS = 200

// A Plant is a cause that was put into the other build: each call of one
// function of its own waits. What a ledger says of it is known beforehand.
type Plant struct {
	Function string
	Factor   int // whose part the function belongs to
}

// NewPlant plants a wait in a function, which one of the factors must cover.
func (d Design) NewPlant(function string) (*Plant, error) {
	part := partOf(function)
	for i, f := range d.Factors {
		if part != "" && covers(f, part) {
			return &Plant{function, i}, nil
		}
	}
	return nil, fmt.Errorf("plant %s: no part that differs has it (malloc, memcmp, pthread_mutex_lock)", function)
}

// partOf is the part that a function of libc belongs to, "" for none.
func partOf(function string) string {
	switch {
	case slices.Contains([]string{"malloc", "calloc", "realloc", "free"}, function):
		return variant.Allocators[0]
	case strings.HasPrefix(function, "mem") || strings.HasPrefix(function, "str") || function == "bcmp":
		return "memops"
	case strings.HasPrefix(function, "pthread_mutex"):
		return "locks"
	}
	return ""
}

// In says whether a binary has the plant: it is the other build's, and the
// function is its own there.
func (p *Plant) In(b Binary) bool {
	return p != nil && b.Side == 1 && b.Set&(1<<p.Factor) == 0
}

// Wrapper is what the plant is made of; with a wait of 0 it only counts.
func (p *Plant) Wrapper(waitNS int) workload.Wrapper {
	return workload.Wrapper{Function: p.Function, WaitNS: waitNS}
}

// Planted is what was put in, and what was found.
type Planted struct {
	Function, Factor string
	Calls, NS        float64 // an op
	Found            stats.Estimate
}

// Find sets what the ledger says of the plant's part beside what was put in.
func (p *Plant) Find(l Ledger, calls float64) Planted {
	found := Planted{Function: p.Function, Calls: calls, NS: PlantNS * calls}
	for _, c := range l.Causes {
		if c.factor == p.Factor {
			found.Factor, found.Found = c.Name, c.NS
		}
	}
	return found
}

// Holds says whether the plant was found where it is, at what it is.
func (p Planted) Holds() bool { return p.Found.Contains(p.NS) }

func (p Planted) String() string {
	verdict := "found"
	if !p.Holds() {
		verdict = "NOT found"
	}
	return fmt.Sprintf("planted: %d ns at each %s, %.4g calls an op: %.4g ns an op; %s under %s: %.4g [%.4g, %.4g]",
		PlantNS, p.Function, p.Calls, p.NS, verdict, p.Factor, p.Found.Value, p.Found.Lo, p.Found.Hi)
}
