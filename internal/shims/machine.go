package shims

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// readable tells whether this package knows the object's machine code.
func (o *object) readable() bool { return o.machine == elf.EM_X86_64 }

// An inst is one instruction and its place.
type inst struct {
	x86asm.Inst
	at uint64
}

// endbr64 marks where indirect calls may arrive, where the compiler asks for
// control-flow protection; the disassembler does not know it.
var endbr64 = []byte{0xf3, 0x0f, 0x1e, 0xfa}

// disassemble reads all of a function that lies at an address.
func disassemble(code []byte, at uint64) ([]inst, error) {
	var list []inst
	for rest := code; len(rest) > 0; {
		i, err := decode(rest)
		if err != nil {
			return nil, fmt.Errorf("can't be read at +%#x: % x", len(code)-len(rest), rest[:min(len(rest), 8)])
		}
		list = append(list, inst{i, at})
		at += uint64(i.Len)
		rest = rest[i.Len:]
	}
	return list, nil
}

func decode(code []byte) (x86asm.Inst, error) {
	if bytes.HasPrefix(code, endbr64) {
		return x86asm.Inst{Op: x86asm.NOP, Len: len(endbr64)}, nil
	}
	i, err := x86asm.Decode(code, 64)
	if err == nil && i.Op == 0 {
		err = x86asm.ErrUnrecognized
	}
	return i, err
}

func (i inst) end() uint64 { return i.at + uint64(i.Len) }

// target is where a direct jump or call goes.
func (i inst) target() (uint64, bool) {
	rel, ok := i.Args[0].(x86asm.Rel)
	return i.end() + uint64(int64(rel)), ok
}

// slot is the address of the word through which an indirect jump or call goes,
// where it is fixed.
func (i inst) slot() (uint64, bool) {
	m, ok := i.Args[0].(x86asm.Mem)
	return i.end() + uint64(m.Disp), ok && m.Base == x86asm.RIP && m.Index == 0
}

// ends tells whether nothing runs on into the next instruction.
func (i inst) ends() bool {
	return i.Op == x86asm.JMP || i.Op == x86asm.RET || i.Op == x86asm.UD2 || i.Op == x86asm.HLT
}

// A flow is a function's instructions and which may run after each.
type flow struct {
	insts []inst
	next  [][]int
}

func newFlow(insts []inst) *flow {
	f := &flow{insts, make([][]int, len(insts))}
	index := map[uint64]int{}
	for n, i := range insts {
		index[i.at] = n
	}
	for n, i := range insts {
		if !i.ends() && n+1 < len(insts) {
			f.next[n] = append(f.next[n], n+1)
		}
		if at, ok := i.target(); ok && i.Op != x86asm.CALL {
			if to, ok := index[at]; ok {
				f.next[n] = append(f.next[n], to)
			}
		}
	}
	return f
}

// after tells which instructions can run after the n-th one.
func (f *flow) after(n int) []bool {
	seen := make([]bool, len(f.insts))
	for todo := []int{n}; len(todo) > 0; {
		n, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for _, next := range f.next[n] {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return seen
}

// A call is an instruction through which a function reaches something else.
type call struct {
	inst
	looped bool
}

// calls lists the calls, the system calls and the jumps out of a function that
// can run at all.
func (f *flow) calls() []call {
	var list []call
	live := f.after(0)
	for n, i := range f.insts {
		if (n == 0 || live[n]) && f.leaves(i) {
			list = append(list, call{i, f.after(n)[n]})
		}
	}
	return list
}

func (f *flow) leaves(i inst) bool {
	if i.Op == x86asm.CALL || i.Op == x86asm.SYSCALL {
		return true
	}
	at, direct := i.target()
	return direct && (at < f.insts[0].at || at >= f.insts[len(f.insts)-1].end()) || !direct && i.Op == x86asm.JMP
}

// lost tells whether it is unknown where a jump goes: through a table within the
// function, or by pointer out of it.
func (c call) lost() bool {
	_, direct := c.target()
	_, fixed := c.slot()
	return c.Op == x86asm.JMP && !direct && !fixed
}

var copies = []x86asm.Op{
	x86asm.MOVSB, x86asm.MOVSW, x86asm.MOVSD, x86asm.MOVSQ,
	x86asm.STOSB, x86asm.STOSW, x86asm.STOSD, x86asm.STOSQ,
}

// inlineCopy finds an instruction that copies or fills memory in the place of a
// call, and says where.
func inlineCopy(code []byte) string {
	insts, err := disassemble(code, 0)
	if err != nil {
		return err.Error()
	}
	for _, i := range insts {
		if slices.Contains(copies, i.Op) && slices.Contains(i.Prefix[:], x86asm.PrefixREP) {
			return fmt.Sprintf("rep %s at +%#x instead of a call", strings.ToLower(i.Op.String()), i.at)
		}
	}
	return ""
}
