package shims

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"libcost/internal/variant"
)

// A loop is a kernel's op and what it must call. Rows that differ in size or
// state share one.
type loop struct {
	op    string
	calls string
	batch bool // the loop is in Go, round the op
}

// loops lists the loops of rows, by the addresses that the program itself
// printed.
func (im *image) loops(rows []variant.Row, files sources) ([]loop, error) {
	if im.Type != elf.ET_EXEC {
		return nil, errors.New("the test binary is position-independent, so that its rows' addresses say nothing (link it with -no-pie)")
	}
	var list []loop
	for _, row := range rows {
		f, ok := im.functionAt(row.Op, files.has)
		if !ok {
			return nil, fmt.Errorf("%s/%s: its op %#x is no function of the room", row.Room, row.Name, row.Op)
		}
		l := loop{f.Name, row.Calls, strings.Contains(row.Name, "/batch=")}
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list, nil
}

// check looks into each loop for the calls that it must hold and for others,
// and into all of the room's functions for inline copies.
func (im *image) check(build string, loops []loop, files sources) []Finding {
	var findings []Finding
	add := func(function, what string) {
		findings = append(findings, Finding{files.file(function), function, what, build})
	}
	for _, f := range im.functions {
		if !files.has(f.Name) {
			continue
		}
		if what := inlineCopy(im.code(f.Value, f.Size)); what != "" {
			add(f.Name, what)
		}
	}
	for _, l := range loops {
		op, ok := im.functionNamed(l.op)
		if !ok {
			add(l.op, "is not in the program")
			continue
		}
		w := newWalk(im, l, files)
		if err := w.enter(op, l.batch); err != nil {
			add(l.op, err.Error())
			continue
		}
		for _, token := range w.named {
			switch {
			case w.inside[token]:
			case w.outside[token]:
				add(l.op, "loop holds no "+words(token)+", there is one beside it only")
			default:
				add(l.op, "loop holds no "+words(token))
			}
		}
		for _, token := range w.others {
			add(l.op, "loop holds a "+words(token)+" that the row does not name")
		}
	}
	return findings
}

// The tokens of a row's calls that are no function.
const (
	byPointer   = "*"
	instruction = "syscall"
)

func words(token string) string {
	switch token {
	case byPointer:
		return "call by pointer"
	case instruction:
		return "syscall instruction"
	}
	return "call of " + token
}
