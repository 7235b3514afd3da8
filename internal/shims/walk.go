package shims

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// A walk goes through an op and the room's functions that it calls, down to
// the calls that the row names.
type walk struct {
	im              *image
	files           sources
	op              string
	named           []string
	inside, outside map[string]bool // which of them are called in the loop, and where else
	others          []string        // what is called in the loop besides
	seen            map[place]bool
}

// A place is a function, called from inside the loop or not.
type place struct {
	at     uint64
	inside bool
}

func newWalk(im *image, l loop, files sources) *walk {
	return &walk{
		im: im, files: files, op: l.op, named: strings.Fields(l.calls),
		inside: map[string]bool{}, outside: map[string]bool{}, seen: map[place]bool{},
	}
}

// enter goes through one function.
func (w *walk) enter(f elf.Symbol, inside bool) error {
	here := place{f.Value, inside}
	if w.seen[here] {
		return nil
	}
	w.seen[here] = true
	insts, err := disassemble(w.im.code(f.Value, f.Size), f.Value)
	if err != nil {
		return fmt.Errorf("%s %w", f.Name, err)
	}
	for _, c := range newFlow(insts).calls() {
		if c.lost() {
			return fmt.Errorf("%s jumps through a table or a pointer at +%#x, where it can't be followed", f.Name, c.at-f.Value)
		}
		if err := w.follow(c, inside || c.looped); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) follow(c call, inside bool) error {
	tokens := w.im.reached(c.inst)
	if named := intersection(w.named, tokens); len(named) > 0 {
		for _, token := range named {
			if inside {
				w.inside[token] = true
			} else {
				w.outside[token] = true
			}
		}
		return nil
	}
	if at, direct := c.target(); direct {
		if f, ok := w.im.functionAt(at, w.files.has); ok {
			if inside || w.continues(c, at) {
				return w.enter(f, inside)
			}
			return nil
		}
	}
	// On its way out of the loop a kernel fetches the errno that it returns.
	if inside && !slices.Contains(tokens, "__errno_location") {
		if other := plainest(tokens); !slices.Contains(w.others, other) {
			w.others = append(w.others, other)
		}
	}
	return nil
}

// continues tells whether a function that is called outside the loop goes on
// with the op: it is jumped to, or the compiler split it off the op
// (alloc_pair_op.part.0). Any other has no part in the op's loop, even if it
// has a loop itself.
func (w *walk) continues(c call, at uint64) bool {
	_, part := w.im.functionAt(at, func(name string) bool { return strings.HasPrefix(name, w.op+".") })
	return part || c.Op != x86asm.CALL
}

func intersection(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// plainest chooses among aliases the shortest, of those with the fewest
// underscores in front.
func plainest(names []string) string {
	if len(names) == 0 {
		return "an unknown address"
	}
	return slices.MinFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(underscores(a), underscores(b)), cmp.Compare(len(a), len(b)))
	})
}

func underscores(s string) int { return len(s) - len(strings.TrimLeft(s, "_")) }
