package runner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"libcost/internal/results"
)

// Counted are the system calls that a counting pass counts: what locks and
// allocators ask of the kernel.
var Counted = []string{"futex", "mmap", "munmap", "brk", "madvise", "mremap"}

// A Counter counts a row's system calls by the kernel's own tracepoints, each
// sample in a pass of its own: counts have a price, times must not pay it.
type Counter struct {
	ids string // of the tracepoints, as -count takes them
}

// tracefs is where the kernel keeps its tracepoints.
const tracefs = "/sys/kernel/tracing"

// NewCounter finds the tracepoints; the error says why there is none to be had.
func NewCounter() (*Counter, error) {
	ids, err := readIDs(tracefs)
	if os.IsNotExist(err) {
		ids, err = readUnmounted()
	}
	if err != nil {
		return nil, fmt.Errorf("count system calls: %w", err)
	}
	return &Counter{strings.Join(ids, ",")}, nil
}

func readIDs(root string) ([]string, error) {
	var ids []string
	for _, name := range Counted {
		text, err := os.ReadFile(filepath.Join(root, "events", "syscalls", "sys_enter_"+name, "id"))
		if err != nil {
			return nil, err
		}
		id := strings.TrimSpace(string(text))
		if _, err := strconv.ParseUint(id, 10, 64); err != nil {
			return nil, fmt.Errorf("tracepoint of %s: %w", name, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// readUnmounted reads the ids where tracefs is not mounted, in a mount
// namespace that ends with the child: the machine stays as it was.
func readUnmounted() ([]string, error) {
	script := "mount -t tracefs tracefs " + tracefs + " && cat"
	for _, name := range Counted {
		script += fmt.Sprintf(" %s/events/syscalls/sys_enter_%s/id", tracefs, name)
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.Output()
	ids := strings.Fields(string(bytes.TrimSpace(out)))
	if err != nil || len(ids) != len(Counted) {
		return nil, fmt.Errorf("tracefs is not mounted (as root: mount -t tracefs tracefs %s)", tracefs)
	}
	return ids, nil
}

// Count runs each row once in each variant and returns the samples: their
// calls are the point, their times are not to be used.
func (c *Counter) Count(ctx context.Context, r *Runner, rows []results.Row, progress func(int)) ([]results.Sample, error) {
	counting := *r
	counting.args = []string{"-count", c.ids}
	var samples []results.Sample
	for i, row := range rows {
		progress(i)
		if row.Skipped != "" {
			continue
		}
		for _, v := range row.Variants {
			s := counting.Sample(ctx, row.Row, v, 0, row.N[v])
			if err := ctx.Err(); err != nil {
				return samples, err
			}
			samples = append(samples, s)
		}
	}
	progress(len(rows))
	return samples, nil
}
