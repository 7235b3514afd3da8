// Package explain takes the gap between two builds of one program apart: how
// much of it each part of libc causes.
//
// Each part is either the build's own or replaced, in both builds by the same
// code, and every combination is a binary. What the gap loses when a part is
// replaced is that part's; what is left when all of them are is the rest. All
// binaries run in each round, in random order, so that a slow phase of the
// machine hits all of them.
package explain

import (
	"fmt"
	"slices"
	"strings"

	"libcost/internal/variant"
)

// A Factor is a part of libc whose share of the gap is asked for.
type Factor struct {
	Name string // as people say it
	Part string // what replaces it in both builds
}

// A Binary is one way to build the program.
type Binary struct {
	Name    string // unique, and a file's name
	Variant variant.Variant
	Side    int  // 0 the base, 1 the other
	Set     int  // bit i: factor i is replaced
	AsGiven bool // with the linkage of the variant as it was asked for, where the factorial has another
}

// A Design is what has to be built and run to explain a gap.
type Design struct {
	Sides    [2]variant.Variant // as asked for
	Factors  []Factor
	Binaries []Binary
}

// NewDesign lays out the binaries for the gap between two variants. A part that
// both have is no factor: it stays in all of them. Where only one of the two is
// static, the factorial is between static builds, and what linkage does comes
// from the dynamic one as it was asked for.
func NewDesign(a, b variant.Variant, allocator string) (Design, error) {
	if !slices.Contains(variant.Allocators, allocator) {
		return Design{}, fmt.Errorf("%q is no allocator (%s)", allocator, strings.Join(variant.Allocators, ", "))
	}
	d := Design{Sides: [2]variant.Variant{a, b}}
	for _, f := range []Factor{{"allocator", allocator}, {"memory functions", "memops"}, {"locks", "locks"}} {
		if have, other := part(a, f), part(b, f); have == "" || have != other {
			d.Factors = append(d.Factors, f)
		}
	}
	mixed := a.Static != b.Static
	for side, v := range d.Sides {
		given := v
		v.Static = v.Static || mixed
		for set := range 1 << len(d.Factors) {
			d.Binaries = append(d.Binaries, d.binary(v, side, set, ""))
		}
		if mixed && !given.Static {
			binary := d.binary(given, side, 0, "-as-given")
			binary.AsGiven = true
			d.Binaries = append(d.Binaries, binary)
		}
	}
	return d, nil
}

// binary is the side's variant with the factors of a set replaced.
func (d Design) binary(v variant.Variant, side, set int, suffix string) Binary {
	var parts []string
	for _, name := range v.Parts {
		if !slices.ContainsFunc(d.Factors, func(f Factor) bool { return covers(f, name) }) {
			parts = append(parts, name)
		}
	}
	for i, f := range d.Factors {
		own := part(v, f)
		if set&(1<<i) != 0 {
			own = f.Part
		}
		if own != "" {
			parts = append(parts, own)
		}
	}
	v.Parts = parts
	v.Name = strings.Join(append([]string{bare(v)}, parts...), "+")
	return Binary{Name: fmt.Sprintf("%s.%d%s", v.Name, side, suffix), Variant: v, Side: side, Set: set}
}

// bare names a variant without its parts, with the linkage that it has.
func bare(v variant.Variant) string {
	name, _, _ := strings.Cut(v.Name, "+")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "-dynamic"), "-static")
	if !v.Static {
		name += "-dynamic"
	}
	return name
}

// part is what a variant has in a factor's place, "" for libc's own.
func part(v variant.Variant, f Factor) string {
	for _, p := range v.Parts {
		if covers(f, p) {
			return p
		}
	}
	return ""
}

func covers(f Factor, part string) bool {
	if slices.Contains(variant.Allocators, f.Part) {
		return slices.Contains(variant.Allocators, part)
	}
	return f.Part == part
}

// at is the index of a binary.
func (d Design) at(side, set int, asGiven bool) int {
	return slices.IndexFunc(d.Binaries, func(b Binary) bool { return b.Side == side && b.Set == set && b.AsGiven == asGiven })
}

// given is the index of a side's binary as it was asked for.
func (d Design) given(side int) int {
	if i := d.at(side, 0, true); i >= 0 {
		return i
	}
	return d.at(side, 0, false)
}

// Given is a side's binary as it was asked for.
func (d Design) Given(side int) Binary { return d.Binaries[d.given(side)] }

// Replaced is a side's binary with all factors replaced.
func (d Design) Replaced(side int) Binary { return d.Binaries[d.at(side, d.all(), false)] }

// all is the set of all factors.
func (d Design) all() int { return 1<<len(d.Factors) - 1 }
