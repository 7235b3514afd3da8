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

// Libcs and Parts are the words that a variant's name is made of.
var (
	Libcs = []string{"gnu", "musl"}
	Parts = []string{"mimalloc", "jemalloc"}
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
		if p == "mimalloc" || p == "jemalloc" {
			return p
		}
	}
	return "native"
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
// variants.toml, with parts after it.
func Parse(name string, defs Definitions) (Variant, error) {
	base, parts, _ := strings.Cut(name, "+")
	near := func() string { return Near(name, append(Known(defs), "gnu-static", "musl-static")) }
	v, err := parseBase(base, defs)
	if base == MuslSource && err != nil {
		return Variant{}, &NameError{name, err.Error(), ""}
	}
	if err != nil {
		return Variant{}, &NameError{name, err.Error(), near()}
	}
	v.Name = name
	if parts == "" && !strings.HasSuffix(name, "+") {
		return v, nil
	}
	for _, p := range strings.Split(parts, "+") {
		if !slices.Contains(Parts, p) {
			return Variant{}, &NameError{name, fmt.Sprintf("%q is no part", p), near()}
		}
		if slices.Contains(v.Parts, p) || v.Allocator() != "native" {
			return Variant{}, &NameError{name, "a program has one allocator", ""}
		}
		v.Parts = append(v.Parts, p)
	}
	return v, nil
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
// alone and with each allocator, and those of variants.toml.
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
