package shims

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// An image is a linked program.
type image struct {
	*elf.File
	functions []elf.Symbol
	names     map[uint64][]string // of each address; an alias is as good as the name
	slots     map[uint64][]string // what a word points to once the program has started
}

func openImage(file string) (*image, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	im := &image{names: map[uint64][]string{}, slots: map[uint64][]string{}}
	if err := im.read(text); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(file), err)
	}
	return im, nil
}

func (im *image) read(text []byte) (err error) {
	if im.File, err = elf.NewFile(bytes.NewReader(text)); err != nil {
		return err
	}
	symbols, err := im.Symbols()
	if err != nil {
		return err
	}
	for _, s := range symbols {
		kind := elf.ST_TYPE(s.Info)
		if s.Section == elf.SHN_UNDEF || kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC {
			continue // else a call of address 0 would reach all that is missing there
		}
		im.names[s.Value] = append(im.names[s.Value], s.Name)
		if kind == elf.STT_FUNC && s.Size > 0 {
			im.functions = append(im.functions, s)
		}
	}
	dynamic, err := im.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return err
	}
	for _, s := range im.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		relocs, err := readRelocs(im.File, s, dynamic)
		if err != nil {
			return err
		}
		for _, r := range relocs {
			im.slots[r.offset] = im.pointee(r)
		}
	}
	return nil
}

// pointee names what a relocation makes its word point to. A static program
// resolves its IFUNCs itself as it starts: the addend is then the address of
// the resolver, which is the one that bears the name memcpy.
func (im *image) pointee(r reloc) []string {
	switch elf.R_X86_64(r.kind) {
	case elf.R_X86_64_JMP_SLOT, elf.R_X86_64_GLOB_DAT:
		return []string{r.symbol}
	case elf.R_X86_64_IRELATIVE:
		return im.names[uint64(r.addend)]
	}
	return nil
}

// reached names what an instruction that leaves its function goes to.
func (im *image) reached(i inst) []string {
	if i.Op == x86asm.SYSCALL {
		return []string{instruction}
	}
	names := []string{byPointer}
	if at, ok := i.target(); ok {
		names = slices.Concat(im.names[at], im.behind(at))
	} else if at, ok := i.slot(); ok && im.slots[at] != nil {
		names = slices.Clone(im.slots[at])
	}
	for n := range names {
		if names[n] == instruction { // libc's function of that name is not the instruction
			names[n] += "()"
		}
	}
	return names
}

// behind names what a stub of the linker jumps to: jmp *slot(%rip), after an
// endbr64 where it has one.
func (im *image) behind(at uint64) []string {
	const longest = 15 // bytes of an instruction
	if bytes.HasPrefix(im.code(at, longest), endbr64) {
		at += uint64(len(endbr64))
	}
	i, err := decode(im.code(at, longest))
	if slot, ok := (inst{i, at}).slot(); ok && err == nil && i.Op == x86asm.JMP {
		return im.slots[slot]
	}
	return nil
}

// code is size bytes of the program from an address on, fewer where they end.
func (im *image) code(at, size uint64) []byte {
	for _, p := range im.Progs {
		if p.Type == elf.PT_LOAD && at >= p.Vaddr && at < p.Vaddr+p.Filesz {
			code := make([]byte, min(size, p.Vaddr+p.Filesz-at))
			n, _ := p.ReadAt(code, int64(at-p.Vaddr))
			return code[:n]
		}
	}
	return nil
}

// functionAt finds, of the functions that begin at an address, one with a name
// that will do: gcc folds functions that are equal.
func (im *image) functionAt(at uint64, is func(name string) bool) (elf.Symbol, bool) {
	return im.find(func(f elf.Symbol) bool { return f.Value == at && is(f.Name) })
}

func (im *image) functionNamed(name string) (elf.Symbol, bool) {
	return im.find(func(f elf.Symbol) bool { return f.Name == name })
}

func (im *image) find(is func(elf.Symbol) bool) (elf.Symbol, bool) {
	if i := slices.IndexFunc(im.functions, is); i >= 0 {
		return im.functions[i], true
	}
	return elf.Symbol{}, false
}
