package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Command is one sample to run.
type Command struct {
	Path    string
	Args    []string
	Env     []string
	CPU     int           // to pin the process to, -1 for none
	Timeout time.Duration // after which it hangs
}

// An Outcome is how a process ended.
type Outcome struct {
	Start  time.Time
	Wall   time.Duration
	Stdout []byte
	Stderr []byte
	Code   int
	Signal syscall.Signal // that ended it, 0 for none
	Hung   bool           // the watchdog ended it
	Doing  string         // where it hung: "blocked in futex", "running", "" unknown
	Err    error          // it could not be started
}

// An Executor runs samples. Tests replace it.
type Executor interface {
	Execute(context.Context, Command) Outcome
}

// Processes executes samples as processes of their own.
type Processes struct{}

// maxOutput is far above what a sample prints; a sample that prints more is
// broken and must not fill the memory.
const maxOutput = 1 << 20

// Execute runs one process and waits for it. The process has a group of its
// own, so that Ctrl-C on a terminal reaches only libcost, and so that what it
// may have forked ends with it. It dies with libcost.
func (Processes) Execute(ctx context.Context, c Command) Outcome {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = c.Env
	var stdout, stderr limited
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// A descendant that left the group and keeps the pipes must not keep us.
	cmd.WaitDelay = time.Second

	out := Outcome{Start: time.Now()}
	if out.Err = startOn(cmd, c.CPU); out.Err != nil {
		return out
	}
	pid := cmd.Process.Pid
	ended := make(chan struct{})
	go func() { awaitEnd(pid); close(ended) }()
	watchdog := time.NewTimer(c.Timeout)
	defer watchdog.Stop()
	select {
	case <-ended:
	case <-watchdog.C:
		out.Hung, out.Doing = true, doing(pid)
	case <-ctx.Done():
		out.Err = ctx.Err()
	}
	out.Wall = time.Since(out.Start)
	// Before the process is reaped: its group's number can't be another's yet.
	kill(pid)
	err := cmd.Wait()
	out.Stdout, out.Stderr = stdout.kept, stderr.kept
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out.Code = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && !out.Hung {
			out.Signal = status.Signal()
		}
	}
	return out
}

// awaitEnd waits for a child to end and leaves it to be reaped.
func awaitEnd(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// kill ends a process group; one that is gone already is no error.
func kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// startOn starts a process on one CPU: a child inherits the mask of the thread
// that forks it, so no first steps are made elsewhere. The caller's goroutine
// keeps its thread, which Pdeathsig is bound to.
func startOn(cmd *exec.Cmd, cpu int) error {
	runtime.LockOSThread()
	if cpu < 0 {
		return cmd.Start()
	}
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return os.NewSyscallError("sched_getaffinity", err)
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return os.NewSyscallError("sched_setaffinity", err)
	}
	err := cmd.Start()
	return errors.Join(err, os.NewSyscallError("sched_setaffinity", unix.SchedSetaffinity(0, &before)))
}

// limited keeps the first maxOutput bytes. It embeds no bytes.Buffer, whose
// ReadFrom io.Copy would use instead.
type limited struct{ kept []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.kept = append(l.kept, p[:min(len(p), maxOutput-len(l.kept))]...)
	return len(p), nil
}

// doing tells where a hanging process stands, "blocked in futex" or "running",
// "" if the system does not say. Of several threads the one in a system call that
// does something speaks, then one that runs, then those that wait for others:
// a Go program always has some of these.
func doing(pid int) string {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	waits := map[string]int{"futex": 1, "nanosleep": 2, "clock_nanosleep": 2, "epoll_pwait": 2}
	found, best := "", 5
	for _, t := range tasks {
		text, err := os.ReadFile(t)
		if err != nil {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		name := syscallName(number)
		where, rank := "blocked in "+name, 1
		if name == "" {
			where, rank = "running", 2
		} else if w := waits[name]; w > 0 {
			rank = 2 + w
		}
		if rank < best {
			found, best = where, rank
		}
	}
	return found
}

// syscallName names a number of /proc/PID/syscall, "" for a thread that runs.
func syscallName(number string) string {
	names := map[string]string{
		fmt.Sprint(unix.SYS_FUTEX): "futex", fmt.Sprint(unix.SYS_READ): "read", fmt.Sprint(unix.SYS_WRITE): "write",
		fmt.Sprint(unix.SYS_FSYNC): "fsync", fmt.Sprint(unix.SYS_FDATASYNC): "fdatasync", fmt.Sprint(unix.SYS_PWRITE64): "pwrite",
		fmt.Sprint(unix.SYS_NANOSLEEP): "nanosleep", fmt.Sprint(unix.SYS_CLOCK_NANOSLEEP): "clock_nanosleep",
		fmt.Sprint(unix.SYS_EPOLL_PWAIT): "epoll_pwait", fmt.Sprint(unix.SYS_WAIT4): "wait4", fmt.Sprint(unix.SYS_MMAP): "mmap",
		fmt.Sprint(unix.SYS_MUNMAP): "munmap", fmt.Sprint(unix.SYS_MADVISE): "madvise", fmt.Sprint(unix.SYS_OPENAT): "openat",
	}
	if number == "running" || number == "-1" || number == "" {
		return ""
	}
	if name, ok := names[number]; ok {
		return name
	}
	return "system call " + number
}
