package variant

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var clang = Definitions{"clang": {
	Base: "gnu-dynamic", CC: "clang", CFlags: []string{"-O3"}, LDFlags: []string{"-s"}, Objects: []string{"/x.o"},
	Env: map[string]string{"B": "2", "A": "1"},
}}

func TestParse(t *testing.T) {
	for name, want := range map[string]Variant{
		"gnu":                        {Libc: "gnu", Static: true},
		"musl":                       {Libc: "musl", Static: true},
		"gnu-static":                 {Libc: "gnu", Static: true},
		"musl-dynamic":               {Libc: "musl"},
		"musl+mimalloc":              {Libc: "musl", Static: true, Parts: []string{"mimalloc"}},
		"gnu-dynamic+jemalloc":       {Libc: "gnu", Parts: []string{"jemalloc"}},
		"musl-static+jemalloc":       {Libc: "musl", Static: true, Parts: []string{"jemalloc"}},
		"clang":                      {Libc: "gnu", CC: "clang", CFlags: []string{"-O3"}, LDFlags: []string{"-s"}, Objects: []string{"/x.o"}, Env: []string{"A=1", "B=2"}},
		"clang+mimalloc":             {Libc: "gnu", Parts: []string{"mimalloc"}, CC: "clang", CFlags: []string{"-O3"}, LDFlags: []string{"-s"}, Objects: []string{"/x.o"}, Env: []string{"A=1", "B=2"}},
		"musl+memops":                {Libc: "musl", Static: true, Parts: []string{"memops"}},
		"gnu-dynamic+locks":          {Libc: "gnu", Parts: []string{"locks"}},
		"musl+mimalloc+memops+locks": {Libc: "musl", Static: true, Parts: []string{"mimalloc", "memops", "locks"}},
	} {
		want.Name = name
		got, err := Parse(name, clang)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// One variant has one name, whatever order its parts are given in.
func TestParseOrdersParts(t *testing.T) {
	want := mustParse(t, "musl+jemalloc+memops+locks")
	for _, name := range []string{"musl+locks+memops+jemalloc", "musl+memops+jemalloc+locks", "musl+jemalloc+locks+memops"} {
		assert.Equal(t, want, mustParse(t, name))
	}
	own := Definitions{"own": {Base: "gnu+memops"}}
	v, err := Parse("own+locks+mimalloc", own)
	require.NoError(t, err)
	assert.Equal(t, Variant{Name: "own+mimalloc+locks", Libc: "gnu", Static: true, Parts: []string{"mimalloc", "memops", "locks"}}, v)
	_, err = Parse("own+memops", own)
	assert.EqualError(t, err, `variant "own+memops": "memops" is in it twice (bin/libcost variants)`)
}

func TestParseRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"":                             `variant "": unknown (bin/libcost variants)`,
		"glibc":                        `variant "glibc": unknown (bin/libcost variants)`,
		"mulsl":                        `variant "mulsl": unknown; did you mean musl? (bin/libcost variants)`,
		"clnag":                        `variant "clnag": unknown; did you mean clang? (bin/libcost variants)`,
		"gnu-":                         `variant "gnu-": "" is no linkage; did you mean gnu? (bin/libcost variants)`,
		"musl-dynamik":                 `variant "musl-dynamik": "dynamik" is no linkage; did you mean musl-dynamic? (bin/libcost variants)`,
		"musl-sttaic":                  `variant "musl-sttaic": "sttaic" is no linkage; did you mean musl-static? (bin/libcost variants)`,
		"gnu+":                         `variant "gnu+": "" is no part; did you mean gnu? (bin/libcost variants)`,
		"+mimalloc":                    `variant "+mimalloc": unknown; did you mean gnu+mimalloc? (bin/libcost variants)`,
		"gnu+mimaloc":                  `variant "gnu+mimaloc": "mimaloc" is no part; did you mean gnu+mimalloc? (bin/libcost variants)`,
		"gnu+mimalloc+jemalloc":        `variant "gnu+mimalloc+jemalloc": a program has one allocator (bin/libcost variants)`,
		"gnu+mimalloc+mimalloc":        `variant "gnu+mimalloc+mimalloc": a program has one allocator (bin/libcost variants)`,
		"gnu+memops+memops":            `variant "gnu+memops+memops": "memops" is in it twice (bin/libcost variants)`,
		"musl+jemalloc+locks+mimalloc": `variant "musl+jemalloc+locks+mimalloc": a program has one allocator (bin/libcost variants)`,
		"gnu+memop":                    `variant "gnu+memop": "memop" is no part; did you mean gnu+memops? (bin/libcost variants)`,
		"clang-dynamic":                `variant "clang-dynamic": unknown; did you mean gnu-dynamic? (bin/libcost variants)`,
		"musl-src":                     `variant "musl-src": needs MUSL_SRC=an unpacked source tree of musl (bin/libcost variants)`,
	} {
		_, err := Parse(name, clang)
		assert.EqualError(t, err, want)
		assert.IsType(t, &NameError{}, err)
	}
}

// What the list names can be had, and is named once.
func TestKnownParses(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Known(clang) {
		_, err := Parse(name, clang)
		assert.NoError(t, err)
		assert.False(t, seen[name], name)
		seen[name] = true
	}
	assert.Len(t, seen, 21)
	assert.True(t, seen["clang"] && seen["musl-dynamic+jemalloc"] && seen["gnu+locks"])
}

func TestNear(t *testing.T) {
	known := []string{"alloc/Pair", "memops/Memcmp", "quick"}
	for word, want := range map[string]string{
		"quick":         "quick",
		"qick":          "quick",
		"kwick":         "quick",
		"memops/memcmp": "memops/Memcmp",
		"fsync":         "",
		"q":             "",
	} {
		assert.Equal(t, want, Near(word, known), word)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"musl", "musl", 0}, {"mulsl", "musl", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		assert.Equal(t, c.want, edits(c.a, c.b), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, edits(c.b, c.a), "%s %s", c.b, c.a)
	}
}
