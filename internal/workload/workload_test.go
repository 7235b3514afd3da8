package workload

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/variant"
)

// good is a description with nothing wrong in it.
const good = `about = "counts"
op = "word"
n = 100
build = ["make", "CC={cc}", "OUT={out}", "LDFLAGS={ldflags} {objects}"]
run = ["{out}", "{n}"]
`

func describe(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, File), []byte(text), 0o666))
	return dir
}

func TestRead(t *testing.T) {
	dir := describe(t, good+"threads = 4\nclients = 16\nsource = \"https://example.org\"\n[env]\nMODE = \"fast\"\n")
	w, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, &Workload{
		Name: filepath.Base(dir), Dir: dir, About: "counts", Source: "https://example.org", Op: "word", N: 100,
		Build: []string{"make", "CC={cc}", "OUT={out}", "LDFLAGS={ldflags} {objects}"}, Run: []string{"{out}", "{n}"},
		Env: map[string]string{"MODE": "fast"}, Threads: 4, Clients: 16,
	}, w)
	w, err = Read(describe(t, good))
	require.NoError(t, err)
	assert.Equal(t, 1, w.Threads)
	assert.Equal(t, []string{"/b/words", "7"}, w.Args("/b/words", "", "", 7, 0))
}

// What is wrong is told with file, line, key, and what would be right.
func TestReadRefuses(t *testing.T) {
	for what, c := range map[string]struct{ old, new, want string }{
		"no toml":              {`op = "word"`, `op = `, "FILE:2: expected value but found"},
		"unknown key":          {`op = "word"`, `opp = "word"`, "FILE:2: unknown key opp (allowed: about, source, op, n, build, build-once, run, env, threads, clients)"},
		"a wrong type":         {`n = 100`, `n = "many"`, `FILE: line 3 (last key "n"): incompatible types`},
		"no op":                {`op = "word"`, ``, `FILE: op is missing: what one op is, op = "query"`},
		"no ops":               {`n = 100`, `n = 0`, `FILE:3: n is missing`},
		"no build":             {`build = `, `#`, `FILE: build is missing: the words of a command, build = ["make", ...]`},
		"no run":               {`run = `, `#`, `FILE: run is missing`},
		"no out":               {`"OUT={out}", `, ``, `FILE:4: build mentions no {out}`},
		"no compiler":          {`"CC={cc}", `, ``, `FILE:4: build mentions no {cc}`},
		"no binary to run":     {`"{out}", "{n}"`, `"{n}"`, `FILE:5: run mentions no {out}`},
		"unknown placeholder":  {`"{n}"`, `"{count}"`, `FILE:5: run: unknown placeholder {count} (allowed: {out} {once} {n} {dir} {clients})`},
		"clients of no number": {`"{n}"`, `"{n}", "{clients}"`, `FILE: run mentions {clients}, so clients = N is needed`},
		"nothing built once":   {`"{n}"`, `"{n}", "{once}"`, `FILE:5: run mentions {once}, and there is no build-once`},
		"unknown place in env": {`n = 100`, "n = 100\nenv = { A = \"{what}\" }", `FILE:4: env: unknown placeholder {what}`},
	} {
		t.Run(what, func(t *testing.T) {
			require.Contains(t, good, c.old)
			dir := describe(t, strings.Replace(good, c.old, c.new, 1))
			_, err := Read(dir)
			require.Error(t, err)
			assert.Contains(t, err.Error(), strings.Replace(c.want, "FILE", filepath.Join(dir, File), 1))
		})
	}
	_, err := Read(t.TempDir())
	assert.ErrorContains(t, err, "no workload.toml there")
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

// compile builds an example with the host's gcc, dynamically: what is linked
// is what the test is about, and not the libc.
func compile(t *testing.T, example string) *Program {
	t.Helper()
	w, err := Read(filepath.Join(root(t), "examples", example))
	require.NoError(t, err)
	b := &Builder{Dir: t.TempDir(), Variants: &variant.Builder{Root: root(t)}}
	p, err := b.Compile(w, variant.Variant{Name: "gnu", Libc: "gnu", Static: true})
	require.NoError(t, err)
	return p
}

// One compile, and each link of it holds what it was given in libc's place.
func TestLinkPutsObjectsBeforeLibc(t *testing.T) {
	p := compile(t, "c-make")
	dir := t.TempDir()
	source := filepath.Join(dir, "part.c")
	require.NoError(t, os.WriteFile(source, []byte(`
		int strcmp(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *(unsigned char *)a - *(unsigned char *)b; }
		int the_part_is_here;`), 0o666))
	object := filepath.Join(dir, "part.o")
	out, err := exec.Command("gcc", "-O2", "-fno-builtin", "-c", source, "-o", object).CombinedOutput()
	require.NoError(t, err, "%s", out)

	native, err := p.Link("native", nil)
	require.NoError(t, err)
	replaced, err := p.Link("replaced", []string{object})
	require.NoError(t, err)
	for binary, has := range map[string]bool{native: false, replaced: true} {
		symbols, err := exec.Command("nm", binary).Output()
		require.NoError(t, err)
		assert.Equal(t, has, strings.Contains(string(symbols), "the_part_is_here"), binary)
		said, err := exec.Command(binary, "1000").Output()
		require.NoError(t, err)
		assert.Contains(t, string(said), "BenchmarkWords 1000 ")
	}
}

func TestImportsAreWhatTheProgramTakes(t *testing.T) {
	imports, err := compile(t, "c-make").Imports()
	require.NoError(t, err)
	for _, name := range []string{"strcmp", "malloc", "clock_gettime"} {
		assert.Contains(t, imports, name)
	}
	assert.NotContains(t, imports, "main")
}

// A build that finds all up to date links nothing: the last link is good. One
// that links again is taken, and nothing is left of the old one.
func TestBuildThatIsUpToDate(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{File, "Makefile", "words.c"} {
		text, err := os.ReadFile(filepath.Join(root(t), "examples", "c-make", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	w, err := Read(dir)
	require.NoError(t, err)
	b := &Builder{Dir: t.TempDir(), Variants: &variant.Builder{Root: root(t)}}
	gnu := variant.Variant{Name: "gnu", Libc: "gnu"}
	first, err := b.Compile(w, gnu)
	require.NoError(t, err)
	again, err := b.Compile(w, gnu)
	require.NoError(t, err)
	assert.Equal(t, first.link, again.link)

	require.NoError(t, os.RemoveAll(filepath.Join(again.dir, kept)), "a link that was lost is made again")
	again, err = b.Compile(w, gnu)
	require.NoError(t, err)
	assert.NotEmpty(t, again.link)

	source, err := os.ReadFile(filepath.Join(dir, "words.c"))
	require.NoError(t, err)
	changed := strings.Replace(string(source), "BenchmarkWords", "BenchmarkOther", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "words.c"), []byte(changed), 0o666))
	p, err := b.Compile(w, gnu)
	require.NoError(t, err)
	binary, err := p.Link("other", nil)
	require.NoError(t, err)
	out, err := exec.Command(binary, "100").Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "BenchmarkOther 100 ")
	links, err := filepath.Glob(filepath.Join(p.dir, kept, "*"))
	require.NoError(t, err)
	assert.Len(t, links, 1)
}

// A build that fails is told with the end of what it said.
func TestBuildThatFails(t *testing.T) {
	for what, c := range map[string]struct{ build, want string }{
		"the command fails":    {`["sh", "-c", "seq 30; exit 3", "{cc}", "{out}"]`, "exit status 3\n11\n12\n"},
		"nothing is linked":    {`["true", "{cc}", "{out}"]`, "no command of the build linked {objects} with {cc}"},
		"no such command":      {`["no-such-command", "{cc}", "{out}"]`, "executable file not found"},
		"linked without parts": {`["sh", "-c", "echo 'int main(void){return 0;}' >{build}/m.c && {cc} {build}/m.c -o {out}"]`, "no command of the build linked {objects} with {cc}"},
	} {
		t.Run(what, func(t *testing.T) {
			w, err := Read(describe(t, "op = \"x\"\nn = 1\nrun = [\"{out}\"]\nbuild = "+c.build+"\n"))
			require.NoError(t, err)
			b := &Builder{Dir: t.TempDir(), Variants: &variant.Builder{Root: root(t)}}
			_, err = b.Compile(w, variant.Variant{Name: "gnu", Libc: "gnu"})
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}
