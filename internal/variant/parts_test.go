package variant

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// interfaces are the public names of each libc's allocator.
var interfaces = map[string][]string{
	"gnu":  {"malloc", "free", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign", "malloc_usable_size", "valloc", "pvalloc"},
	"musl": {"malloc", "free", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign", "malloc_usable_size", "valloc"},
}

// kept are members of libc that define such a name and are in a static program
// all the same: musl takes memory for atexit and locales from lite_malloc, which
// never gets it back, under another name.
var kept = map[string][]string{"musl": {"lite_malloc.lo"}}

var (
	definition = regexp.MustCompile(`(?m)(\S+): definition of (\w+)$`)
	member     = regexp.MustCompile(`libc\.a\((\S+)\)`)
)

// An allocator that lacks one name leaves it to libc, silently: two heaps in
// one program. The linker itself says here who defines each name.
func TestPartsAreComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds allocators")
	}
	b := &Builder{Root: project(t)}
	for _, libc := range Libcs {
		for _, part := range Allocators {
			t.Run(libc+"+"+part, func(t *testing.T) {
				v := mustParse(t, libc+"+"+part)
				r := needsPart(t, b, v)
				program := filepath.Join(t.TempDir(), "program")
				args := append(r.cflags(v), "-fno-builtin", "testdata/interface.c", "-o", program, "-Wl,-M")
				for _, name := range interfaces[libc] {
					args = append(args, "-Wl,-y,"+name)
				}
				out, err := exec.Command(r.cc, append(args, r.link(v)...)...).CombinedOutput()
				require.NoError(t, err, "%s", out)

				defines := map[string][]string{}
				for _, m := range definition.FindAllStringSubmatch(string(out), -1) {
					defines[m[2]] = append(defines[m[2]], filepath.Base(m[1]))
				}
				for _, name := range interfaces[libc] {
					assert.Equal(t, []string{part + ".o"}, defines[name], name)
				}
				allocator := ownMembers(t, r, interfaces[libc])
				for _, m := range member.FindAllStringSubmatch(string(out), -1) {
					if allocator[m[1]] {
						assert.Contains(t, kept[libc], m[1], "libc's own member is in the program")
					}
				}
				assert.Empty(t, output(t, program))

				dynamic := v
				dynamic.Static = false
				out, err = exec.Command(r.cc, append(append(r.cflags(v), "-fno-builtin", "testdata/interface.c", "-o", program), r.link(dynamic)...)...).CombinedOutput()
				require.NoError(t, err, "%s", out)
				assert.Empty(t, output(t, program))
			})
		}
	}
}

// ownMembers are the members of a static libc that define one of the names.
func ownMembers(t *testing.T, r recipe, names []string) map[string]bool {
	t.Helper()
	archive := slices.IndexFunc(r.libc, func(f string) bool { return filepath.Base(f) == "libc.a" })
	require.NotEqual(t, -1, archive, r.libc)
	out, err := exec.Command("nm", "-A", r.libc[archive]).Output()
	require.NoError(t, err)
	members := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)libc\.a:([^:]+):\w+ [TW] (\w+)$`).FindAllStringSubmatch(string(out), -1) {
		if slices.Contains(names, m[2]) {
			members[m[1]] = true
		}
	}
	require.NotEmpty(t, members)
	return members
}

// project is the real tree.
func project(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	return root
}

// needsPart is a variant's recipe, its parts built; the test is skipped where
// the compiler or the allocator's source can't be had.
func needsPart(t *testing.T, b *Builder, v Variant) recipe {
	t.Helper()
	if v.Libc == "musl" {
		needsMusl(t)
	}
	for _, p := range v.Parts {
		if _, err := b.source(v, p); err != nil {
			t.Skip(err)
		}
	}
	r, err := b.recipe(v)
	require.NoError(t, err)
	return r
}

// The source's directory is the last line of what setup prints, whole.
func TestSource(t *testing.T) {
	b := &Builder{Root: t.TempDir()}
	v := mustParse(t, "gnu+mimalloc")
	setup := filepath.Join(b.Root, "scripts", "setup")
	spaced := filepath.Join(b.Root, "a b", "mimalloc-1")
	require.NoError(t, os.MkdirAll(spaced, 0o777))
	for script, want := range map[string]string{
		"echo setup: fetching; echo '" + spaced + "'":                    "",
		"echo '" + spaced + "'; echo unpacked":                           `build gnu+mimalloc: scripts/setup mimalloc names no directory: "unpacked"`,
		"true":                                                           `build gnu+mimalloc: scripts/setup mimalloc names no directory: ""`,
		"echo 'setup: mimalloc: no network' >&2; exit 1":                 "build gnu+mimalloc: find the source of mimalloc: exit status 1\nsetup: mimalloc: no network",
		`[ "$1" = mimalloc ] && [ "$PWD" = "` + b.Root + `" ] && echo /`: "",
	} {
		put(t, setup, "#!/bin/sh\n"+script+"\n")
		require.NoError(t, os.Chmod(setup, 0o777))
		dir, err := b.source(v, "mimalloc")
		if want != "" {
			assert.EqualError(t, err, want)
			continue
		}
		assert.NoError(t, err)
		assert.Contains(t, []string{spaced, "/"}, dir)
	}
}

// An object is built once for both linkages, from sources of any path, and
// again if one of them changes.
func TestPart(t *testing.T) {
	b, said := tree(t)
	toy(t, b.Root, toyAllocator)
	object := func(name string) string {
		v := mustParse(t, name)
		cc, err := compiler(b.Root, v)
		require.NoError(t, err)
		object, err := b.part(v, "mimalloc", cc)
		require.NoError(t, err)
		return object
	}
	static := object("gnu+mimalloc")
	assert.FileExists(t, static)
	assert.Equal(t, static, object("gnu-dynamic+mimalloc"))
	assert.Equal(t, []string{"build: mimalloc-9.8.7 for gnu"}, *said)

	toy(t, b.Root, toyAllocator+"int more;\n")
	assert.NotEqual(t, static, object("gnu+mimalloc"))

	toy(t, b.Root, "int wrong(void) { return x; }\n")
	_, err := b.part(mustParse(t, "gnu+mimalloc"), "mimalloc", "/usr/bin/gcc")
	assert.ErrorContains(t, err, "build gnu+mimalloc: build mimalloc: exit status 1\n")
	assert.ErrorContains(t, err, "undeclared")
	objects, err := filepath.Glob(filepath.Join(b.dir(), "parts", "*"))
	require.NoError(t, err)
	assert.Len(t, objects, 2)
}
