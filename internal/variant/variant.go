// Package variant turns a variant's name into compiler, link line, objects and
// environment, builds the rooms with them, and sees to it that the binaries
// hold what the name says.
package variant

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Libcs and Parts are the words that a variant's name is made of; a name has
// its parts in this order. The first parts are allocators, fetched from
// elsewhere; those of Swaps lie in swap/.
var (
	Libcs      = []string{"gnu", "musl"}
	Allocators = []string{"mimalloc", "jemalloc"}
	Swaps      = []string{"memops", "locks"}
	Parts      = slices.Concat(Allocators, Swaps)
)

// A Variant is one way to build the same program.
type Variant struct {
	Name   string
	Libc   string   // gnu or musl
	Static bool     // gnu and musl alone are static, so that they differ in libc only
	Parts  []string // replacement parts, linked before libc

	// What variants.toml may add.
	CC      string   // a compiler instead of the libc's own
	CFlags  []string // after the common ones
	LDFlags []string // after the common ones
	Objects []string // object files, before libc on the link line
	Env     []string // KEY=VALUE for the samples
	Source  string   // a source tree of musl, compiled and taken for the libc

	// Layout pads the code by so many steps: the same program at other
	// addresses.
	Layout int
}

// Allocator is the allocator that the binaries must attest.
func (v Variant) Allocator() string {
	for _, p := range v.Parts {
		if slices.Contains(Allocators, p) {
			return p
		}
	}
	return "native"
}

// swaps are the parts from swap/ that the binaries must attest, "none" or
// joined by +.
func (v Variant) swaps() string {
	var names []string
	for _, p := range v.Parts {
		if slices.Contains(Swaps, p) {
			names = append(names, p)
		}
	}
	return joinParts(names)
}

func joinParts(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "+")
}

// Linkage is static or dynamic.
func (v Variant) Linkage() string {
	if v.Static {
		return "static"
	}
	return "dynamic"
}

// A NameError is a name that is no variant's; Near is what was perhaps meant.
type NameError struct{ Name, Reason, Near string }

func (e *NameError) Error() string {
	near := ""
	if e.Near != "" {
		near = fmt.Sprintf("; did you mean %s?", e.Near)
	}
	return fmt.Sprintf("variant %q: %s%s (bin/libcost variants)", e.Name, e.Reason, near)
}

// Parse reads <libc>[-static|-dynamic][+part...], or a name defined in
// variants.toml, with parts after it. The parts come in any order; the
// variant's own name has them in that of [Parts].
func Parse(name string, defs Definitions) (Variant, error) {
	base, rest, given := strings.Cut(name, "+")
	near := func() string { return Near(name, append(Known(defs), "gnu-static", "musl-static")) }
	v, err := parseBase(base, defs)
	if base == MuslSource && err != nil {
		return Variant{}, &NameError{name, err.Error(), ""}
	}
	if err != nil {
		return Variant{}, &NameError{name, err.Error(), near()}
	}
	v.Name = base
	if !given {
		return v, nil
	}
	var named []string
	for _, p := range strings.Split(rest, "+") {
		switch {
		case !slices.Contains(Parts, p):
			return Variant{}, &NameError{name, fmt.Sprintf("%q is no part", p), near()}
		case slices.Contains(Allocators, p) && v.Allocator() != "native":
			return Variant{}, &NameError{name, "a program has one allocator", ""}
		case slices.Contains(v.Parts, p):
			return Variant{}, &NameError{name, fmt.Sprintf("%q is in it twice", p), ""}
		}
		v.Parts = append(v.Parts, p)
		named = append(named, p)
	}
	sortParts(v.Parts)
	sortParts(named)
	v.Name = base + "+" + strings.Join(named, "+")
	return v, nil
}

func sortParts(names []string) {
	slices.SortFunc(names, func(a, b string) int { return slices.Index(Parts, a) - slices.Index(Parts, b) })
}

func parseBase(base string, defs Definitions) (Variant, error) {
	if d, ok := defs[base]; ok {
		v, err := Parse(d.Base, nil)
		if err != nil {
			return Variant{}, err
		}
		v.CC, v.CFlags, v.LDFlags, v.Objects, v.Env, v.Source = d.CC, d.CFlags, d.LDFlags, d.Objects, d.environ(), d.Source
		return v, nil
	}
	if base == MuslSource {
		return Variant{}, fmt.Errorf("needs MUSL_SRC=an unpacked source tree of musl")
	}
	libc, linkage, given := strings.Cut(base, "-")
	if !slices.Contains(Libcs, libc) {
		return Variant{}, fmt.Errorf("unknown")
	}
	if given && linkage != "static" && linkage != "dynamic" {
		return Variant{}, fmt.Errorf("%q is no linkage", linkage)
	}
	return Variant{Libc: libc, Static: linkage != "dynamic"}, nil
}

// Known lists the variants that need no thought: each libc, linked both ways,
// alone and with each part, and those of variants.toml.
func Known(defs Definitions) []string {
	var names []string
	for _, libc := range Libcs {
		for _, linkage := range []string{"", "-dynamic"} {
			names = append(names, libc+linkage)
			for _, p := range Parts {
				names = append(names, libc+linkage+"+"+p)
			}
		}
	}
	var own []string
	for name := range defs {
		own = append(own, name)
	}
	sort.Strings(own)
	return append(names, own...)
}

// Near is the known name with the fewest edits to name, "" if none is within a
// third of its length.
func Near(name string, known []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := edits(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j]+1, row[j+1]+1, substitute)
		}
	}
	return row[len(b)]
}
