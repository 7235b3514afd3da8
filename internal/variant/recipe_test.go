package variant

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All that decides what the binaries are must change the hash, or a stale build
// is measured; nothing else may, or everybody waits for compilers.
func TestRecipe(t *testing.T) {
	b, _ := tree(t)
	at := func(path string) string { return filepath.Join(b.Root, path) }
	touch := func(path string) func() {
		return func() { put(t, at(path), read(t, at(path))+"\n") }
	}
	create := func(path string) func() {
		return func() { put(t, at(path), "// new\n") }
	}
	// A compiler that finds a libc file where it can be changed.
	put(t, at("cc"), fmt.Sprintf("#!/bin/sh\nexec gcc \"$@\" -B '%s'\n", at("libc")))
	require.NoError(t, os.Chmod(at("cc"), 0o777))
	crti := libcFile(t, "crti.o")
	put(t, at("libc/crti.o"), read(t, crti))
	put(t, at("own.o"), read(t, crti))
	put(t, at("elsewhere.c"), "")
	toy(t, b.Root, toyAllocator)

	v := Variant{Name: "own", Libc: "gnu", Static: true, CC: at("cc"), Objects: []string{at("own.o")}}
	hash := func() string {
		r, err := b.recipe(v)
		require.NoError(t, err)
		return r.hash
	}
	before := hash()
	for _, c := range []struct {
		what    string
		change  func()
		changes bool
	}{
		{"nothing", func() {}, false},
		{"a header of the gang", touch("internal/gang/gang.h"), true},
		{"a source of the gang", touch("internal/gang/run.c"), true},
		{"the plain worker", touch("internal/gang/plain/main.c"), true},
		{"the program that rows start", touch("internal/gang/plain/empty.c"), true},
		{"the attestation", touch("internal/attest/attest.c"), true},
		{"a header of a room", touch("tiny/shim.h"), true},
		{"a kernel", touch("tiny/table.c"), true},
		{"a new kernel", create("tiny/more.c"), true},
		{"a link to a kernel", func() { require.NoError(t, os.Symlink(at("elsewhere.c"), at("tiny/link.c"))) }, true},
		{"a kernel behind a link", touch("elsewhere.c"), true},
		{"a room's Go", touch("tiny/tiny.go"), true},
		{"a room's test, which is in the binary", touch("tiny/bench_test.go"), true},
		{"the modules", touch("go.sum"), true},
		{"an object's content", touch("own.o"), true},
		{"a file of libc", touch("libc/crti.o"), true},
		{"the compiler", touch("cc"), true},
		{"a C flag", func() { v.CFlags = []string{"-O3"} }, true},
		{"a link flag", func() { v.LDFlags = []string{"-Wl,-O1"} }, true},
		{"the environment", func() { v.Env = []string{"A=1"} }, true},
		{"the environment's value", func() { v.Env = []string{"A=2"} }, true},
		{"linkage", func() { v.Static = false }, true},
		{"the parts", func() { v.Parts = []string{"mimalloc"} }, true},
		{"a part's object, by somebody else", func() { touch(object(t, b.Root))() }, true},
		{"an allocator's source", touch("sources of toys/mimalloc-9.8.7/include/toy.h"), true},
		{"a part of swap", func() { v.Parts = []string{"memops"} }, true},
		{"a source of that part", touch("swap/memops/find.c"), true},
		{"its header", touch("swap/memops/memops.h"), true},
		{"a source of the other part", touch("swap/locks/once.c"), false},
		{"the objects", func() { v.Objects = nil }, true},
		{"the name", func() { v.Name = "other" }, true},

		{"a room's notes", create("tiny/README.md"), false},
		{"a directory of a source's name", create("tiny/dir.c/file"), false},
		{"a room's test data", create("tiny/testdata/x.c"), false},
		{"a test of the gang", create("internal/gang/gang_test.go"), false},
		{"another package", create("internal/other/other.go"), false},
		{"a time stamp", func() { require.NoError(t, os.Chtimes(at("tiny/table.c"), time.Time{}, time.Unix(1, 0))) }, false},
	} {
		c.change()
		after := hash()
		assert.Equal(t, c.changes, before != after, c.what)
		before = after
	}
}

// object is the one part that is built, as seen from the tree.
func object(t *testing.T, root string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, ".build", "parts", "*", "*.o"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	path, err := filepath.Rel(root, files[0])
	require.NoError(t, err)
	return path
}

// go build does not look into headers outside a package: their sum is a flag.
func TestRecipeTellsGoOfHeaders(t *testing.T) {
	b, _ := tree(t)
	var flags []string
	for _, change := range []string{"", "internal/gang/run.c", "internal/gang/gang.h"} {
		if change != "" {
			put(t, filepath.Join(b.Root, change), read(t, filepath.Join(b.Root, change))+"\n")
		}
		r, err := b.recipe(mustParse(t, "gnu"))
		require.NoError(t, err)
		for _, kv := range r.goCommand(b, mustParse(t, "gnu"), "out").Env {
			if len(kv) > 11 && kv[:11] == "CGO_CFLAGS=" {
				flags = append(flags, kv)
			}
		}
	}
	require.Len(t, flags, 3)
	assert.Equal(t, flags[0], flags[1])
	assert.NotEqual(t, flags[1], flags[2])
}

func TestRecipeOfAMissingFile(t *testing.T) {
	b, _ := tree(t)
	require.NoError(t, os.RemoveAll(filepath.Join(b.Root, "internal/gang/plain")))
	_, err := b.recipe(mustParse(t, "gnu"))
	assert.ErrorContains(t, err, "build gnu: open ")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func libcFile(t *testing.T, name string) string {
	t.Helper()
	files, err := libcFiles("/usr/bin/gcc", Variant{Name: "gnu", Libc: "gnu"})
	require.NoError(t, err)
	for _, f := range files {
		if filepath.Base(f) == name {
			return f
		}
	}
	t.Fatalf("no %s among %v", name, files)
	return ""
}

func TestLibcFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		static bool
		want   []string
	}{
		{"gnu", true, []string{"crt1.o", "crti.o", "libc.a", "libgcc.a"}},
		{"gnu", false, []string{"Scrt1.o", "libc.so.6"}},
		{"musl", true, []string{"libc.a", "crtn.o"}},
		{"musl", false, []string{"libc.so"}},
	} {
		v := Variant{Name: c.name, Libc: c.name, Static: c.static}
		cc, err := compiler("../..", v)
		if err != nil {
			t.Log(err)
			continue
		}
		files, err := libcFiles(cc, v)
		require.NoError(t, err)
		var names []string
		for _, f := range files {
			names = append(names, filepath.Base(f))
		}
		assert.Subset(t, names, c.want, "%+v", c)
	}
}

// Another linker lists an archive's members, another compiler says nothing.
func TestLibcFilesOfOtherTools(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "lib c.a")
	put(t, archive, "")
	cc := filepath.Join(dir, "cc")
	for said, want := range map[string][]string{
		archive + "(malloc.o)\n" + archive + "(free.o)\n": {archive},
		"  " + archive + "\n/gone/x.o\n":                  {archive},
	} {
		put(t, cc, "#!/bin/sh\ncat <<'END'\n"+said+"END\n")
		require.NoError(t, os.Chmod(cc, 0o777))
		files, err := libcFiles(cc, Variant{Name: "own"})
		assert.NoError(t, err)
		assert.Equal(t, want, files)
	}
	put(t, cc, "#!/bin/sh\necho nothing\n")
	_, err := libcFiles(cc, Variant{Name: "own"})
	assert.EqualError(t, err, "build own: link an empty program: the linker names no file of libc (-t)\nnothing")
}

func TestCompiler(t *testing.T) {
	root := t.TempDir()
	own := filepath.Join(root, ".toolchain", "bin", "musl-gcc")
	put(t, own, "")
	for _, c := range []struct {
		v    Variant
		want string
	}{
		{Variant{Libc: "musl"}, own},
		{Variant{Libc: "musl", CC: "/bin/sh"}, "/bin/sh"},
		{Variant{Libc: "gnu", CC: "/bin/sh"}, "/bin/sh"},
	} {
		got, err := compiler(root, c.v)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%+v", c.v)
	}

	t.Setenv("PATH", t.TempDir())
	_, err := compiler(t.TempDir(), Variant{Name: "musl", Libc: "musl"})
	assert.EqualError(t, err, "build musl: musl-gcc not found (make setup)")
	assert.IsType(t, &MissingError{}, err)
	_, err = compiler(root, Variant{Name: "gnu", Libc: "gnu"})
	assert.EqualError(t, err, "build gnu: gcc not found (make setup)")
	_, err = compiler(root, Variant{Name: "own", Libc: "musl", CC: "clang"})
	assert.EqualError(t, err, "build own: clang not found (variants.toml: cc)")
}
