package variant

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func definitions(t *testing.T, text string) (Definitions, string, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "variants.toml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own.o"), nil, 0o666))
	defs, err := ReadDefinitions(file)
	return defs, dir, err
}

func TestReadDefinitions(t *testing.T) {
	defs, dir, err := definitions(t, `
[gnu-own]
base = "gnu-dynamic+mimalloc"
cc = "tools/cc"
cflags = ["-O3", "-g"]
ldflags = ["-fuse-ld=gold"]
objects = ["own.o"]
env = { GLIBC_TUNABLES = "glibc.malloc.tcache_count=0", A = "1" }

[other]
base = "musl"
cc = "clang"
`)
	require.NoError(t, err)
	v, err := Parse("gnu-own", defs)
	require.NoError(t, err)
	assert.Equal(t, Variant{
		Name: "gnu-own", Libc: "gnu", Parts: []string{"mimalloc"},
		// Files are found from where the file lies, not from where libcost runs.
		CC: filepath.Join(dir, "tools/cc"), Objects: []string{filepath.Join(dir, "own.o")},
		CFlags: []string{"-O3", "-g"}, LDFlags: []string{"-fuse-ld=gold"},
		Env: []string{"A=1", "GLIBC_TUNABLES=glibc.malloc.tcache_count=0"},
	}, v)
	assert.Equal(t, "clang", defs["other"].CC)
}

func TestReadDefinitionsWithoutAFile(t *testing.T) {
	defs, err := ReadDefinitions(filepath.Join(t.TempDir(), "variants.toml"))
	assert.NoError(t, err)
	assert.Empty(t, defs)
}

func TestReadDefinitionsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"[a]\nbase = \"gnu\"\ncflags = [\"-O3\"\n[b]\n": "FILE:4: expected a comma (',') or array terminator (']'), but got '['",
		"[a]\nbase = 1":                             `FILE: toml: line 2 (last key "a.base"): incompatible types`,
		"[a]\nbase = \"gnu\"\nflags = []":           "FILE: unknown key a.flags (allowed: base, cc, cflags, ldflags, objects, env, source)",
		"[a]\nbase = \"gmu\"":                       `FILE: variant "a": base: variant "gmu": unknown; did you mean gnu? (bin/libcost variants)`,
		"[a]\ncc = \"clang\"":                       `FILE: variant "a": no base (base = "gnu", musl, gnu-dynamic, ...)`,
		"[a]\nbase = \"b\"\n[b]\nbase=\"gnu\"":      `FILE: variant "a": base: variant "b": unknown (bin/libcost variants)`,
		"[musl]\nbase = \"gnu\"":                    `FILE: variant "musl": the name is a built-in one`,
		"[gnu-static]\nbase = \"gnu\"":              `FILE: variant "gnu-static": the name is a built-in one`,
		"[\"a+b\"]\nbase = \"gnu\"":                 `FILE: variant "a+b": a name is made of letters, digits, '.', '_' and '-'`,
		"[\"../a\"]\nbase = \"gnu\"":                `FILE: variant "../a": a name is made of letters, digits, '.', '_' and '-'`,
		"[a]\nbase = \"gnu\"\nsource = \"x\"":       `FILE: variant "a": source is of a musl, and brings its own compiler: base = "musl", no cc`,
		"[a]\nbase = \"gnu\"\nobjects = [\"no.o\"]": `FILE: variant "a": objects: stat DIR/no.o: no such file or directory`,
	} {
		_, dir, err := definitions(t, text)
		want = strings.NewReplacer("FILE", filepath.Join(dir, "variants.toml"), "DIR", dir).Replace(want)
		if assert.Error(t, err, text) {
			assert.True(t, strings.HasPrefix(err.Error(), want), "%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}
