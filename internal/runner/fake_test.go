package runner

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"libcost/internal/results"
	"libcost/internal/variant"
)

// A fake executor records what it is asked and answers as it is told.
type fake struct {
	commands []Command
	answer   func(Command) Outcome
}

func (f *fake) Execute(_ context.Context, c Command) Outcome {
	if f.commands = append(f.commands, c); len(f.commands) > 10000 {
		panic("this never ends")
	}
	return f.answer(c)
}

// row and n are what a command asks for.
func (c Command) row() string { return c.after("-sample") }

func (c Command) n() int {
	for _, arg := range c.Args {
		if x, ok := strings.CutPrefix(arg, "-test.benchtime="); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(x, "x"))
			return n
		}
	}
	n, _ := strconv.Atoi(c.after("-n"))
	return n
}

func (c Command) after(flag string) string {
	if i := slices.Index(c.Args, flag); i >= 0 && i+1 < len(c.Args) {
		return c.Args[i+1]
	}
	return ""
}

// variant is the directory of the binary.
func (c Command) variant() string { return strings.Split(c.Path, "/")[2] }

// took is the outcome of a sample of n ops that went well.
func took(row string, n int, elapsed time.Duration) Outcome {
	return Outcome{Start: time.Unix(1e9, 0), Wall: elapsed + time.Millisecond, Stdout: []byte(printed(row, n, elapsed))}
}

func printed(row string, n int, elapsed time.Duration) string {
	return fmt.Sprintf("Benchmark%s\t%d\t%g ns/op\n{\"result\":{\"n\":%d,\"elapsed_ns\":%d,\"cpu_ns\":5,\"run_delay_ns\":-1,\"digest\":\"d%d\"}}\n",
		row, n, float64(elapsed)/float64(n), n, elapsed, n)
}

// well answers every command well, at 10 ns an op.
func well(c Command) Outcome { return took(c.row(), c.n(), time.Duration(10*c.n())) }

// otherWork is well, but for the digest of one variant.
func otherWork(c Command, variant string) Outcome {
	out := well(c)
	if c.variant() == variant {
		out.Stdout = regexp.MustCompile(`"d\d+"`).ReplaceAll(out.Stdout, []byte(`"other"`))
	}
	return out
}

// newFake is a runner of the variants gnu, musl and musl-own, in /b.
func newFake(answer func(Command) Outcome) (*Runner, *fake) {
	f := &fake{answer: answer}
	r := &Runner{Exec: f, Builds: map[string][]*variant.Built{}, Dir: "/files", Pin: 7, Timeout: 30 * time.Second, DiskOps: 300}
	for name, env := range map[string][]string{"gnu": nil, "musl": nil, "own": {"A=1", "B=2"}} {
		r.Builds[name] = []*variant.Built{{Variant: variant.Variant{Name: name, Env: env}, Dir: "/b/" + name}}
	}
	return r, f
}

func row(room, name string, change func(*results.Row)) results.Row {
	r := results.Row{Row: variant.Row{Room: room, Name: name, Threads: 1}, Variants: []string{"gnu", "musl"}, Rounds: 2, N: map[string]int{"gnu": 100, "musl": 200, "own": 300}}
	if change != nil {
		change(&r)
	}
	return r
}

// A memory takes samples as they land, and fails after some.
type memory struct {
	samples []results.Sample
	fail    error
	room    int // samples until it fails
}

func (m *memory) Append(s results.Sample) error {
	if m.fail != nil && len(m.samples) == m.room {
		return m.fail
	}
	m.samples = append(m.samples, s)
	return nil
}

func quiet(int) {}
