package kv

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	opGet = iota + 1
	opUpsert
	opFill
	opMark
	opStats
	opStop
	opFollow
	opRecord
)

const head, answerHead = 16, 16 + 8 + 8*8

func request(op byte, key string, value []byte) []byte {
	b := binary.NativeEndian.AppendUint32(nil, 0x3171766b)
	b = append(b, op, 0)
	b = binary.NativeEndian.AppendUint16(b, uint16(len(key)))
	b = binary.NativeEndian.AppendUint32(b, uint32(len(value)))
	b = binary.NativeEndian.AppendUint32(b, 77)
	return append(append(b, key...), value...)
}

// lying is a head that announces other sizes.
func lying(op byte, key uint16, value uint32) []byte {
	b := request(op, "", nil)
	binary.NativeEndian.PutUint16(b[6:], key)
	binary.NativeEndian.PutUint32(b[8:], value)
	return b
}

// A server runs by itself, for clients made by hand.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	port   string
	stderr *os.File
}

func serve(t *testing.T, flags string, more ...string) *server {
	t.Helper()
	return start(t, exec.Command(gnuServer(t), words(flags, more...)...))
}

// limited runs a server with a limit of the shell's.
func limited(t *testing.T, limit, flags string) *server {
	t.Helper()
	args := []string{"-c", limit + `; exec "$0" "$@"`, gnuServer(t), "-dir", t.TempDir()}
	return start(t, exec.Command("sh", append(args, strings.Fields(flags)...)...))
}

func start(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, cmd: cmd}
	var err error
	s.stderr, err = os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, s.said())
	_, err = fmt.Sscanf(line, "port: %s\n", &s.port)
	require.NoError(t, err)
	return s
}

func (s *server) said() string {
	text, err := os.ReadFile(s.stderr.Name())
	require.NoError(s.t, err)
	return string(text)
}

func (s *server) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", "127.0.0.1:"+s.port)
	require.NoError(s.t, err)
	require.NoError(s.t, c.SetDeadline(time.Now().Add(time.Minute)))
	s.t.Cleanup(func() { c.Close() })
	return c
}

func (s *server) answer(c net.Conn) (status byte, value string) {
	s.t.Helper()
	h := make([]byte, answerHead)
	_, err := io.ReadFull(c, h)
	require.NoError(s.t, err)
	require.Equal(s.t, uint32(0x3161766b), binary.NativeEndian.Uint32(h))
	b := make([]byte, binary.NativeEndian.Uint32(h[8:]))
	_, err = io.ReadFull(c, b)
	require.NoError(s.t, err)
	return h[4], string(b)
}

// works does an upsert and a get on a connection of their own.
func (s *server) works(key string) {
	s.t.Helper()
	c := s.dial()
	value := strings.Repeat(key, 10)
	_, err := c.Write(request(opUpsert, key, []byte(value)))
	require.NoError(s.t, err)
	status, got := s.answer(c)
	require.Zero(s.t, status, got)
	_, err = c.Write(request(opGet, key, nil))
	require.NoError(s.t, err)
	status, got = s.answer(c)
	require.Zero(s.t, status)
	require.Equal(s.t, value, got)
	c.Close()
}

// stop ends the server with SIGTERM.
func (s *server) stop() {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(s.t, s.cmd.Wait(), s.said())
}

var manners = []string{"-workers 0", "-workers 3", "-threads", "-commit serial -workers 0"}

// What is no request is answered with what is wrong, and the connection ends; the others notice nothing.
func TestBadRequests(t *testing.T) {
	for _, manner := range manners {
		t.Run(manner, func(t *testing.T) {
			dir := t.TempDir()
			s := serve(t, manner, "-dir", dir)
			for name, c := range map[string]struct {
				bytes []byte
				says  string
			}{
				"garbage":             {[]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "not a request"},
				"1 GB":                {lying(opUpsert, 3, 1<<30), "a value of 1073741824 bytes, 65536 at most"},
				"4 GB":                {lying(opUpsert, 3, 1<<32-1), "a value of 4294967295 bytes, 65536 at most"},
				"a long key":          {lying(opGet, 1025, 0), "a key of 1025 bytes, 1024 at most"},
				"no key":              {request(opUpsert, "", []byte("value")), "no key"},
				"no op":               {request(0, "key", nil), "no such operation"},
				"another op":          {request(99, "key", nil), "no such operation"},
				"a record":            {request(opRecord, "", make([]byte, 4096)), "a record from none that leads"},
				"a record of 200 MB":  {lying(opRecord, 0, 200<<20), "a value of 209715200 bytes, 65536 at most"},
				"after a good one":    {append(request(opGet, "key", nil), "garbage and more of it"...), "not a request"},
				"half, then nonsense": {append(request(opUpsert, "key", []byte("value"))[:20], make([]byte, 50)...), "not a request"},
			} {
				conn := s.dial()
				_, err := conn.Write(c.bytes)
				require.NoError(t, err)
				status, said := s.answer(conn)
				for status != 2 {
					status, said = s.answer(conn)
				}
				require.Equal(t, c.says, said, name)
				// Answers of other workers may come after it; then the end.
				_, _ = io.Copy(io.Discard, conn)
				require.Contains(t, s.said(), "kv-server: client: "+c.says+"\n")
				s.works("after")
			}
			// Refused, but no reason to part.
			conn := s.dial()
			for _, c := range []struct {
				op   byte
				says string
			}{{opFollow, "an operation without its operand"}, {opFill, "an operation without its operand"}} {
				_, err := conn.Write(request(c.op, "", []byte("x")))
				require.NoError(t, err)
				status, said := s.answer(conn)
				require.Equal(t, byte(2), status)
				require.Equal(t, c.says, said)
			}
			_, err := conn.Write(request(opFollow, "", make([]byte, 16)))
			require.NoError(t, err)
			_, said := s.answer(conn)
			require.Equal(t, "this node does not follow (start it with -follow)", said)
			s.stop()
			e := run(t, gnuServer(t), "-replay", "-dir", dir)
			require.Zero(t, e.code, e.stderr)
			require.Contains(t, e.stdout, "entries: 12, keys: 2\n", "eleven after, and the one that nonsense made whole")
		})
	}
}

// Half a request waits for its other half, or is nothing.
func TestHalfARequest(t *testing.T) {
	for _, manner := range manners {
		t.Run(manner, func(t *testing.T) {
			dir := t.TempDir()
			s := serve(t, manner, "-dir", dir)
			whole := request(opUpsert, "whole", []byte(strings.Repeat("v", 5000)))
			for _, n := range []int{0, 1, head - 1, head, head + 3, head + 5, 4096, len(whole) - 1} {
				left, waits := s.dial(), s.dial()
				_, err := left.Write(whole[:n])
				require.NoError(t, err)
				_, err = waits.Write(whole[:n])
				require.NoError(t, err)
				left.Close()
				s.works("other")
				_, err = waits.Write(whole[n:])
				require.NoError(t, err)
				status, _ := s.answer(waits)
				require.Zero(t, status)
			}
			// Many at once, byte by byte.
			c := s.dial()
			for _, b := range append(append([]byte{}, whole[:100]...), whole[100:]...)[:200] {
				_, err := c.Write([]byte{b})
				require.NoError(t, err)
			}
			_, err := c.Write(append(append([]byte{}, whole[200:]...), append(append([]byte{}, whole...), whole...)...))
			require.NoError(t, err)
			for range 3 {
				status, _ := s.answer(c)
				require.Zero(t, status)
			}
			s.stop()
			e := run(t, gnuServer(t), "-replay", "-dir", dir)
			require.Contains(t, e.stdout, fmt.Sprintf("entries: %d, keys: 2\n", 8+8+3))
		})
	}
}

// Random bytes, half of them behind a good head, from many clients that leave without a word.
func TestNoise(t *testing.T) {
	for _, manner := range manners {
		t.Run(manner, func(t *testing.T) {
			s := serve(t, manner, "-dir", t.TempDir())
			random := rand.New(rand.NewPCG(1, 2))
			for i := range 300 {
				c := s.dial()
				b := make([]byte, random.IntN(3000))
				for j := range b {
					b[j] = byte(random.Uint32())
				}
				if i%2 == 0 {
					op := byte(random.IntN(10))
					if op == opStop {
						op = opGet
					}
					b = append(lying(op, uint16(random.IntN(1500)), uint32(random.IntN(4000))), b...)
				}
				_, _ = c.Write(b)
				c.Close()
			}
			s.works("still")
			s.stop()
		})
	}
}

// A client that asks and does not read the answers is dropped before they fill the memory.
func TestClientThatDoesNotRead(t *testing.T) {
	s := serve(t, "-workers 2", "-dir", t.TempDir())
	c := s.dial()
	_, err := c.Write(request(opUpsert, "key", make([]byte, 65536)))
	require.NoError(t, err)
	s.answer(c)
	ask := []byte(strings.Repeat(string(request(opGet, "key", nil)), 100))
	for err == nil {
		_, err = c.Write(ask)
	}
	require.False(t, errors.Is(err, os.ErrDeadlineExceeded), "it is still connected")
	s.works("other")
	s.stop()
}

// Nor may it ask without end.
func TestTooManyRequestsAtOnce(t *testing.T) {
	s := serve(t, "-workers 1 -wait-us 1000", "-dir", t.TempDir())
	c := s.dial()
	_, err := c.Write([]byte(strings.Repeat(string(request(opUpsert, "key", []byte("value"))), 2000)))
	require.NoError(t, err)
	status, said := s.answer(c)
	for status == 0 {
		status, said = s.answer(c)
	}
	require.Equal(t, "more than 1024 requests at once", said)
	s.works("other")
	s.stop()
}

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	e := load(t, gnuServer(t), "-port", port)
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-server: listen on port "+port+": port in use (another -port, or 0 for any)\nkv-client: node 1 did not start\n", e.stderr)
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	e := run(t, gnuServer(t), "-dir", dir+"/none")
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-server: open "+dir+"/none: no such directory (make it first)\n", e.stderr)
	e = run(t, client(t), "-server", gnuServer(t), "-dir", dir+"/none")
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-client: make a directory in "+dir+"/none: No such file or directory\n", e.stderr)

	require.NoError(t, os.WriteFile(dir+"/file", nil, 0o666))
	e = run(t, gnuServer(t), "-dir", dir+"/file")
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-server: open "+dir+"/file: Not a directory\n", e.stderr)

	s := serve(t, "", "-dir", dir)
	e = run(t, gnuServer(t), "-dir", dir)
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-server: "+dir+": another node uses it (each needs a directory of its own)\n", e.stderr)
	s.stop()

	e = run(t, gnuServer(t), "-replay", "-dir", t.TempDir())
	require.Equal(t, 1, e.code)
	require.Regexp(t, `: no log there\n$`, e.stderr)
}

// Read-only and full, on file systems of one's own.
func TestReadOnlyAndFullDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ mount, says string }{
		"read-only": {`mount -t tmpfs -o ro kv "$0"`, "read-only file system"},
		"full":      {`mount -t tmpfs -o size=64k kv "$0" && { cat /dev/zero >"$0/filler" 2>&1 || true; }`, "no space left on device"},
	} {
		t.Run(name, func(t *testing.T) {
			if said, err := exec.Command("unshare", "-rm", "sh", "-c", c.mount, dir).CombinedOutput(); err != nil {
				t.Skipf("no mount of one's own: %v: %s", err, said)
			}
			e := run(t, "unshare", "-rm", "sh", "-c", c.mount+` >/dev/null 2>&1; "$1" -dir "$0"`, dir, gnuServer(t))
			require.Equal(t, 1, e.code)
			require.Equal(t, "kv-server: create "+dir+"/log.0: "+c.says+"\n", e.stderr)
		})
	}
}

// Too many clients are told before anything starts; the soft limit is raised first.
func TestDescriptors(t *testing.T) {
	dir := t.TempDir()
	args := words("-clients 1536 -n 3000 -server", gnuServer(t), "-dir", dir)
	e := run(t, "sh", append([]string{"-c", `ulimit -n 1024; exec "$0" "$@"`, client(t)}, args...)...)
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-client: 1536 clients need 1570 open files, the limit is 1024 (ulimit -n 1570)\n", e.stderr)
	require.Empty(t, glob(t, dir, "*"))

	e = run(t, "sh", "-c", `ulimit -n 256; exec "$0" -clients 300 -dir "$1"`, gnuServer(t), dir)
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-server: 300 clients need 332 open files, the limit is 256 (ulimit -n 332)\n", e.stderr)

	e = run(t, "sh", append([]string{"-c", `ulimit -S -n 100 && exec "$0" "$@"`, client(t)}, words("-clients 200 -n 400 -server", gnuServer(t), "-dir", dir)...)...)
	metrics(t, e)
}

// A server without a descriptor left serves the clients that it has.
func TestDescriptorsRunOut(t *testing.T) {
	s := limited(t, "ulimit -n 40", "")
	first := s.dial()
	var more []net.Conn
	for range 60 {
		more = append(more, s.dial())
	}
	_, err := first.Write(request(opUpsert, "key", []byte("value")))
	require.NoError(t, err)
	status, _ := s.answer(first)
	require.Zero(t, status)
	for _, c := range more {
		c.Close()
	}
	s.works("again")
	require.Contains(t, s.said(), "kv-server: accept: too many open files (ulimit -n)\n")
	s.stop()
}

// The server raises its own soft limit, and lives through the signal of a file's.
func TestLimitsOfTheServerAlone(t *testing.T) {
	s := limited(t, "ulimit -S -n 40", "-clients 80")
	for range 80 {
		c := s.dial()
		_, err := c.Write(request(opUpsert, "key", []byte("value")))
		require.NoError(t, err)
		status, _ := s.answer(c)
		require.Zero(t, status)
	}
	s.stop()

	s = limited(t, "ulimit -f 40", "")
	c := s.dial()
	status, said := byte(0), ""
	for range 10 {
		_, err := c.Write(request(opUpsert, "key", []byte("value")))
		require.NoError(t, err)
		status, said = s.answer(c)
	}
	require.Equal(t, byte(2), status)
	require.Contains(t, said, "file too large")
	s.stop()
}

// Nobody asks for a clock that can step: neither by name nor through a wait that takes one.
func TestOnlyTheMonotonicClock(t *testing.T) {
	forbidden := regexp.MustCompile(`CLOCK_REALTIME|\b(gettimeofday|time|ftime|pthread_cond_timedwait|pthread_mutex_timedlock|sem_timedwait)\(`)
	files, err := filepath.Glob("*/*.[ch]")
	require.NoError(t, err)
	n := 0
	for _, f := range files {
		if strings.HasPrefix(f, "testdata") {
			continue
		}
		n++
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		require.Nil(t, forbidden.Find(text), f)
	}
	require.Greater(t, n, 15)
}

// Followers and leaders that do not fit.
func TestFollowers(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"1", "2", "3"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, d), 0o777))
	}
	plain := serve(t, "", "-dir", dir+"/1")
	e := run(t, gnuServer(t), "-dir", dir+"/2", "-peers", plain.port)
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-server: reach node 2 at port "+plain.port+": this node does not follow (start it with -follow)\n", e.stderr)
	plain.works("one")
	plain.stop()

	follower := serve(t, "-follow", "-dir", dir+"/2")
	e = run(t, gnuServer(t), "-dir", dir+"/1", "-peers", follower.port)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.stderr, "the follower's log ends elsewhere\n")
	require.Contains(t, follower.said(), "the leader's next record is 1, here it is 0 (start all nodes with the same log, or none)\n")
	c := follower.dial()
	_, err := c.Write(request(opUpsert, "key", []byte("value")))
	require.NoError(t, err)
	_, said := follower.answer(c)
	require.Equal(t, "this node follows (ask the leader)", said)

	// From a leader, but not the next record.
	_, err = c.Write(request(opFollow, "", make([]byte, 16)))
	require.NoError(t, err)
	status, _ := follower.answer(c)
	require.Zero(t, status)
	for _, bad := range [][]byte{nil, make([]byte, 10), make([]byte, 4096), make([]byte, 1<<20)} {
		_, err = c.Write(request(opRecord, "", bad))
		require.NoError(t, err)
		status, said = follower.answer(c)
		require.Equal(t, byte(2), status)
		require.Equal(t, "not the next record", said)
	}
	follower.stop()

	e = run(t, gnuServer(t), "-dir", dir+"/3", "-peers", "1")
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-server: reach node 2 at port 1: Connection refused\n", e.stderr)
}

// With both followers gone there is no majority: nothing is acknowledged that only one node has.
func TestNoMajority(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"1", "2", "3"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, d), 0o777))
	}
	two, three := serve(t, "-follow", "-dir", dir+"/2"), serve(t, "-follow", "-dir", dir+"/3")
	leader := serve(t, "-peers", two.port+","+three.port, "-dir", dir+"/1")
	leader.works("three")
	require.NoError(t, two.cmd.Process.Kill())
	two.cmd.Wait()
	leader.works("two")
	require.NoError(t, three.cmd.Process.Kill())
	three.cmd.Wait()
	c := leader.dial()
	for range 2 {
		_, err := c.Write(request(opUpsert, "key", []byte("value")))
		require.NoError(t, err)
		status, said := leader.answer(c)
		require.Equal(t, byte(2), status)
		require.Equal(t, "replicate: no majority of the nodes is left; nothing is acknowledged any more", said)
	}
	require.Contains(t, leader.said(), "2 of 3 nodes left, going on\n")
	require.Contains(t, leader.said(), "1 of 3 nodes left\n")
	leader.stop()
}

func TestUsage(t *testing.T) {
	for _, program := range []string{gnuServer(t), client(t)} {
		e := run(t, program, "-h")
		require.Zero(t, e.code)
		require.Regexp(t, `^usage: kv-`, e.stdout)
		for _, args := range []string{"", "-nonsense", "-port", "-port x", "-port 70000", "-clients -1 -dir .", "-dir . stray", "-dir . -commit both"} {
			e := run(t, program, strings.Fields(args)...)
			require.Equal(t, 2, e.code, args)
			require.NotEmpty(t, e.stderr)
		}
	}
	for args, says := range map[string]string{
		"-nodes 2":          "-nodes 2: with two, one that dies takes the majority along (-h lists the flags)",
		"-reads 50":         "-reads without -filled: nothing would be found (-h lists the flags)",
		"-kill follower":    "-kill follower without -nodes 3 (-h lists the flags)",
		"-pin-client 0-":    "not a list of CPUs:  (-h lists the flags)",
		"-value 65537":      "-value 65537: not a number from 8 to 65536",
		"-order descending": "-order descending: no such choice (-h lists them)",
	} {
		e := load(t, "server", args)
		require.Equal(t, 2, e.code)
		require.Equal(t, "kv-client: "+says+"\n", e.stderr)
	}
	e := load(t, "/nonexistent", "-n 10")
	require.Equal(t, 1, e.code)
	require.Equal(t, "kv-client: start node 1: /nonexistent: No such file or directory\nkv-client: node 1 did not start\n", e.stderr)
}
