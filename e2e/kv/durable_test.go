package kv

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const block = 4096

// kept runs the client and leaves the nodes' directories and what was acknowledged in dir.
func kept(t *testing.T, dir, flags string) end {
	t.Helper()
	return run(t, client(t), words(flags, "-server", gnuServer(t), "-dir", dir, "-keep", "-acked", filepath.Join(dir, "acked"))...)
}

func node(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("node%d", n)) }

func replay(t *testing.T, dir string, n int) end {
	t.Helper()
	return run(t, gnuServer(t), "-replay", "-dir", node(dir, n), "-acked", filepath.Join(dir, "acked"))
}

var entries = regexp.MustCompile(`(?m)^entries: (\d+), keys: (\d+)$`)

// holds fails unless all that was acknowledged is in a node's log, and returns how much is in it.
func holds(t *testing.T, dir string, n int) (logged int) {
	t.Helper()
	e := replay(t, dir, n)
	require.Zero(t, e.code, e.stderr)
	acked, err := os.ReadFile(filepath.Join(dir, "acked"))
	require.NoError(t, err)
	require.Contains(t, e.stdout, fmt.Sprintf("acknowledged: %d, missing: 0\n", strings.Count(string(acked), "\n")))
	m := entries.FindStringSubmatch(e.stdout)
	require.NotNil(t, m, e.stdout)
	logged, err = strconv.Atoi(m[1])
	require.NoError(t, err)
	return logged
}

func TestReplayFindsAllThatWasAcknowledged(t *testing.T) {
	for _, flags := range []string{"", "-commit serial -workers 0", "-thread-a-client", "-workers 0", "-order hot -keys 40",
		"-snapshot 100", "-nodes 3", "-nodes 3 -snapshot 70 -order uniform -keys 50", "-filled -keys 500 -reads 50", "-value 65536 -n 100"} {
		t.Run(flags, func(t *testing.T) {
			dir := t.TempDir()
			_, v := metrics(t, kept(t, dir, "-n 1000 "+flags))
			nodes := 1
			if strings.Contains(flags, "-nodes 3") {
				nodes = 3
			}
			for n := 1; n <= nodes; n++ {
				logged := holds(t, dir, n)
				if strings.Contains(flags, "-snapshot") {
					require.Less(t, logged, 1000, "the logs before the snapshot are gone")
					require.NotEmpty(t, glob(t, node(dir, n), "snapshot.*"))
				} else if flags == "" {
					require.Equal(t, 1000, logged)
				}
			}
			require.Positive(t, v["n"])
			if nodes == 1 {
				// A start finds it, goes on after it, and loses nothing of either.
				before, err := os.ReadFile(filepath.Join(dir, "acked"))
				require.NoError(t, err)
				_, _ = metrics(t, kept(t, dir, "-n 300 -order uniform -keys 5000"))
				holds(t, dir, 1)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "acked"), before, 0o666))
				holds(t, dir, 1)
			}
		})
	}
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	return files
}

// -replay does see what is missing.
func TestReplayMissesWhatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	metrics(t, kept(t, dir, "-n 50"))
	key := fmt.Sprintf("/libcost/kv/tables/%016x", 7)
	for name, c := range map[string]struct{ line, says string }{
		"another key":     {"3 4 nowhere", "op 3: nowhere, version 4, was acknowledged and is not there"},
		"a later version": {"7 60000 " + key, "op 7: " + key + ", version 60000, was acknowledged; version "},
		"another op":      {"", "was acknowledged; version "},
		"no line":         {"7 8", "acked:51: not an acknowledged upsert"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "acked")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			defer os.WriteFile(file, text, 0o666)
			changed := string(text) + c.line + "\n"
			if c.line == "" {
				changed = regexp.MustCompile(`(?m)^7 `).ReplaceAllString(string(text), "8 ")
			}
			require.NoError(t, os.WriteFile(file, []byte(changed), 0o666))
			e := replay(t, dir, 1)
			require.Equal(t, 1, e.code)
			require.Contains(t, e.stderr, c.says)
		})
	}
}

// logged makes a log of n records of one upsert each.
func logged(t *testing.T, n int, flags string) (dir, file string, log []byte) {
	t.Helper()
	dir = t.TempDir()
	metrics(t, kept(t, dir, fmt.Sprintf("-n %d -clients 1 -commit serial -workers 0 %s", n, flags)))
	file = glob(t, node(dir, 1), "log.*")[0]
	log, err := os.ReadFile(file)
	require.NoError(t, err)
	return dir, file, log
}

// Each byte of a record, its padding included: changed in the middle the log is corrupt there, at the end it is torn.
func TestEachByteOfARecordCounts(t *testing.T) {
	const n = 5
	dir, file, log := logged(t, n, "")
	require.Len(t, log, (1+n)*block)
	for _, c := range []struct {
		record, code, entries int
		says                  string
	}{
		{2, 1, 0, "record 2 at byte 12288 is corrupt, and whole ones follow"},
		{n - 1, 1, n - 1, "record 4 at byte 20480 is torn: the log ends before it"},
	} {
		step := 1
		for i := 0; i < block; i += step {
			if i > 64+16+35+64 {
				step = 61
			}
			changed := append([]byte{}, log...)
			changed[(1+c.record)*block+i] ^= 1 << (i % 8)
			require.NoError(t, os.WriteFile(file, changed, 0o666))
			e := replay(t, dir, 1)
			require.Equal(t, c.code, e.code, "byte %d", i)
			require.Contains(t, e.stderr, c.says, "byte %d", i)
			if c.entries > 0 {
				require.Contains(t, e.stdout, fmt.Sprintf("entries: %d, keys: %d\n", c.entries, c.entries))
				require.Contains(t, e.stderr, "op 4: ", "the last was acknowledged")
			}
		}
	}
	require.NoError(t, os.WriteFile(file, log, 0o666))
	holds(t, dir, 1)
}

// A server does not start on a corrupt log, and cuts off a torn record.
func TestStartOnABrokenLog(t *testing.T) {
	dir, file, log := logged(t, 6, "")
	corrupt := append([]byte{}, log...)
	corrupt[3*block+100]++
	require.NoError(t, os.WriteFile(file, corrupt, 0o666))
	e := kept(t, dir, "-n 10")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.stderr, "node1/log.0: record 2 at byte 12288 is corrupt, and whole ones follow\n")
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, corrupt, now)

	// Longer than what comes after it: what is not cut off would be there still.
	torn := append(append([]byte{}, log[:6*block+123]...), make([]byte, 5*block)...)
	require.NoError(t, os.WriteFile(file, torn, 0o666))
	e = kept(t, dir, "-n 2 -clients 1 -order uniform -commit serial -workers 0")
	require.Zero(t, e.code, e.stderr)
	require.Contains(t, e.stderr, "record 5 at byte 24576 is torn: the log ends before it\n")
	require.Equal(t, 5+2, holds(t, dir, 1))
	now, err = os.ReadFile(file)
	require.Len(t, now, (1+5+2)*block)
	require.NoError(t, err)
	require.Equal(t, log[:6*block], now[:6*block])
}

// Records of several blocks, cut at each place and with each block lost.
func TestTornRecord(t *testing.T) {
	dir, file, log := logged(t, 3, "-value 20000")
	const size = 5 * block
	require.Len(t, log, block+3*size)
	check := func(changed []byte, torn bool, entries int) {
		t.Helper()
		require.NoError(t, os.WriteFile(file, changed, 0o666))
		e := replay(t, dir, 1)
		require.Equal(t, torn, strings.Contains(e.stderr, "is torn: the log ends before it"), e.stderr)
		require.Contains(t, e.stdout, fmt.Sprintf("entries: %d, ", entries))
	}
	for end := block; end <= len(log); end += 509 {
		check(log[:end], (end-block)%size != 0, (end-block)/size)
	}
	for b := 1 + 2*5; b < 1+3*5; b++ {
		changed := append([]byte{}, log...)
		clear(changed[b*block : (b+1)*block])
		check(changed, true, 2)
		copy(changed[b*block:], changed[block:2*block])
		check(changed, true, 2)
	}
	// What a run before left behind the end is not read as a part of this one.
	check(append(append([]byte{}, log[:block+2*size]...), log[block:block+size]...), true, 2)
	check(append(append([]byte{}, log...), make([]byte, block)...), true, 3)
	_, _, other := logged(t, 5, "-snapshot 3 -value 20000")
	check(append(append([]byte{}, log...), other[block:]...), true, 3)
}

// The log's checksum, after wire_sum.
func sum(p []byte, seed uint64) uint64 {
	mix := func(v uint64) uint64 {
		v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
		v = (v ^ v>>27) * 0x94d049bb133111eb
		return v ^ v>>31
	}
	lane := [4]uint64{seed ^ uint64(len(p)), seed + 1, seed + 2, seed + 3}
	for i := 0; i+8 <= len(p); i += 8 {
		l := &lane[i/8%4]
		*l = (*l ^ binary.NativeEndian.Uint64(p[i:])) * 0x9e3779b97f4a7c15
		*l ^= *l >> 32
	}
	return mix(lane[0] ^ mix(lane[1]^mix(lane[2]^mix(mix(lane[3])))))
}

// Of two values the later version stays, whichever comes first in the log: threads may append in another order than that
// of the map. The reader must also take only what entries a record says it has.
func TestOrderOfEntries(t *testing.T) {
	dir, file, log := logged(t, 2, "-order hot -keys 1")
	const magic, entry = 0x64726f6365722d6b, 64
	version := func(record int, v uint64) {
		p := log[(1+record)*block : (2+record)*block]
		binary.NativeEndian.PutUint64(p[entry:], v)
		clear(p[56:64])
		binary.NativeEndian.PutUint64(p[56:], sum(p[64:], sum(p[:64], magic)))
	}
	version(0, 9)
	version(1, 4)
	require.NoError(t, os.WriteFile(file, log, 0o666))
	key := fmt.Sprintf("/libcost/kv/tables/%016x", 0)
	acked := filepath.Join(dir, "acked")
	require.NoError(t, os.WriteFile(acked, []byte("0 9 "+key+"\n1 4 "+key+"\n"), 0o666))
	require.Equal(t, 2, holds(t, dir, 1))
	require.NoError(t, os.WriteFile(acked, []byte("1 9 "+key+"\n"), 0o666))
	e := replay(t, dir, 1)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.stderr, "version 9 of op 0 is there\n")
}

// The first block: another program's file, another version, another generation, a changed byte.
func TestFirstBlock(t *testing.T) {
	dir, file, log := logged(t, 3, "")
	for name, c := range map[string]struct {
		change func([]byte) []byte
		says   string
	}{
		"empty":        {func(b []byte) []byte { return nil }, "not a log of this program"},
		"short":        {func(b []byte) []byte { return b[:20] }, "not a log of this program"},
		"other magic":  {func(b []byte) []byte { b[3]++; return b }, "not a log of this program"},
		"version 2":    {func(b []byte) []byte { binary.NativeEndian.PutUint64(b[8:], 2); return b }, "a log of version 2, this program reads 1 (start with an empty directory)"},
		"kind":         {func(b []byte) []byte { b[16]++; return b }, "its first block is corrupt"},
		"generation":   {func(b []byte) []byte { b[24]++; return b }, "its first block is corrupt"},
		"first record": {func(b []byte) []byte { b[32]++; return b }, "its first block is corrupt"},
		"sum":          {func(b []byte) []byte { b[40]++; return b }, "its first block is corrupt"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, c.change(append([]byte{}, log...)), 0o666))
			e := replay(t, dir, 1)
			require.Equal(t, 1, e.code)
			require.Equal(t, "kv-server: "+file+": "+c.says+"\n", e.stderr)
			e = kept(t, dir, "-n 10")
			require.Equal(t, 1, e.code)
			require.Equal(t, "kv-server: "+file+": "+c.says+"\nkv-client: node 1 did not start\n", e.stderr)
		})
	}
}

// A file that a snapshot made needless may be missing, one that is needed not.
func TestMissingFile(t *testing.T) {
	dir := t.TempDir()
	metrics(t, kept(t, dir, "-n 400 -snapshot 100"))
	snapshots := glob(t, node(dir, 1), "snapshot.*")
	require.Len(t, snapshots, 1)
	text, err := os.ReadFile(snapshots[0])
	require.NoError(t, err)

	text[2*block-1] ^= 1
	require.NoError(t, os.WriteFile(snapshots[0], text, 0o666))
	e := replay(t, dir, 1)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.stderr, "record 0 at byte 4096 is corrupt\n")

	require.NoError(t, os.Remove(snapshots[0]))
	e = replay(t, dir, 1)
	require.Equal(t, 1, e.code)
	require.Regexp(t, `neither the snapshot nor the logs before log\.\d+ are there\n`, e.stderr)
}

// A log whose predecessor's end is gone.
func TestMissingRecords(t *testing.T) {
	dir := t.TempDir()
	metrics(t, kept(t, dir, "-n 40 -clients 1 -commit serial -workers 0"))
	first, err := os.ReadFile(filepath.Join(node(dir, 1), "log.0"))
	require.NoError(t, err)
	other := t.TempDir()
	metrics(t, kept(t, other, "-n 60 -clients 1 -commit serial -workers 0 -snapshot 50"))
	require.NoError(t, os.Remove(glob(t, node(other, 1), "snapshot.1")[0]))
	require.NoError(t, os.WriteFile(filepath.Join(node(other, 1), "log.0"), first, 0o666))
	e := replay(t, other, 1)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.stderr, "node1/log.1 begins with record 50, the one before ended before 40\n")
}

// kills is how many moments the kill test takes.
func kills(t *testing.T) int {
	text := os.Getenv("LIBCOST_KILLS")
	if text == "" {
		return 5
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "LIBCOST_KILLS")
	return n
}

// One node or all of them die of SIGKILL at a random moment: every acknowledged upsert is in each log that must have it.
func TestKill(t *testing.T) {
	modes := []string{"-workers 4", "-thread-a-client", "-commit serial -workers 0", "-workers 0", "-snapshot 60", "-workers 2 -threads 2"}
	victims := []string{"leader", "all", "follower"}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for i := range kills(t) {
		who, mode := victims[i%3], modes[random.IntN(len(modes))]
		nodes := 1 + 2*random.IntN(2)
		if who == "follower" {
			nodes = 3
		}
		const n = 2000
		after := 1 + random.IntN(n-500)
		flags := fmt.Sprintf("-n %d -nodes %d -kill %s -kill-after %d -kill-delay %d -clients %d -order uniform -keys 500 %s", n, nodes, who,
			after, random.IntN(3000), 1+random.IntN(40), mode)
		t.Run(flags, func(t *testing.T) {
			dir := t.TempDir()
			e := kept(t, dir, flags)
			require.Zero(t, e.code, e.stderr)
			var acked int
			_, err := fmt.Sscanf(e.stdout, "acknowledged: %d\n", &acked)
			require.NoError(t, err)
			require.GreaterOrEqual(t, acked, after)
			for k := 1; k <= nodes; k++ {
				if who == "follower" && k == 2 {
					// It has what it had, and nothing broken before.
					dead := run(t, gnuServer(t), "-replay", "-dir", node(dir, k))
					require.Zero(t, dead.code, dead.stderr)
					continue
				}
				holds(t, dir, k)
			}
			if who == "follower" && acked == n && strings.Contains(e.stderr, "gone") {
				require.Regexp(t, `node 2 is gone \(.*\): 2 of 3 nodes left, going on\n`, e.stderr)
			}
			if nodes == 1 {
				// It starts again and goes on.
				require.NoError(t, os.Rename(filepath.Join(dir, "acked"), filepath.Join(dir, "before")))
				metrics(t, kept(t, dir, "-n 100 -order uniform"))
				holds(t, dir, 1)
				require.NoError(t, os.Rename(filepath.Join(dir, "before"), filepath.Join(dir, "acked")))
				holds(t, dir, 1)
			}
		})
	}
}

// The leader tells which follower it lost, and goes on with two nodes of three.
func TestFollowerKilled(t *testing.T) {
	for _, mode := range []string{"-workers 4", "-thread-a-client", "-commit serial -workers 0"} {
		dir := t.TempDir()
		e := kept(t, dir, "-n 3000 -nodes 3 -clients 8 -kill follower -kill-after 100 "+mode)
		require.Zero(t, e.code, e.stderr)
		require.Equal(t, "acknowledged: 3000\n", e.stdout)
		require.Regexp(t, `^kv-server: node 2 is gone \(.+\): 2 of 3 nodes left, going on\n$`, e.stderr)
		require.Equal(t, 3000, holds(t, dir, 1))
		require.Equal(t, 3000, holds(t, dir, 3))
		dead := run(t, gnuServer(t), "-replay", "-dir", node(dir, 2))
		require.Zero(t, dead.code, dead.stderr)
		lost := replay(t, dir, 2)
		require.Equal(t, 1, lost.code, "the check sees that the dead one lacks what came later")
	}
}

// full checks what a run on a disk that fills up said, and that what it acknowledged is there.
func full(t *testing.T, e end, dir, why string) {
	t.Helper()
	require.Equal(t, 1, e.code)
	require.Contains(t, e.stderr, "kv-server: write "+node(dir, 1)+"/log.0: "+why+"; nothing is acknowledged any more\n")
	require.Contains(t, e.stderr, "kv-client: the server: write "+node(dir, 1)+"/log.0: "+why)
	require.Regexp(t, `kv-client: \d+ requests were answered with an error\n$`, e.stderr)
	logged := holds(t, dir, 1)
	require.Positive(t, logged)
	log, err := os.Stat(filepath.Join(node(dir, 1), "log.0"))
	require.NoError(t, err)
	require.Zero(t, log.Size()%block, "half a record is cut off")
}

func TestFileLimit(t *testing.T) {
	for _, mode := range []string{"-commit serial -workers 0", "-workers 4", "-thread-a-client"} {
		dir := t.TempDir()
		args := words("-n 5000 -clients 8 -value 3000 "+mode, "-server", gnuServer(t), "-dir", dir, "-keep", "-acked", dir+"/acked")
		// 1000 KiB, in blocks of 512 bytes: not a multiple of a block of the log.
		e := run(t, "sh", append([]string{"-c", `ulimit -f 2001; exec "$0" "$@"`, client(t)}, args...)...)
		full(t, e, dir, "file too large (the limit of its size is reached: ulimit -f)")
	}
}

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	mount := `mount -t tmpfs -o size=1m kv "$KV_DIR" && mkdir "$KV_DIR/node1" && `
	keep := `; code=$?; cp -r "$KV_DIR" "$KV_DIR.kept"; exit $code`
	t.Setenv("KV_DIR", dir)
	if said, err := exec.Command("unshare", "-rm", "sh", "-c", mount+"true").CombinedOutput(); err != nil {
		t.Skipf("no mount of one's own: %v: %s", err, said)
	}
	defer os.RemoveAll(dir + ".kept")
	args := words("-n 5000 -clients 8 -value 3000", "-server", gnuServer(t), "-dir", dir, "-keep", "-acked", filepath.Join(t.TempDir(), "acked"))
	e := run(t, "unshare", append([]string{"-rm", "sh", "-c", mount + `"$0" "$@"` + keep, client(t)}, args...)...)
	require.NoError(t, os.Rename(args[len(args)-1], dir+".kept/acked"))
	e.stderr = strings.ReplaceAll(e.stderr, dir, dir+".kept")
	full(t, e, dir+".kept", "no space left on device")
}
