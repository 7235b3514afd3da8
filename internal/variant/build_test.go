package variant

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBuild builds a tree with one tiny room for real, and then goes wrong in
// each way that a tree can: what it measures must be what its name says.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles and links")
	}
	needsMusl(t)
	b, said := tree(t)
	toy(t, b.Root, toyAllocator)
	names := []string{"gnu", "gnu-dynamic", "musl", "gnu+mimalloc", "musl+mimalloc", "gnu+memops+locks", "musl-dynamic+memops"}
	var vs []Variant
	for _, name := range names {
		vs = append(vs, mustParse(t, name))
	}
	builts, err := b.Build(vs...)
	require.NoError(t, err)
	built := map[string]*Built{}
	for i, one := range builts {
		built[names[i]] = one
	}

	t.Run("facts", func(t *testing.T) {
		for name, want := range map[string]Facts{
			"gnu":                 {Libc: "glibc", Linkage: "static", Allocator: "native", Parts: []string{}},
			"gnu-dynamic":         {Libc: "glibc", Linkage: "dynamic", Allocator: "native", Parts: []string{}},
			"musl":                {Libc: "musl", Linkage: "static", Allocator: "native", Parts: []string{}},
			"gnu+mimalloc":        {Libc: "glibc", Linkage: "static", Allocator: "mimalloc 9.8.7", Parts: []string{}},
			"musl+mimalloc":       {Libc: "musl", Linkage: "static", Allocator: "mimalloc 9.8.7", Parts: []string{}},
			"gnu+memops+locks":    {Libc: "glibc", Linkage: "static", Allocator: "native", Parts: []string{"memops", "locks"}},
			"musl-dynamic+memops": {Libc: "musl", Linkage: "dynamic", Allocator: "native", Parts: []string{"memops"}},
		} {
			got := built[name].Facts
			assert.Regexp(t, `^\d+\.\d+`, got.LibcVersion, name)
			assert.Equal(t, built[name].Build, got.Build, name)
			assert.Equal(t, want, Facts{Libc: got.Libc, Linkage: got.Linkage, Allocator: got.Allocator, Parts: got.Parts}, name)
		}
		assert.Equal(t, "libc.so.6", filepath.Base(built["gnu-dynamic"].Facts.Functions["malloc"].File))
		assert.NotEmpty(t, built["gnu-dynamic"].Facts.Functions["malloc"].BuildID)
		assert.Equal(t, "__libc_malloc", built["gnu"].Facts.Functions["malloc"].Symbol)
		for name, part := range map[string]string{"memcpy": "memops", "strlen": "memops", "pthread_mutex_lock": "locks", "malloc": ""} {
			assert.Equal(t, part, built["gnu+memops+locks"].Facts.Functions[name].Part, name)
			assert.Empty(t, built["gnu"].Facts.Functions[name].Part, name)
		}
	})

	t.Run("rows", func(t *testing.T) {
		rows := built["gnu"].Rows
		require.Len(t, rows, 2)
		assert.Equal(t, Row{Room: "tiny", Name: "Pair/threads=1", Calls: "malloc free", Threads: 1, Op: rows[0].Op}, rows[0])
		assert.Equal(t, Row{Room: "tiny", Name: "Pair/threads=1/proc=plain", Calls: "malloc free", Threads: 1, Op: rows[1].Op, Plain: true}, rows[1])
		assert.Equal(t, "tiny/Pair/threads=1", rows[0].Key())
		// Our fields are those that a binary prints, no more and no less.
		var theirs []map[string]any
		require.NoError(t, json.Unmarshal([]byte(output(t, built["gnu"].Binary(rows[0]), "-rows")), &theirs))
		encoded, err := json.Marshal(rows)
		require.NoError(t, err)
		var ours []map[string]any
		require.NoError(t, json.Unmarshal(encoded, &ours))
		assert.Equal(t, theirs, ours)
	})

	t.Run("both binaries run a row", func(t *testing.T) {
		for _, name := range names {
			rows := built[name].Rows
			assert.Contains(t, output(t, built[name].Binary(rows[0]), "-sample", rows[0].Name, "-test.benchtime=100x"), `"n":100,`)
			assert.Contains(t, output(t, built[name].Binary(rows[1]), "-sample", rows[1].Name, "-n", "100"), `"n":100,`)
		}
	})

	t.Run("empty programs of its libc, linked both ways", func(t *testing.T) {
		for _, name := range names {
			dir := built[name].Dir
			assert.Empty(t, loader(t, filepath.Join(dir, "empty.static")), name)
			assert.Equal(t, strings.HasPrefix(name, "musl"), strings.Contains(loader(t, filepath.Join(dir, "empty.dynamic")), "musl"), name)
			assert.Empty(t, output(t, filepath.Join(dir, "empty.static"))+output(t, filepath.Join(dir, "empty.dynamic")), name)
		}
	})

	t.Run("the record names no place", func(t *testing.T) {
		record := read(t, filepath.Join(built["gnu+mimalloc"].Dir, manifest))
		assert.NotContains(t, record, b.Root)
		assert.Contains(t, record, ".build/parts/mimalloc-gnu-")
	})

	t.Run("a second build takes what is there", func(t *testing.T) {
		*said = nil
		again, err := b.Build(vs...)
		require.NoError(t, err)
		assert.Equal(t, builts, again)
		assert.Empty(t, *said)
	})

	gnu := built["gnu"]
	plants := []struct {
		what, file, from, want string
	}{
		{"another libc", "tiny.test", "musl", "libc is musl, want glibc"},
		{"another libc's worker", "tiny.plain", "musl", "libc is musl, want glibc"},
		{"another linkage", "tiny.test", "gnu-dynamic", "linkage is dynamic, want static"},
		{"another allocator", "tiny.plain", "gnu+mimalloc", "allocator is mimalloc, want native"},
		{"parts that it does not name", "tiny.test", "gnu+memops+locks", "swapped is memops+locks, want none"},
		{"parts that its worker does not name", "tiny.plain", "gnu+memops+locks", "swapped is memops+locks, want none"},
	}
	for _, c := range plants {
		t.Run(c.what, func(t *testing.T) {
			refused := replaced(t, b, gnu, c.file, read(t, filepath.Join(built[c.from].Dir, c.file)))
			assert.EqualError(t, refused, fmt.Sprintf("attest gnu: %s: %s (bin/libcost clean && bin/libcost build gnu)", c.file, c.want))
			assert.IsType(t, &AttestError{}, refused)
		})
	}
	for what, text := range map[string]string{"an empty file": "", "half a file": read(t, filepath.Join(gnu.Dir, "tiny.test"))[:5000], "a script": "#!/bin/sh\necho no\n"} {
		t.Run(what, func(t *testing.T) {
			refused := replaced(t, b, gnu, "tiny.test", text)
			assert.ErrorContains(t, refused, "attest gnu: tiny.test: ")
			assert.ErrorContains(t, refused, "(bin/libcost clean && bin/libcost build gnu)")
		})
	}

	t.Run("a binary that is gone", func(t *testing.T) {
		path := filepath.Join(gnu.Dir, "tiny.plain")
		text := read(t, path)
		require.NoError(t, os.Remove(path))
		_, err := b.Build(gnu.Variant)
		assert.ErrorContains(t, err, "attest gnu: tiny.plain: ")
		assert.ErrorIs(t, err, os.ErrNotExist)
		put(t, path, text)
		require.NoError(t, os.Chmod(path, 0o777))
	})

	t.Run("an allocator that is linked and not used", func(t *testing.T) {
		toy(t, b.Root, toyVersion)
		defer toy(t, b.Root, toyAllocator)
		for name, its := range map[string]string{"gnu": "_int_malloc", "musl": "__malloc_alloc_meta"} {
			_, err := b.Build(mustParse(t, name+"+mimalloc"))
			assert.ErrorContains(t, err, "malloc is libc's as well ("+its+"), want mimalloc's alone")
		}
		_, err := b.Build(mustParse(t, "gnu-dynamic+mimalloc"))
		assert.ErrorContains(t, err, "malloc is from libc")
		assert.ErrorContains(t, err, "libc.so.6, want mimalloc's")
	})

	t.Run("a part that it names and lacks", func(t *testing.T) {
		for _, file := range []string{"tiny.test", "tiny.plain"} {
			refused := replaced(t, b, built["gnu+memops+locks"], file, read(t, filepath.Join(gnu.Dir, file)))
			assert.ErrorContains(t, refused, "attest gnu+memops+locks: "+file+": swapped is none, want memops+locks ")
		}
	})

	t.Run("a part that is linked and not used", func(t *testing.T) {
		fill, once := filepath.Join(b.Root, "swap/memops/fill.c"), filepath.Join(b.Root, "swap/locks/mutex.c")
		edit(t, fill, "void *memset(", "void *other(")
		for name, its := range map[string]string{"gnu+memops": "memset is __memset_", "musl+memops": "memset is memset, "} {
			_, err := b.Build(mustParse(t, name))
			assert.ErrorContains(t, err, its)
			assert.ErrorContains(t, err, "want memops's")
		}
		_, err := b.Build(mustParse(t, "gnu-dynamic+memops"))
		assert.ErrorContains(t, err, "memset is libc.so.6+0x")
		edit(t, once, "int pthread_mutex_lock(struct mutex *m)\n{", "int other(struct mutex *m)\n{")
		_, err = b.Build(mustParse(t, "gnu-dynamic+locks"))
		assert.ErrorContains(t, err, "pthread_mutex_lock is libc.so.6+0x")
	})

	t.Run("a header that go build does not see", func(t *testing.T) {
		digest := func(built *Built) string {
			var said struct{ Result struct{ Digest string } }
			lines := strings.Split(output(t, built.Binary(built.Rows[0]), "-sample", "Pair/threads=1", "-test.benchtime=100x"), "\n")
			require.NoError(t, json.Unmarshal([]byte(lines[1]), &said))
			return said.Result.Digest
		}
		before := digest(gnu)
		header := filepath.Join(b.Root, "internal/gang/gang.h")
		edit(t, header, "#define GANG_DIGEST 0xcbf29ce484222325", "#define GANG_DIGEST 0xcbf29ce484222326")
		defer edit(t, header, "#define GANG_DIGEST 0xcbf29ce484222326", "#define GANG_DIGEST 0xcbf29ce484222325")
		after, err := b.Build(gnu.Variant)
		require.NoError(t, err)
		assert.NotEqual(t, before, digest(after[0]))

		refused := replaced(t, b, after[0], "tiny.test", read(t, filepath.Join(gnu.Dir, "tiny.test")))
		assert.ErrorContains(t, refused, fmt.Sprintf("build is %s, want %s", gnu.Build, after[0].Build))
	})

	t.Run("a build that was cut short", func(t *testing.T) {
		// One that was killed leaves its temporary directory; a directory
		// without its record is the rest of something.
		require.NoError(t, os.Mkdir(filepath.Join(b.dir(), ".tmp-1"), 0o777))
		require.NoError(t, os.Remove(filepath.Join(gnu.Dir, manifest)))
		put(t, filepath.Join(gnu.Dir, "tiny.test"), "half")
		again, err := b.Build(gnu.Variant)
		require.NoError(t, err)
		assert.Equal(t, gnu.Build, again[0].Build)
	})

	t.Run("a source that does not compile", func(t *testing.T) {
		source := filepath.Join(b.Root, "tiny", "table.c")
		good := read(t, source)
		defer put(t, source, good)
		wrong := good
		for i := range 30 {
			wrong += fmt.Sprintf("#error wrong number %d\n", i)
		}
		put(t, source, wrong)
		_, err := b.Build(gnu.Variant)
		var step *StepError
		require.ErrorAs(t, err, &step)
		assert.ErrorContains(t, err, "build gnu: go test -c: exit status 1\n")
		assert.Contains(t, step.Output, "wrong number 29")
		assert.NotContains(t, step.Output, "wrong number 5\n")
		assert.LessOrEqual(t, strings.Count(step.Output, "\n"), 19)
	})

	left, err := filepath.Glob(filepath.Join(b.dir(), ".tmp-*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(b.dir(), ".tmp-1")}, left, "what went wrong took its temporary directory along")
}

// loader is what the kernel starts a program with, nothing for a static one.
func loader(t *testing.T, path string) string {
	t.Helper()
	file, err := elf.Open(path)
	require.NoError(t, err)
	defer file.Close()
	section := file.Section(".interp")
	if section == nil {
		return ""
	}
	text, err := section.Data()
	require.NoError(t, err)
	return string(text)
}

// A compiler that links in one way only builds what it can, and an empty
// program that does not start is as good as none.
func TestBuildWithoutTheOtherLinkage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles and links")
	}
	for what, refuse := range map[string]string{
		"does not link":  `exit 1`,
		"does not start": `while [ "$1" != -o ]; do shift; done; printf '#!/bin/false\n' >"$2"; chmod +x "$2"; exit 0`,
	} {
		t.Run(what, func(t *testing.T) {
			b, said := tree(t)
			cc := filepath.Join(b.Root, "cc")
			put(t, cc, "#!/bin/sh\ncase \"$*\" in *empty.c*-static*) "+refuse+" ;; esac\nexec gcc \"$@\"\n")
			require.NoError(t, os.Chmod(cc, 0o777))
			built, err := b.Build(Variant{Name: "shared", Libc: "gnu", CC: cc})
			require.NoError(t, err)
			assert.NoFileExists(t, filepath.Join(built[0].Dir, "empty.static"))
			assert.FileExists(t, filepath.Join(built[0].Dir, "empty.dynamic"))
			assert.Contains(t, *said, "build: shared: no static program to start")

			_, err = b.Build(Variant{Name: "static", Libc: "gnu", Static: true, CC: cc})
			assert.ErrorContains(t, err, "build static: ")
			assert.ErrorContains(t, err, "static empty program: ")
		})
	}
}

// replaced builds again with another text in place of a binary.
func replaced(t *testing.T, b *Builder, built *Built, file, text string) error {
	t.Helper()
	path := filepath.Join(built.Dir, file)
	before := read(t, path)
	// Not into the running file, which may be shared.
	write := func(text string) {
		require.NoError(t, os.Remove(path))
		put(t, path, text)
		require.NoError(t, os.Chmod(path, 0o777))
	}
	write(text)
	defer write(before)
	_, err := b.Build(built.Variant)
	return err
}

// A tree that changes under the compiler gives binaries of nobody knows what.
func TestBuildOfAMovingSource(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles and links")
	}
	b, _ := tree(t)
	source := filepath.Join(b.Root, "tiny", "table.c")
	// The compiler itself is the one who changes it.
	cc := filepath.Join(b.Root, "cc")
	put(t, cc, fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *tiny_kernels*) echo '/* moved */' >>'%s' ;; esac\nexec gcc \"$@\"\n", source))
	require.NoError(t, os.Chmod(cc, 0o777))
	_, err := b.Build(Variant{Name: "moving", Libc: "gnu", Static: true, CC: cc})
	assert.EqualError(t, err, "build moving: a source changed while it was compiled (build again)")
	left, err := os.ReadDir(b.dir())
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestBuildTellsTheFirstVariantThatFails(t *testing.T) {
	b, _ := tree(t)
	t.Setenv("PATH", t.TempDir())
	_, err := b.Build(mustParse(t, "musl"), mustParse(t, "gnu"))
	assert.EqualError(t, err, "build musl: musl-gcc not found (make setup)")
}

func TestPickName(t *testing.T) {
	for _, c := range []struct {
		name    string
		aliases []string
		want    string
	}{
		{"memcpy", nil, "unknown"},
		{"memcpy", []string{"memcpy"}, "memcpy"},
		{"memmove", []string{"memmove", "__memmove_avx_unaligned", "__memcpy_avx_unaligned"}, "__memmove_avx_unaligned"},
		{"malloc", []string{"malloc", "__libc_malloc", "__malloc"}, "__libc_malloc"},
		{"malloc", []string{"malloc", "__libc_malloc", "mi_malloc"}, "mi_malloc"},
	} {
		assert.Equal(t, c.want, pickName(c.name, c.aliases), "%v", c.aliases)
	}
}
