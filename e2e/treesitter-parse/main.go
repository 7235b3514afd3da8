//go:build cgo

// Treesitter-parse parses Go source files one after another and keeps the
// newest tree of each, as a language server does that reads files anew.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io"
	"os"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"

	"libcost/e2e/internal/gosource"
	"libcost/e2e/internal/sample"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("treesitter-parse", flag.ContinueOnError)
	return sample.Main(flags, func() (sample.Workload, error) { return workload(), nil }, args, stdout, stderr)
}

func workload() sample.Workload {
	return sample.Workload{
		Name: fmt.Sprintf("TreesitterParse/files=%d", len(gosource.Paths)),
		Op:   "parse",
		N:    2 * len(gosource.Paths),
		New:  func(n int) (sample.Run, error) { return newParses(n) },
	}
}

type parses struct {
	parser *sitter.Parser
	files  []gosource.File
	trees  []*sitter.Tree // the newest of each file
	nodes  []uint         // of each op's tree
}

func newParses(n int) (*parses, error) {
	files, err := gosource.Files(gosource.Paths...)
	if err != nil {
		return nil, err
	}
	p := &parses{
		parser: sitter.NewParser(),
		files:  files,
		trees:  make([]*sitter.Tree, len(files)),
		nodes:  make([]uint, n),
	}
	if err := p.parser.SetLanguage(sitter.NewLanguage(golang.Language())); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *parses) Ops() error {
	for i := range p.nodes {
		f := i % len(p.files)
		tree := p.parser.Parse(p.files[f].Text, nil)
		if tree == nil {
			return fmt.Errorf("%s: no tree", p.files[f].Path)
		}
		if old := p.trees[f]; old != nil {
			old.Close()
		}
		p.trees[f] = tree
		p.nodes[i] = tree.RootNode().DescendantCount()
	}
	return nil
}

// Check sees that the same file always gave a tree of the same size, and that
// the last tree of each holds the declarations that Go's own parser finds, at
// the same places.
func (p *parses) Check() (uint64, error) {
	digest := fnv.New64a()
	for i, got := range p.nodes {
		f := i % len(p.files)
		if want := p.nodes[f]; got != want {
			return 0, fmt.Errorf("op %d: %s: got %d nodes, want %d", i, p.files[f].Path, got, want)
		}
		fmt.Fprintln(digest, p.files[f].Path, got)
	}
	for i, tree := range p.trees {
		if tree == nil {
			continue // fewer ops than files
		}
		root := tree.RootNode()
		if root.HasError() {
			return 0, fmt.Errorf("%s: the tree has an error node", p.files[i].Path)
		}
		want, err := declared(p.files[i])
		if err != nil {
			return 0, err
		}
		got := declarations(root)
		for k := range max(len(got), len(want)) {
			if at(got, k) != at(want, k) {
				return 0, fmt.Errorf("%s: got %s, want %s", p.files[i].Path, at(got, k), at(want, k))
			}
		}
		fmt.Fprintln(digest, want)
	}
	return digest.Sum64(), nil
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// declarations lists what stands at the top of a tree: the kind and the bytes
// of each.
func declarations(root *sitter.Node) (list []string) {
	add := func(word string, n *sitter.Node) {
		list = append(list, fmt.Sprintf("%s %d-%d", word, n.StartByte(), n.EndByte()))
	}
	for i := range root.NamedChildCount() {
		d := root.NamedChild(i)
		switch kind := d.Kind(); kind {
		case "comment":
		case "package_clause":
			add("package", d)
		case "function_declaration", "method_declaration":
			add("func", d)
		default:
			add(strings.TrimSuffix(kind, "_declaration"), d)
		}
	}
	return list
}

// declared is the same list from Go's own parser.
func declared(file gosource.File) (list []string, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file.Path, file.Text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(word string, from, to token.Pos) {
		list = append(list, fmt.Sprintf("%s %d-%d", word, set.Position(from).Offset, set.Position(to).Offset))
	}
	add("package", f.Package, f.Name.End())
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add("func", d.Pos(), d.End())
		case *ast.GenDecl:
			add(d.Tok.String(), d.Pos(), d.End())
		}
	}
	return list, nil
}

func (p *parses) Close() error {
	for _, tree := range p.trees {
		if tree != nil {
			tree.Close()
		}
	}
	p.parser.Close()
	return nil
}
