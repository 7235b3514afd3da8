// Package sample runs one sample of a workload: a fixed number of ops after a
// set-up that is not timed, the check of what they did, and one Go benchmark
// line.
package sample

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A Workload is one program of fixed work.
type Workload struct {
	Name string // of its benchmark, without the word: SqliteQuery/rows=2000
	Op   string // what one op is
	N    int    // ops, if -n does not say
	New  func(n int) (Run, error)
}

// A Run is a workload that is set up for n ops.
type Run interface {
	// Ops does all ops. It is what is timed: nothing is checked in it that
	// the check can see afterwards.
	Ops() error
	// Check compares what the ops left with what they must leave, worked out
	// another way, and returns a hash of it. It is called once, after Ops.
	Check() (digest uint64, err error)
	Close() error
}

// Exit codes: done; the work went wrong; usage.
const (
	exitDone  = 0
	exitWrong = 1
	exitUsage = 2
)

// Main is the program: flags, set-up, ops, check, and the line. A workload with
// flags of its own has defined them in flags, whose name is the program's.
// Nothing but the line and its two facts goes to stdout.
func Main(flags *flag.FlagSet, workload func() (Workload, error), args []string, stdout, stderr io.Writer) int {
	flags.SetOutput(stderr)
	n := flags.Int("n", 0, "`ops` of the sample; 0 is as many as the program thinks fit")
	start := time.Now()
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		return exitUsage // flag has told it
	}
	w, err := workload()
	switch {
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q (-h lists the flags)", flags.Arg(0))
	case *n < 0:
		err = fmt.Errorf("-n %d: less than 1 op (0 is the program's own number)", *n)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", flags.Name(), err)
		return exitUsage
	}
	if *n == 0 {
		*n = w.N
	}
	if err := once(w, *n, start, stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", flags.Name(), err)
		return exitWrong
	}
	return exitDone
}

func once(w Workload, n int, start time.Time, stdout io.Writer) (err error) {
	run, err := w.New(n)
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	// The set-up's garbage is no part of the ops.
	runtime.GC()
	before, err := now()
	if err != nil {
		return err
	}
	if err := run.Ops(); err != nil {
		return fmt.Errorf("%s: %w", w.Op, err)
	}
	after, err := now()
	if err != nil {
		return err
	}
	digest, err := run.Check()
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "digest: %016x\nsetup-ns: %d\n%s", digest, before.clock.Sub(start).Nanoseconds(), line(w.Name, n, before, after))
	return err
}

// A reading is the clock and what the process had used by then.
type reading struct {
	clock time.Time
	usage unix.Rusage
}

func now() (reading, error) {
	r := reading{clock: time.Now()}
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r.usage); err != nil {
		return r, fmt.Errorf("getrusage: %w", err)
	}
	return r, nil
}

// line is in the Go benchmark format. cpu-ns, faults and switches are the whole
// process's: all of its threads, the Go runtime's too.
func line(name string, n int, a, b reading) string {
	per := func(total int64) float64 { return float64(total) / float64(n) }
	return fmt.Sprintf("Benchmark%s\t%d\t%.2f ns/op\t%.2f cpu-ns/op\t%.6g minflt/op\t%.6g nvcsw/op\t%.6g nivcsw/op\n",
		name, n,
		per(b.clock.Sub(a.clock).Nanoseconds()),
		per(cpu(b.usage)-cpu(a.usage)),
		per(b.usage.Minflt-a.usage.Minflt),
		per(b.usage.Nvcsw-a.usage.Nvcsw),
		per(b.usage.Nivcsw-a.usage.Nivcsw))
}

func cpu(u unix.Rusage) int64 { return u.Utime.Nano() + u.Stime.Nano() }
