package variant

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A Toolchain is what a program outside the rooms is built with to be of a
// variant.
type Toolchain struct {
	CC      string
	CFlags  []string
	LDFlags []string
	Objects []string // parts, before libc on the link line
	Hash    string   // of the compiler, of libc's files, of the objects and of the flags
}

// Toolchain gives the toolchain of a variant, and builds its parts first if it
// must.
func (b *Builder) Toolchain(v Variant) (Toolchain, error) {
	cc, err := b.compiler(v)
	if err != nil {
		return Toolchain{}, err
	}
	t := Toolchain{CC: cc, CFlags: slices.Concat(CFlags, v.CFlags), LDFlags: slices.Clone(v.LDFlags)}
	if v.Static {
		t.LDFlags = append(t.LDFlags, "-static")
	}
	if v.Libc == "musl" {
		// A thread's stack is 128 KiB otherwise, and glibc's 8 MiB.
		t.LDFlags = append(t.LDFlags, "-Wl,-z,stack-size=8388608")
	}
	libc, err := libcFiles(cc, v)
	if err != nil {
		return Toolchain{}, err
	}
	for _, p := range v.Parts {
		object, err := b.part(v, p, cc)
		if err != nil {
			return Toolchain{}, err
		}
		t.Objects = append(t.Objects, object)
	}
	t.Objects = append(t.Objects, v.Objects...)
	var d digest
	d.text(compilerVersion(cc))
	d.list(t.CFlags)
	d.list(t.LDFlags)
	for _, f := range slices.Concat([]string{cc}, libc, t.Objects) {
		if err := d.file(filepath.Base(f), f); err != nil {
			return Toolchain{}, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	t.Hash = d.sum()
	return t, nil
}
