package variant

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree copies what a build reads into a directory of its own, whose name holds
// a space, with one tiny room in place of the real ones. lines are what the
// builder said.
func tree(t *testing.T) (b *Builder, lines *[]string) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a tree")
	for _, pattern := range []string{"go.mod", "go.sum", "internal/gang/*.[ch]", "internal/gang/*.go", "internal/gang/plain/*.c", "internal/attest/*.[ch]", "swap/*/*.[ch]", "internal/attest/*.go"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		require.NoError(t, err)
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") && !strings.Contains(f, "testdata") {
				put(t, filepath.Join(root, strings.TrimPrefix(f, "../..")), read(t, f))
			}
		}
	}
	require.NoError(t, os.CopyFS(filepath.Join(root, "tiny"), os.DirFS("testdata/tiny")))
	rooms := Rooms
	Rooms = []string{"tiny"}
	t.Cleanup(func() { Rooms = rooms })
	lines = new([]string)
	return &Builder{Root: root, Say: func(line string) { *lines = append(*lines, line) }}, lines
}

// toy gives a tree an allocator for the name mimalloc: enough to run on, and to
// attest as version 9.8.7.
func toy(t *testing.T, root, source string) {
	t.Helper()
	dir := filepath.Join(root, "sources of toys", "mimalloc-9.8.7")
	put(t, filepath.Join(dir, "src", "static.c"), source)
	put(t, filepath.Join(dir, "include", "toy.h"), "")
	put(t, filepath.Join(root, "scripts", "setup"), fmt.Sprintf("#!/bin/sh\necho fetching the source of $1\necho '%s'\n", dir))
	require.NoError(t, os.Chmod(filepath.Join(root, "scripts", "setup"), 0o777))
}

const toyVersion = "int mi_version(void) { return 987; }\n"

// A heap that only grows; each block's size stands before it.
const toyAllocator = toyVersion + `
typedef __SIZE_TYPE__ size_t;
static char heap[64 << 20];
static size_t used;
void *memalign(size_t align, size_t n)
{
	size_t at = __atomic_fetch_add(&used, 16 + align + n, __ATOMIC_RELAXED) + 16;
	char *p = heap + (at + align - 1) / align * align;
	((size_t *)p)[-1] = n;
	return p;
}
void *aligned_alloc(size_t align, size_t n) { return memalign(align, n); }
int posix_memalign(void **p, size_t align, size_t n) { return !(*p = memalign(align, n)); }
void *malloc(size_t n) { return memalign(16, n); }
void *calloc(size_t a, size_t b) { return memalign(16, a * b); }
void free(void *p) { (void)p; }
void *realloc(void *old, size_t n)
{
	char *p = malloc(n), *q = old;
	for (size_t i = 0; q && i < n && i < ((size_t *)q)[-1]; i++) p[i] = q[i];
	return p;
}
`

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// edit replaces one piece of a file.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text := read(t, path)
	require.Contains(t, text, old)
	put(t, path, strings.Replace(text, old, new, 1))
}

func needsMusl(t *testing.T) {
	t.Helper()
	if _, err := compiler("../..", mustParse(t, "musl")); err != nil {
		t.Skip(err)
	}
}

func mustParse(t *testing.T, name string) Variant {
	t.Helper()
	v, err := Parse(name, nil)
	require.NoError(t, err)
	return v
}

// output runs a program in an empty environment.
func output(t *testing.T, path string, args ...string) string {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"GOMAXPROCS=1"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v\n%s", path, args, out)
	return string(out)
}
