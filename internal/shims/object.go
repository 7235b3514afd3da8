package shims

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
)

// An object is a relocatable object's code and data.
type object struct {
	machine  elf.Machine
	sections map[string]content
	symbols  []symbol // functions and variables, in their order
}

// A content is bytes, and the relocations that the linker applies to them.
type content struct {
	bytes  []byte
	size   uint64 // of .bss too, which has no bytes
	relocs []reloc
}

// A reloc is a place that the linker fills in.
type reloc struct {
	offset uint64
	kind   uint32
	symbol string
	addend int64
}

// A symbol is a function or a variable.
type symbol struct {
	name, section string
	code, global  bool
	content
}

func openObject(file string) (*object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	o, err := readObject(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return o, nil
}

func readObject(r io.ReaderAt) (*object, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	if f.Class != elf.ELFCLASS64 {
		return nil, fmt.Errorf("%v is not known here", f.Class)
	}
	table, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	o := &object{machine: f.Machine, sections: map[string]content{}}
	for _, s := range f.Sections {
		if !loaded(s) {
			continue
		}
		c := content{size: s.Size}
		if s.Type != elf.SHT_NOBITS {
			if c.bytes, err = s.Data(); err != nil {
				return nil, err
			}
		}
		o.sections[s.Name] = c
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		name := f.Sections[s.Info].Name
		c, ok := o.sections[name]
		if !ok {
			continue
		}
		if c.relocs, err = readRelocs(f, s, table); err != nil {
			return nil, err
		}
		o.sections[name] = c
	}
	for _, s := range table {
		kind := elf.ST_TYPE(s.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_OBJECT || int(s.Section) >= len(f.Sections) {
			continue
		}
		name := f.Sections[s.Section].Name
		o.symbols = append(o.symbols, symbol{
			name: s.Name, section: name,
			code: kind == elf.STT_FUNC, global: elf.ST_BIND(s.Info) == elf.STB_GLOBAL,
			content: o.sections[name].cut(s.Value, s.Size),
		})
	}
	return o, nil
}

// loaded tells whether a section is part of the running program and of what it
// does: not debug information, notes and tables for unwinding.
func loaded(s *elf.Section) bool {
	return s.Flags&elf.SHF_ALLOC != 0 && s.Name != ".eh_frame" && !strings.HasPrefix(s.Name, ".note")
}

// readRelocs reads one relocation section. Its table of symbols comes as
// debug/elf gives it, without the null symbol.
func readRelocs(f *elf.File, s *elf.Section, table []elf.Symbol) ([]reloc, error) {
	data, err := s.Data()
	if err != nil {
		return nil, err
	}
	entries := make([]elf.Rela64, len(data)/binary.Size(elf.Rela64{}))
	if err := binary.Read(bytes.NewReader(data), f.ByteOrder, entries); err != nil {
		return nil, err
	}
	relocs := make([]reloc, len(entries))
	for i, e := range entries {
		relocs[i] = reloc{offset: e.Off, kind: elf.R_TYPE64(e.Info), addend: e.Addend}
		n := elf.R_SYM64(e.Info)
		if n == 0 || int(n) > len(table) {
			continue
		}
		sym := table[n-1]
		relocs[i].symbol = sym.Name
		if elf.ST_TYPE(sym.Info) == elf.STT_SECTION {
			relocs[i].symbol = f.Sections[sym.Section].Name
		}
	}
	slices.SortStableFunc(relocs, func(a, b reloc) int { return cmp.Compare(a.offset, b.offset) })
	return relocs, nil
}

// cut is the size bytes at offset.
func (c content) cut(offset, size uint64) content {
	part := content{size: size}
	if end := offset + size; c.bytes != nil && end <= uint64(len(c.bytes)) {
		part.bytes = c.bytes[offset:end]
	}
	for _, r := range c.relocs {
		if r.offset >= offset && r.offset < offset+size {
			r.offset -= offset
			part.relocs = append(part.relocs, r)
		}
	}
	return part
}

func (c content) equal(d content) bool {
	return c.size == d.size && bytes.Equal(c.bytes, d.bytes) && slices.Equal(c.relocs, d.relocs)
}

// A difference is the first place where a symbol, or a section without one, is
// not the same in two objects.
type difference struct {
	symbol string
	offset uint64
	a, b   string // what stands there
}

// differences compares section by section and tells symbol by symbol. Where a
// section differs and none of its symbols does (strings, a table of a switch),
// the section is told.
func (o *object) differences(other *object) []difference {
	var names []string
	for name := range o.sections {
		names = append(names, name)
	}
	for name := range other.sections {
		if _, ok := o.sections[name]; !ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var list []difference
	for _, name := range names {
		if o.sections[name].equal(other.sections[name]) {
			continue
		}
		told := len(list)
		list = append(list, symbolDifferences(o.in(name), other.in(name))...)
		if len(list) == told {
			list = append(list, o.sections[name].difference("section "+name, other.sections[name]))
		}
	}
	return list
}

// in lists a section's symbols.
func (o *object) in(section string) map[string]content {
	list := map[string]content{}
	for _, s := range o.symbols {
		if s.section == section {
			list[s.name] = s.content
		}
	}
	return list
}

func symbolDifferences(a, b map[string]content) []difference {
	var list []difference
	for name, c := range a {
		if d, ok := b[name]; !ok {
			list = append(list, difference{name, 0, "defined", "not defined"})
		} else if !c.equal(d) {
			list = append(list, c.difference(name, d))
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			list = append(list, difference{name, 0, "not defined", "defined"})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].symbol < list[j].symbol })
	return list
}

// difference finds the first place where two contents that are not equal part.
func (c content) difference(name string, d content) difference {
	at := min(c.size, d.size)
	for i := range min(len(c.bytes), len(d.bytes)) {
		if c.bytes[i] != d.bytes[i] {
			at = min(at, uint64(i))
			break
		}
	}
	for i := range max(len(c.relocs), len(d.relocs)) {
		switch {
		case i >= len(c.relocs):
			at = min(at, d.relocs[i].offset)
		case i >= len(d.relocs):
			at = min(at, c.relocs[i].offset)
		case c.relocs[i] != d.relocs[i]:
			at = min(at, c.relocs[i].offset, d.relocs[i].offset)
		default:
			continue
		}
		break
	}
	return difference{name, at, c.at(at), d.at(at)}
}

// at says what stands at an offset.
func (c content) at(offset uint64) string {
	for _, r := range c.relocs {
		if r.offset == offset {
			return fmt.Sprintf("%s%+d (relocation %d)", r.symbol, r.addend, r.kind)
		}
	}
	if offset >= c.size {
		return "the end"
	}
	if offset >= uint64(len(c.bytes)) {
		return "zero"
	}
	return fmt.Sprintf("%x", c.bytes[offset:min(offset+4, uint64(len(c.bytes)))])
}
