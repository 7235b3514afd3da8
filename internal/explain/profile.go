package explain

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Symbol is a function with its share of a program's CPU time.
type Symbol struct {
	Name    string
	Percent float64
}

// profileHz samples a thousand times a second at most: at 20 kHz a program took
// 2.2 times as long.
const profileHz = 999

// leastPercent is what a function takes at least to be named.
const leastPercent = 1

// Profile runs a binary under perf, by the CPU clock, and lists the functions
// that take 1 % of its time or more, the kernel's as "[kernel]" in one.
func (r *Runner) Profile(ctx context.Context, b Binary) ([]Symbol, error) {
	perf, err := exec.LookPath("perf")
	if err != nil {
		return nil, fmt.Errorf("perf not found (apt-get install linux-perf)")
	}
	dir, err := os.MkdirTemp("", "libcost-perf-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	data := filepath.Join(dir, "perf.data")
	args := r.Workload.Args(r.Paths[b.Name], r.Once, r.Dir, r.N, r.Clients)
	// A sample is short: ten of them make some hundred hits.
	var errs bytes.Buffer
	record := exec.CommandContext(ctx, perf, append([]string{"record", "-q", "-F", strconv.Itoa(profileHz), "-e", "cpu-clock", "-o", data, "--",
		"sh", "-c", `i=0; while [ $i -lt 10 ]; do "$@" >/dev/null || exit; i=$((i + 1)); done`, "sh"}, args...)...)
	record.Env = append([]string{"PATH=" + os.Getenv("PATH"), fmt.Sprintf("GOMAXPROCS=%d", r.Workload.Threads)}, r.Env[b.Name]...)
	record.Stderr = &errs
	if err := record.Run(); err != nil {
		return nil, fmt.Errorf("perf record: %w: %s", err, firstLine(errs.Bytes()))
	}
	report := exec.CommandContext(ctx, perf, "report", "--stdio", "-q", "-i", data, "--comm", commOf(args[0]), "-F", "overhead,sym", "-t", ";")
	report.Stderr = &errs
	out, err := report.Output()
	if err != nil {
		return nil, fmt.Errorf("perf report: %w: %s", err, firstLine(errs.Bytes()))
	}
	return parseProfile(out), nil
}

// commOf is the name that the kernel gives to a program's process.
func commOf(path string) string {
	name := filepath.Base(path)
	return name[:min(15, len(name))]
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

// parseProfile reads lines of "12.34%;[.] memcmp", percent of all.
func parseProfile(out []byte) []Symbol {
	var symbols []Symbol
	kernel, all := 0.0, 0.0
	for line := range strings.Lines(string(out)) {
		percent, name, ok := strings.Cut(strings.TrimSpace(line), ";")
		p, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(percent), "%")), 64)
		if !ok || err != nil {
			continue
		}
		all += p
		kind, name, _ := strings.Cut(strings.TrimSpace(name), " ")
		switch {
		case kind == "[k]":
			kernel += p
		case kind == "[.]":
			symbols = append(symbols, Symbol{strings.TrimSpace(name), p})
		}
	}
	symbols = append(symbols, Symbol{Kernel, kernel})
	for i := range symbols { // of the program alone
		symbols[i].Percent *= 100 / max(all, 1e-9)
	}
	symbols = slices.DeleteFunc(symbols, func(s Symbol) bool { return s.Percent < leastPercent })
	slices.SortStableFunc(symbols, func(a, b Symbol) int {
		switch {
		case a.Percent > b.Percent:
			return -1
		case a.Percent < b.Percent:
			return 1
		}
		return 0
	})
	return symbols
}

// Kernel is the name under which a profile has all of the kernel.
const Kernel = "[kernel]"
