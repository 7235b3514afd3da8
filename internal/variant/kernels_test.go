package variant

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKernelsInEachVariant runs each room's own tests, and each row of the
// plain workers, in every libc, linkage and part: a kernel that works in
// one and not in the other measures two different things.
func TestKernelsInEachVariant(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds thirteen variants")
	}
	needsMusl(t)
	for _, name := range measured() {
		t.Run(name, func(t *testing.T) {
			b := &Builder{Root: project(t), Say: func(line string) { t.Log(line) }}
			v := mustParse(t, name)
			needsPart(t, b, v)
			built, err := b.Build(v)
			require.NoError(t, err)
			for _, room := range Rooms {
				if !touches(v, room) {
					continue
				}
				t.Run(room, func(t *testing.T) {
					runTests(t, built[0], room)
					runPlainRows(t, built[0], room)
				})
			}
		})
	}
}

// touches says whether a variant's parts are reached by a room's kernels; a
// variant without parts is another libc for all of them.
func touches(v Variant, room string) bool {
	rooms := map[string][]string{"mimalloc": {"alloc", "cgo"}, "jemalloc": {"alloc", "cgo"}, "memops": {"memops", "stdlib"}, "locks": {"syscalls", "fsync"}}
	return len(v.Parts) == 0 || slices.ContainsFunc(v.Parts, func(p string) bool { return slices.Contains(rooms[p], room) })
}

// measured are each libc linked both ways, alone and with the parts of swap/
// together; with each allocator where it is static, and the pair that a server
// was reported with.
func measured() []string {
	var names []string
	for _, libc := range Libcs {
		for _, linkage := range []string{"", "-dynamic"} {
			names = append(names, libc+linkage, libc+linkage+"+"+strings.Join(Swaps, "+"))
		}
		for _, allocator := range Allocators {
			names = append(names, libc+"+"+allocator)
		}
	}
	return append(names, "gnu-dynamic+jemalloc")
}

// runTests runs the kernels' test of a room where its package lies, as go test
// would: in short, without rows that are one of many or take much memory. The
// rest of the room's tests compile C themselves, for both libcs.
func runTests(t *testing.T, built *Built, room string) {
	t.Helper()
	cmd := exec.Command(built.Binary(Row{Room: room}), "-test.v", "-test.timeout=5m", "-test.short", "-test.run=^TestKernels$")
	cmd.Dir = filepath.Join(project(t), room)
	cmd.Env = append(slices.Clone(built.Variant.Env), "GOMAXPROCS=1", "TMPDIR="+t.TempDir(), "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", lastLines(string(out), 60))
	require.Contains(t, string(out), "--- PASS: ", "no test ran")
	for _, skip := range regexp.MustCompile(`(?m)^.*\n *--- SKIP.*$`).FindAllString(string(out), -1) {
		t.Log(skip)
	}
}

// runPlainRows runs each row of a room's plain worker once.
func runPlainRows(t *testing.T, built *Built, room string) {
	t.Helper()
	for _, row := range built.Rows {
		if row.Room != room || !row.Plain {
			continue
		}
		out := output(t, built.Binary(row), "-sample", row.Name, "-n", "100", "-dir", t.TempDir())
		assert.Equal(t, 2, strings.Count(out, "\n"), out)
		assert.True(t, strings.HasPrefix(out, fmt.Sprintf("Benchmark%s\t100\t", row.Name)), out)
	}
}
