package shims

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"libcost/internal/variant"
)

// A kernel is one C file of a room and what was made of it.
type kernel struct {
	room, file string // alloc, alloc/pair.c
	builds     []build
}

// A build is the object that one compiler made.
type build struct {
	by      string // "musl-gcc", "musl-gcc by cgo"
	object  *object
	foreign []string // headers of others that went in
}

// readKernels compiles every kernel file with every compiler, itself and by
// cgo.
func readKernels(root string, compilers []*compiler) ([]*kernel, error) {
	kernels, err := listKernels(root)
	if err != nil {
		return nil, err
	}
	packages := make([]map[string][]*object, len(compilers))
	err = parallel(len(compilers), func(i int) (err error) {
		packages[i], err = compilers[i].packages(root)
		return err
	})
	if err != nil {
		return nil, err
	}
	return kernels, parallel(len(kernels), func(n int) error {
		k := kernels[n]
		for i, c := range compilers {
			o, read, err := c.compile(root, k.file)
			if err != nil {
				return err
			}
			k.builds = append(k.builds,
				build{c.name, o, c.foreign(k.room, read)},
				build{c.name + " by cgo", sameSource(o, packages[i][k.room]), nil})
		}
		return nil
	})
}

func listKernels(root string) ([]*kernel, error) {
	var list []*kernel
	for _, room := range variant.Rooms {
		files, err := filepath.Glob(filepath.Join(root, room, "*.c"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: no kernels", room)
		}
		for _, f := range files {
			list = append(list, &kernel{room: room, file: path.Join(room, filepath.Base(f))})
		}
	}
	return list, nil
}

// sources tells the kernel file that defines a function. A room's functions are
// known by it: libc has functions of its own that begin with alloc_.
type sources map[string]string

func (s sources) add(k *kernel) {
	for _, b := range k.builds {
		if b.object == nil {
			continue
		}
		for _, sym := range b.object.symbols {
			if sym.code {
				s[sym.name] = k.file
			}
		}
	}
}

// has tells a room's function, or what the compiler made of one
// (alloc_pair_op.part.0), from those of others.
func (s sources) has(name string) bool { return s.file(name) != "" }

func (s sources) file(name string) string {
	base, _, _ := strings.Cut(name, ".")
	return cmp.Or(s[name], s[base])
}

// check compares each object with the first one, and looks into all.
func (k *kernel) check() []Finding {
	var findings []Finding
	first := k.builds[0]
	for _, b := range k.builds {
		add := func(function, what, by string) {
			findings = append(findings, Finding{k.file, function, what, by})
		}
		if len(b.foreign) > 0 {
			add("", "includes "+strings.Join(b.foreign, " "), b.by)
		}
		if b.object == nil {
			add("", "is not in the package", b.by)
			continue
		}
		for _, d := range first.object.differences(b.object) {
			add(d.symbol, fmt.Sprintf("differs at +%#x: %s, %s", d.offset, d.a, d.b), first.by+" against "+b.by)
		}
		if !b.object.readable() {
			continue
		}
		for _, s := range b.object.symbols {
			if !s.code {
				continue
			}
			if what := inlineCopy(s.bytes); what != "" {
				add(s.name, what, b.by)
			}
		}
	}
	return findings
}
