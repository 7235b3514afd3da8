//go:build cgo

package main

// #cgo CFLAGS: -Wall
// #include <stdlib.h>
// #include "clone.h"
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"

	"libcost/e2e/internal/gosource"
)

// A node is one of a tree, in preorder.
type node struct {
	label string
	rank  int // of the label, by name
	text  int // where its label is
	past  int // index after its last descendant
	depth int
}

// minimum is the least number of nodes of a subtree that is looked at: smaller
// ones are alike by nature.
const minimum = 30

// A forest is the subtrees, in memory of C.
type forest struct {
	c      C.struct_forest
	blocks []unsafe.Pointer

	text     []byte
	order    []int // a place of each label, by rank
	subtrees []C.struct_subtree
	counts   []C.struct_count
	parts    []C.struct_part
}

// newForest parses the files, once, and normalises each function and each
// block: comments are left out, names, strings and numbers are folded.
func newForest(files []gosource.File) (*forest, error) {
	parser := sitter.NewParser()
	defer parser.Close()
	language := sitter.NewLanguage(golang.Language())
	if err := parser.SetLanguage(language); err != nil {
		return nil, err
	}
	f := &forest{}
	labels := labelsOf(language)
	trees := make([][]node, len(files))
	for i, file := range files {
		tree := parser.Parse(file.Text, nil)
		if tree == nil {
			return nil, fmt.Errorf("%s: no tree", file.Path)
		}
		trees[i] = f.walk(tree, labels)
		tree.Close()
	}
	f.sort(trees)
	for i, nodes := range trees {
		for at, n := range nodes {
			if candidate(n.label) && n.past-at >= minimum {
				f.add(uint32(i), nodes, at)
			}
		}
	}
	if len(f.subtrees) == 0 {
		return nil, errors.New("no subtree in the files")
	}
	f.toC()
	return f, nil
}

func candidate(label string) bool {
	switch label {
	case "function_declaration", "method_declaration", "func_literal", "block", "for_statement", "if_statement",
		"expression_switch_statement", "expression_case":
		return true
	}
	return false
}

// labelsOf names each kind of node; "" is left out.
func labelsOf(language *sitter.Language) []string {
	labels := make([]string, language.NodeKindCount())
	for i := range labels {
		switch name := language.NodeKindForId(uint16(i)); name {
		case "comment", "\n":
		case "identifier", "field_identifier", "type_identifier", "package_identifier", "label_name", "blank_identifier":
			labels[i] = "ID"
		case "interpreted_string_literal", "raw_string_literal", "rune_literal":
			labels[i] = "STR"
		case "int_literal", "float_literal", "imaginary_literal":
			labels[i] = "NUM"
		default:
			labels[i] = name
		}
	}
	return labels
}

// walk lists the nodes of a tree and appends their labels to the text.
func (f *forest) walk(tree *sitter.Tree, labels []string) []node {
	cursor := tree.Walk()
	defer cursor.Close()
	var nodes []node
	var open []int
	leave := func(depth int) {
		for len(open) > 0 && nodes[open[len(open)-1]].depth >= depth {
			nodes[open[len(open)-1]].past = len(nodes)
			open = open[:len(open)-1]
		}
	}
	for depth := 0; ; {
		n := cursor.Node()
		label := labels[n.KindId()]
		leave(depth)
		if label != "" {
			open = append(open, len(nodes))
			nodes = append(nodes, node{label: label, text: len(f.text), depth: depth})
			f.text = append(append(f.text, label...), 0)
		}
		// The inside of a literal is folded with it.
		if label != "" && label != "STR" && cursor.GotoFirstChild() {
			depth++
			continue
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				leave(0)
				return nodes
			}
			depth--
		}
	}
}

// sort ranks the labels by name.
func (f *forest) sort(trees [][]node) {
	place := map[string]int{}
	for _, nodes := range trees {
		for _, n := range nodes {
			place[n.label] = n.text
		}
	}
	ranks := map[string]int{}
	for rank, label := range slices.Sorted(maps.Keys(place)) {
		ranks[label] = rank
		f.order = append(f.order, place[label])
	}
	for _, nodes := range trees {
		for i := range nodes {
			nodes[i].rank = ranks[nodes[i].label]
		}
	}
}

// add normalises the subtree of node at.
func (f *forest) add(file uint32, nodes []node, at int) {
	root := nodes[at]
	end := func(i int) uint64 { return uint64(nodes[i].text + len(nodes[i].label) + 1) }
	s := C.struct_subtree{
		text:   C.uint64_t(root.text),
		size:   C.uint64_t(end(root.past-1) - uint64(root.text)),
		counts: C.uint32_t(len(f.counts)),
		parts:  C.uint32_t(len(f.parts)),
		nodes:  C.uint32_t(root.past - at),
		file:   C.uint32_t(file), first: C.uint32_t(at), end: C.uint32_t(root.past),
	}
	held := make([]uint32, len(f.order))
	for _, n := range nodes[at:root.past] {
		held[n.rank]++
	}
	for rank, nodes := range held {
		if nodes > 0 {
			f.counts = append(f.counts, C.struct_count{label: C.uint64_t(f.order[rank]), nodes: C.uint32_t(nodes)})
		}
	}
	s.kinds = C.uint32_t(len(f.counts)) - s.counts
	body := body(nodes, at)
	for i := body + 1; i < nodes[body].past; i = nodes[i].past {
		f.parts = append(f.parts, C.struct_part{text: C.uint64_t(nodes[i].text), size: C.uint64_t(end(nodes[i].past-1) - uint64(nodes[i].text))})
	}
	s.statements = C.uint32_t(len(f.parts)) - s.parts
	f.subtrees = append(f.subtrees, s)
}

// body is the node whose children are compared in order: the first list of
// statements, or the subtree itself if it has none.
func body(nodes []node, at int) int {
	for i := at + 1; i < nodes[at].past; {
		switch nodes[i].label {
		case "statement_list":
			return i
		case "block":
			i++
		default:
			i = nodes[i].past
		}
	}
	return at
}

func (f *forest) toC() {
	f.c.text = (*C.char)(toC(f, f.text))
	f.c.subtree = (*C.struct_subtree)(toC(f, f.subtrees))
	f.c.count = (*C.struct_count)(toC(f, f.counts))
	f.c.part = (*C.struct_part)(toC(f, f.parts))
	f.c.subtrees = C.uint32_t(len(f.subtrees))
}

// toC copies a slice to memory of C, in which C may keep pointers.
func toC[T any](f *forest, from []T) unsafe.Pointer {
	var element T
	at := C.malloc(C.size_t(max(len(from), 1)) * C.size_t(unsafe.Sizeof(element)))
	copy(unsafe.Slice((*T)(at), len(from)), from)
	f.blocks = append(f.blocks, at)
	return at
}

func (f *forest) free() {
	for _, at := range f.blocks {
		C.free(at)
	}
	f.blocks = nil
}

// A smell is what is found for one subtree.
type smell struct {
	found, best uint32
	percent     uint64
}

// smells compares subtree i with all others.
func (f *forest) smells(i int) smell {
	var s C.struct_smells
	C.clone_smells(&f.c, C.uint32_t(i), &s)
	return smell{uint32(s.found), uint32(s.best), uint64(s.percent)}
}
