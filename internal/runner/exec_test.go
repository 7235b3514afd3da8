package runner

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"libcost/internal/host"
)

// The test binary is also the program that the executor runs.
func TestMain(m *testing.M) {
	switch os.Getenv("LIBCOST_TEST_CHILD") {
	case "":
		os.Exit(m.Run())
	case "spin":
		fmt.Println("ready")
		for i := 0; ; i++ {
			_ = i
		}
	case "futex":
		fmt.Println("ready")
		var word uint32
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&word)), 0, 0, 0, 0, 0)
	case "owner": // runs a sample until it is killed
		Processes{}.Execute(context.Background(), shell(os.Args[1], -1))
	}
}

const long = time.Minute // of a child that ends by itself

// shell is a script as a sample.
func shell(script string, cpu int) Command {
	return Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, CPU: cpu, Timeout: long}
}

// A lifeline is a FIFO that a child opens for writing. Reading from it orders
// the test after the child, and its end says that all who held it are dead.
type lifeline struct {
	t    *testing.T
	path string
	end  *os.File
	text *bufio.Reader
}

func newLifeline(t *testing.T) *lifeline {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lifeline")
	require.NoError(t, unix.Mkfifo(path, 0o666))
	// Both directions, so that nobody waits in open; see cut.
	end, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { end.Close() })
	return &lifeline{t, path, end, bufio.NewReader(end)}
}

// awaitWord waits for the child's line.
func (l *lifeline) awaitWord() string {
	l.t.Helper()
	require.NoError(l.t, l.end.SetReadDeadline(time.Now().Add(long)))
	word, err := l.text.ReadString('\n')
	require.NoError(l.t, err)
	return strings.TrimSpace(word)
}

// awaitDeath waits until nobody else holds the FIFO.
func (l *lifeline) awaitDeath() {
	l.t.Helper()
	reader, err := os.OpenFile(l.path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	require.NoError(l.t, err)
	defer reader.Close()
	l.end.Close() // our own writing end
	require.NoError(l.t, reader.SetReadDeadline(time.Now().Add(long)))
	_, err = io.ReadAll(reader)
	require.NoError(l.t, err, "somebody is still alive")
}

func TestExecute(t *testing.T) {
	for script, want := range map[string]Outcome{
		"echo out; echo err >&2":              {Stdout: []byte("out\n"), Stderr: []byte("err\n")},
		"echo out; exit 3":                    {Stdout: []byte("out\n"), Code: 3},
		"echo words >&2; exit 1":              {Stderr: []byte("words\n"), Code: 1},
		"echo before; kill -SEGV $$":          {Stdout: []byte("before\n"), Code: -1, Signal: syscall.SIGSEGV},
		"kill -KILL $$":                       {Code: -1, Signal: syscall.SIGKILL},
		"[ -z \"$HOME\" ] && env | grep -c .": {Stdout: []byte("2\n")}, // PATH, and PWD of the shell's own
		"head -c 3000000 /dev/zero":           {Stdout: make([]byte, maxOutput)},
	} {
		t.Run(script, func(t *testing.T) {
			before := time.Now()
			got := Processes{}.Execute(context.Background(), shell(script, -1))
			assert.NoError(t, got.Err)
			assert.False(t, got.Start.Before(before))
			assert.Positive(t, got.Wall)
			got.Start, got.Wall = time.Time{}, 0
			assert.Equal(t, want.Code, got.Code)
			assert.Equal(t, want.Signal, got.Signal)
			assert.False(t, got.Hung)
			assert.True(t, string(want.Stdout) == string(got.Stdout), "%.200q", got.Stdout)
			assert.Equal(t, string(want.Stderr), string(got.Stderr))
		})
	}
}

func TestExecuteWhatIsNotThere(t *testing.T) {
	for _, cpu := range []int{-1, 0} {
		c := shell("", cpu)
		c.Path = "/nowhere/alloc.test"
		out := Processes{}.Execute(context.Background(), c)
		assert.ErrorIs(t, out.Err, os.ErrNotExist)
	}
}

func TestExecuteHung(t *testing.T) {
	life := newLifeline(t)
	c := shell(fmt.Sprintf(`exec 8>'%s' 9<>'%s'; echo out; read x <&9`, life.path, life.path+"2"), -1)
	require.NoError(t, unix.Mkfifo(life.path+"2", 0o666))
	c.Timeout = 300 * time.Millisecond
	out := Processes{}.Execute(context.Background(), c)
	assert.True(t, out.Hung)
	assert.NotEmpty(t, out.Doing)
	assert.Zero(t, out.Signal, "it is the watchdog's, not the program's")
	assert.NoError(t, out.Err)
	life.awaitDeath()
}

// What a hanging process does is what its owner has to know first.
func TestDoing(t *testing.T) {
	fifo := newLifeline(t).path
	for what, c := range map[string]struct {
		cmd  *exec.Cmd
		want string
	}{
		"waits for a lock": {child("futex"), "blocked in futex"},
		// Its other threads wait in futex and epoll, as those of any Go program.
		"runs":              {child("spin"), "running"},
		"reads":             {exec.Command("/bin/sh", "-c", "exec 3<>'"+fifo+"'; echo ready; read x <&3"), "blocked in read"},
		"a shell that runs": {exec.Command("/bin/sh", "-c", "echo ready; while :; do :; done"), "running"},
	} {
		t.Run(what, func(t *testing.T) {
			out, err := c.cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, c.cmd.Start())
			defer func() { c.cmd.Process.Kill(); c.cmd.Wait() }()
			_, err = bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			assert.Eventually(t, func() bool { return doing(c.cmd.Process.Pid) == c.want }, long, time.Millisecond, "%s", doing(c.cmd.Process.Pid))
		})
	}
	assert.Empty(t, doing(1<<30), "nobody")
}

func child(mode string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{"LIBCOST_TEST_CHILD=" + mode, "PATH=" + os.Getenv("PATH")}
	return cmd
}

func TestSyscallName(t *testing.T) {
	for number, want := range map[string]string{
		fmt.Sprint(unix.SYS_FUTEX): "futex", fmt.Sprint(unix.SYS_FDATASYNC): "fdatasync", "9999": "system call 9999",
		"running": "", "-1": "", "": "",
	} {
		assert.Equal(t, want, syscallName(number), number)
	}
}

// A sample that forks must not hang the run, nor may its children go on and be
// measured with the next one.
func TestExecuteKillsTheGroup(t *testing.T) {
	life := newLifeline(t)
	hold := life.path + "2"
	require.NoError(t, unix.Mkfifo(hold, 0o666))
	out := Processes{}.Execute(context.Background(), shell(fmt.Sprintf(`exec 9>'%s'; cat <>'%s' & echo done; exit 5`, life.path, hold), -1))
	assert.Equal(t, "done\n", string(out.Stdout))
	assert.Equal(t, 5, out.Code)
	life.awaitDeath()
}

// A child that left the group lives on, and keeps the pipe; not us.
func TestExecuteLeavesAPipeThatIsKept(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip(err)
	}
	life := newLifeline(t)
	hold := life.path + "2"
	require.NoError(t, unix.Mkfifo(hold, 0o666))
	out := Processes{}.Execute(context.Background(), shell(fmt.Sprintf(`%s sh -c 'echo $$ >"%s"; cat <>"%s"' & read pid <'%s'; echo $pid`, setsid, life.path, hold, life.path), -1))
	assert.Zero(t, out.Code)
	pid, err := strconv.Atoi(strings.TrimSpace(string(out.Stdout)))
	require.NoError(t, err)
	assert.NoError(t, syscall.Kill(-pid, syscall.SIGKILL))
}

// Ctrl-C on a terminal goes to the foreground group.
func TestExecuteGivesAGroup(t *testing.T) {
	out := Processes{}.Execute(context.Background(), shell(`echo $$; cut -d' ' -f5 /proc/$$/stat`, -1))
	words := strings.Fields(string(out.Stdout))
	require.Len(t, words, 2)
	assert.Equal(t, words[0], words[1])
}

func TestExecutePins(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &before))
	allowed, err := host.AllowedCPUs()
	require.NoError(t, err)
	const ask = `grep Cpus_allowed_list: /proc/self/status`
	for _, cpu := range allowed {
		out := Processes{}.Execute(context.Background(), shell(ask, cpu))
		assert.NoError(t, out.Err)
		assert.Equal(t, fmt.Sprintf("Cpus_allowed_list:\t%d\n", cpu), string(out.Stdout))
	}
	require.NoError(t, unix.SchedGetaffinity(0, &after))
	assert.Equal(t, before, after, "our own thread is where it was")

	out := Processes{}.Execute(context.Background(), shell(ask, -1))
	mine, err := exec.Command("/bin/sh", "-c", ask).Output()
	require.NoError(t, err)
	assert.Equal(t, string(mine), string(out.Stdout))

	out = Processes{}.Execute(context.Background(), shell(ask, 1000))
	assert.ErrorIs(t, out.Err, unix.EINVAL)
	assert.EqualError(t, out.Err, "sched_setaffinity: invalid argument")
}

func TestExecuteCancelled(t *testing.T) {
	life := newLifeline(t)
	hold := life.path + "2"
	require.NoError(t, unix.Mkfifo(hold, 0o666))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan Outcome)
	go func() {
		ended <- Processes{}.Execute(ctx, shell(fmt.Sprintf(`exec 9>'%s'; echo ready >&9; cat <>'%s'`, life.path, hold), -1))
	}()
	life.awaitWord()
	cancel()
	assert.ErrorIs(t, (<-ended).Err, context.Canceled)
	life.awaitDeath()
}

// However libcost ends, its sample ends with it and measures nobody else.
func TestExecuteDiesWithItsOwner(t *testing.T) {
	life := newLifeline(t)
	hold := life.path + "2"
	require.NoError(t, unix.Mkfifo(hold, 0o666))
	owner := child("owner")
	owner.Args = append(owner.Args, fmt.Sprintf(`exec 9>'%s'; echo ready >&9; exec cat <>'%s'`, life.path, hold))
	require.NoError(t, owner.Start())
	life.awaitWord()
	require.NoError(t, owner.Process.Kill())
	owner.Wait()
	life.awaitDeath()
}
