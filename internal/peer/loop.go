package peer

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"libcost/internal/variant"
)

// A loop is a plain C program, of the libc that its row is about.
type loop struct{ name, variant string }

// loops are the C loops: one for each row with proc=plain, in each libc.
func loops() []Peer {
	var list []Peer
	for _, l := range []struct{ name, row string }{
		{"pair", "alloc/Pair/size=64/live=1/threads=1/proc=plain"},
		{"write", "syscalls/Write/size=1/to=devnull/via=wrapper/threads=1/proc=plain"},
		{"mutex", "syscalls/Mutex/held=0/think=0/threads=1/proc=plain"},
		{"thread", "syscalls/ThreadCreate/stack=default/join=1/threads=1/place=same/proc=plain"},
	} {
		for _, libc := range variant.Libcs {
			list = append(list, Peer{
				Name: "C loop", Row: l.row, Variant: libc, N: loopOps[libc+" "+l.name], Margin: 0.05, FloorNS: 0.3,
				tool: loop{l.name, libc},
			})
		}
	}
	return list
}

// loopOps are about 50 ms on a CPU of 3 GHz.
var loopOps = map[string]int{
	"gnu pair": 5_000_000, "gnu write": 350_000, "gnu mutex": 6_000_000, "gnu thread": 5_000,
	"musl pair": 2_000_000, "musl write": 350_000, "musl mutex": 2_500_000, "musl thread": 2_000,
}

//go:embed loops
var sources embed.FS

// Compile compiles the loops for a variant with its compiler into dir. They get
// the flags of the kernels, and -fno-builtin: a compiler that knows what malloc
// and free do together may leave both out.
func Compile(ctx context.Context, v variant.Variant, cc, dir string) error {
	tmp, err := os.MkdirTemp("", "libcost-peer-")
	if err != nil {
		return fmt.Errorf("build %s: C loops: %w", v.Name, err)
	}
	defer os.RemoveAll(tmp)
	if err := errors.Join(os.CopyFS(tmp, sources), os.MkdirAll(dir, 0o777)); err != nil {
		return fmt.Errorf("build %s: C loops: %w", v.Name, err)
	}
	for _, p := range loops() {
		l := p.tool.(loop)
		if l.variant != v.Name {
			continue
		}
		args := slices.Concat(variant.CFlags, v.CFlags, []string{"-fno-builtin", "loops/main.c", "loops/" + l.name + ".c", "-o", l.binary(dir)})
		if v.Static {
			args = append(args, "-static")
		}
		cmd := exec.CommandContext(ctx, cc, append(args, v.LDFlags...)...)
		cmd.Dir = tmp
		if out, err := cmd.CombinedOutput(); err != nil {
			return &variant.StepError{Variant: v.Name, Step: "C loop " + l.name, Output: string(out), Err: err}
		}
	}
	return nil
}

func (l loop) binary(dir string) string { return filepath.Join(dir, l.name+"."+l.variant) }

// A loop needs no more than its row does.
func (loop) missing(context.Context, Site) error { return nil }

var loopOutput = regexp.MustCompile(`^([0-9]+\.[0-9]{4})\n$`)

func (l loop) measure(ctx context.Context, s Site, n int) (float64, error) {
	out, err := s.run(ctx, l.binary(s.Loops), strconv.Itoa(n))
	if err != nil {
		return 0, err
	}
	m := loopOutput.FindSubmatch(out)
	if m == nil {
		return 0, unknown(l.name, out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
