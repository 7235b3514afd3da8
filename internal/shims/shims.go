// Package shims proves that the kernels reach libc, and that every variant
// runs the same kernel.
//
// A kernel is a loop round a call. A compiler may delete the call, hoist it out
// of the loop or put a few instructions in its place, and a header may turn one
// source into two programs; the row then measures the compiler, and nothing in
// its result tells. So the check looks at what was built:
//
//   - each kernel file gives the same code, data and relocations with every
//     libc's compiler, in the plain worker and by cgo;
//   - no kernel file reads a header that is not the project's own;
//   - in each linked program every row's loop holds the calls that its line in
//     the room's table names;
//   - no copy was put inline (rep movs, rep stos).
//
// The last two read machine code and know x86-64 only.
package shims

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"libcost/internal/variant"
)

// Check looks at the kernels of the project at root and at the variants that
// were built of them. An error is a check that could not be made.
func Check(root string, builds []*variant.Built) (*Report, error) {
	compilers, err := findCompilers(root, builds)
	if err != nil {
		return nil, err
	}
	kernels, err := readKernels(root, compilers)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	for _, name := range variant.Rooms {
		room := Room{Name: name}
		files := sources{}
		for _, k := range kernels {
			if k.room == name {
				report.add(k.check()...)
				files.add(k)
			}
		}
		for _, b := range builds {
			findings, err := room.check(b, files)
			if err != nil {
				return nil, err
			}
			report.add(findings...)
		}
		report.Rooms = append(report.Rooms, room)
	}
	return report, nil
}

// check looks at the room's two programs in one variant.
func (r *Room) check(b *variant.Built, files sources) ([]Finding, error) {
	rows, plain := r.list(b.Rows)
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the binary of %s lists no row with a loop in C", r.Name, b.Variant.Name)
	}
	r.Builds = append(r.Builds, b.Variant.Name)
	test, err := openImage(filepath.Join(b.Dir, r.Name+".test"))
	if err != nil {
		return nil, err
	}
	if test.Machine != elf.EM_X86_64 {
		r.Unread = strings.TrimPrefix(test.Machine.String(), "EM_")
		return nil, nil
	}
	loops, err := test.loops(rows, files)
	if err != nil {
		return nil, err
	}
	findings := test.check(b.Variant.Name, loops, files)
	if len(plain) == 0 {
		return findings, nil
	}
	worker, err := openImage(filepath.Join(b.Dir, r.Name+".plain"))
	if err != nil {
		return nil, err
	}
	if loops, err = test.loops(plain, files); err != nil {
		return nil, err
	}
	return append(findings, worker.check(b.Variant.Name+" plain", loops, files)...), nil
}

// list picks the room's rows whose loop is in C, and of those the ones for the
// plain worker, and takes down what they say.
func (r *Room) list(all []variant.Row) (rows, plain []variant.Row) {
	r.Calls, r.GoRows = nil, nil
	for _, row := range all {
		if row.Room != r.Name {
			continue
		}
		if row.Op == 0 {
			r.GoRows = append(r.GoRows, row.Name)
			continue
		}
		rows = append(rows, row)
		if row.Plain {
			plain = append(plain, row)
		}
		for _, token := range strings.Fields(row.Calls) {
			if !slices.Contains(r.Calls, token) {
				r.Calls = append(r.Calls, token)
			}
		}
	}
	r.Rows, r.Plain = len(rows), len(plain)
	return rows, plain
}
