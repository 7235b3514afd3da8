//go:build cgo

// Treesitter-parse parses Go source files one after another and keeps the
// newest tree of each, as a language server does that reads files anew.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io"
	"os"

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
	files, err := gosource.Files()
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
		if got := declarations(root); got != want {
			return 0, fmt.Errorf("%s: got %s, want %s", p.files[i].Path, got, want)
		}
		digest.Write([]byte(want))
	}
	return digest.Sum64(), nil
}

// declarations lists what stands at the top of a tree: the kind and the bytes
// of each.
func declarations(root *sitter.Node) string {
	var list bytes.Buffer
	for i := range root.NamedChildCount() {
		d := root.NamedChild(i)
		switch kind := d.Kind(); kind {
		case "comment":
		case "package_clause":
			fmt.Fprintf(&list, "package %d-%d\n", d.StartByte(), d.EndByte())
		case "function_declaration", "method_declaration":
			fmt.Fprintf(&list, "func %d-%d\n", d.StartByte(), d.EndByte())
		case "import_declaration", "const_declaration", "var_declaration", "type_declaration":
			fmt.Fprintf(&list, "%s %d-%d\n", kind[:bytes.IndexByte([]byte(kind), '_')], d.StartByte(), d.EndByte())
		default:
			fmt.Fprintf(&list, "%s %d-%d\n", kind, d.StartByte(), d.EndByte())
		}
	}
	return list.String()
}

// declared is the same list from Go's own parser.
func declared(file gosource.File) (string, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file.Path, file.Text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var list bytes.Buffer
	add := func(word string, n ast.Node) {
		fmt.Fprintf(&list, "%s %d-%d\n", word, set.Position(n.Pos()).Offset, set.Position(n.End()).Offset)
	}
	fmt.Fprintf(&list, "package %d-%d\n", set.Position(f.Package).Offset, set.Position(f.Name.End()).Offset)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add("func", d)
		case *ast.GenDecl:
			add(d.Tok.String(), d)
		}
	}
	return list.String(), nil
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
