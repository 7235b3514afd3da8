package variant

import (
	"debug/elf"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publicNames are what a part's object defines for the program, and which of
// them give way to libc's.
func publicNames(t *testing.T, object string) (names []string, weak map[string]bool) {
	t.Helper()
	file, err := elf.Open(object)
	require.NoError(t, err)
	defer file.Close()
	symbols, err := file.Symbols()
	require.NoError(t, err)
	weak = map[string]bool{}
	for _, s := range symbols {
		bind, visible := elf.ST_BIND(s.Info), elf.ST_VISIBILITY(s.Other) == elf.STV_DEFAULT
		if s.Section == elf.SHN_UNDEF || bind == elf.STB_LOCAL || !visible || strings.HasPrefix(s.Name, "libcost_") {
			continue
		}
		names = append(names, s.Name)
		weak[s.Name] = bind == elf.STB_WEAK
	}
	slices.Sort(names)
	return names, weak
}

// A part replaces whole families: a mutex without its condition variables
// would be unlocked by somebody who never locked it.
func TestSwapsAreWhole(t *testing.T) {
	b := &Builder{Root: project(t)}
	for _, part := range Swaps {
		want := strings.Fields(read(t, filepath.Join("testdata", part+".names")))
		for _, libc := range Libcs {
			r := needsPart(t, b, mustParse(t, libc+"+"+part))
			got, _ := publicNames(t, r.objects[0])
			slices.Sort(want)
			assert.Equal(t, want, got, libc)
		}
	}
}

// In each program the names of a part are the part's, and libc's own functions
// are there, under other names, only for callers that testdata/kept.tsv
// explains.
func TestSwapsReplaceLibc(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: links programs")
	}
	b := &Builder{Root: project(t)}
	kept := readKept(t)
	for _, name := range []string{"gnu+memops", "gnu+locks", "musl+memops", "musl+locks", "gnu+mimalloc+memops+locks", "musl+mimalloc+memops+locks"} {
		v := mustParse(t, name)
		t.Run(name, func(t *testing.T) {
			r := needsPart(t, b, v)
			dir := t.TempDir()
			program, everything, room := filepath.Join(dir, "wide"), filepath.Join(dir, "everything"), filepath.Join(dir, "syscalls.test")
			link(t, r, v, program, "testdata/wide.c", "-lm")
			var ask []string
			for _, object := range r.objects[len(r.objects)-len(swapsOf(v)):] {
				names, _ := publicNames(t, object)
				for _, n := range names {
					ask = append(ask, "-Wl,-u,"+n)
				}
			}
			link(t, r, v, everything, append([]string{"testdata/wide.c", "-lm"}, ask...)...)
			assert.Empty(t, output(t, program))
			assert.Empty(t, output(t, everything))
			linkRoom(t, b, v, dir)
			for _, binary := range []string{program, everything, room} {
				checkReplaced(t, r, v, binary, kept)
			}
		})
		t.Run(name+" dynamic", func(t *testing.T) {
			v.Static = false
			r := needsPart(t, b, v)
			program := filepath.Join(t.TempDir(), "wide")
			link(t, r, v, program, "testdata/wide.c", "-lm")
			assert.Empty(t, output(t, program))
			checkInterposed(t, r, v, program)
		})
	}
}

func swapsOf(v Variant) []string {
	return slices.DeleteFunc(slices.Clone(v.Parts), func(p string) bool { return !slices.Contains(Swaps, p) })
}

// link links a C program of the variant and keeps the linker's map beside it.
func link(t *testing.T, r recipe, v Variant, program string, args ...string) {
	t.Helper()
	args = append(append(r.cflags(v), "-fno-builtin", "-o", program, "-Wl,--cref,-Map="+program+".map"), args...)
	out, err := exec.Command(r.cc, append(args, r.link(v)...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// linkRoom links a room's test binary, in which Go's own C uses locks.
func linkRoom(t *testing.T, b *Builder, v Variant, dir string) {
	t.Helper()
	v.LDFlags = append(v.LDFlags, "-Wl,--cref,-Map="+filepath.Join(dir, "syscalls.test.map"))
	r, err := b.recipe(v)
	require.NoError(t, err)
	rooms := Rooms
	Rooms = []string{"syscalls"}
	defer func() { Rooms = rooms }()
	out, err := r.goCommand(b, v, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// A keptName is a line of testdata/kept.tsv: a function of libc's that is in a
// program beside the part's, and who may call it. Both are patterns.
type keptName struct{ libc, part, symbol, caller, why string }

func readKept(t *testing.T) []keptName {
	t.Helper()
	var kept []keptName
	for line := range strings.Lines(read(t, "testdata/kept.tsv")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, f, 5, line)
		kept = append(kept, keptName{f[0], f[1], f[2], f[3], f[4]})
		require.NotEmpty(t, f[4], line)
	}
	return kept
}

func explained(kept []keptName, libc, part, symbol, caller string) bool {
	return slices.ContainsFunc(kept, func(k keptName) bool {
		named, _ := path.Match(k.symbol, symbol)
		from, _ := path.Match(k.caller, caller)
		return k.libc == libc && k.part == part && named && from
	})
}

func checkReplaced(t *testing.T, r recipe, v Variant, binary string, kept []keptName) {
	t.Helper()
	references := crossReferences(t, binary+".map")
	sections := symbolSections(t, binary)
	for i, part := range swapsOf(v) {
		names, weak := publicNames(t, r.objects[len(v.Parts)-len(swapsOf(v))+i])
		like := regexp.MustCompile(`^_*(?:` + strings.Join(names, "|") + `)(?:_\w+|64)?$`)
		for symbol, files := range references {
			if !like.MatchString(symbol) || !strings.Contains(files[0], "libc.a(") {
				continue
			}
			for _, file := range files[1:] {
				caller := memberOf(file)
				assert.True(t, explained(kept, v.Libc, part, symbol, caller), "%s: libc's %s of %s is there for %s (testdata/kept.tsv)", filepath.Base(binary), symbol, memberOf(files[0]), caller)
			}
		}
		for _, name := range names {
			for _, section := range sections[name] {
				if weak[name] && strings.Contains(references[name][0], "libc.a(") {
					continue
				}
				assert.Equal(t, "libcost_"+part, section, "%s: %s", filepath.Base(binary), name)
			}
		}
	}
}

// crossReferences are a map's (--cref): each symbol's files, first the one that
// defines it.
func crossReferences(t *testing.T, name string) map[string][]string {
	t.Helper()
	_, table, found := strings.Cut(read(t, name), "\nCross Reference Table\n")
	require.True(t, found, name)
	files := map[string][]string{}
	symbol := ""
	for line := range strings.Lines(table) {
		f := strings.TrimSpace(line)
		if f != "" && line[0] != ' ' {
			symbol, f, _ = strings.Cut(f, " ")
			f = strings.TrimSpace(f)
		}
		if f != "" {
			files[symbol] = append(files[symbol], f)
		}
	}
	require.Greater(t, len(files), 100, name)
	return files
}

// memberOf is a file's name, or that of an archive's member.
func memberOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ")")
	return name[strings.LastIndex(name, "(")+1:]
}

// symbolSections are the sections in which a program defines its global names.
func symbolSections(t *testing.T, binary string) map[string][]string {
	t.Helper()
	file, err := elf.Open(binary)
	require.NoError(t, err)
	defer file.Close()
	symbols, err := file.Symbols()
	require.NoError(t, err)
	sections := map[string][]string{}
	for _, s := range symbols {
		if elf.ST_BIND(s.Info) != elf.STB_LOCAL && int(s.Section) < len(file.Sections) && s.Section != elf.SHN_UNDEF {
			sections[s.Name] = append(sections[s.Name], file.Sections[s.Section].Name)
		}
	}
	return sections
}

// checkInterposed sees that libraries too would find the part's functions: the
// program exports those that libc has.
func checkInterposed(t *testing.T, r recipe, v Variant, program string) {
	t.Helper()
	libc := slices.IndexFunc(r.libc, func(f string) bool { return strings.HasPrefix(filepath.Base(f), "libc.so") })
	require.NotEqual(t, -1, libc, r.libc)
	library := r.libc[libc]
	if text := read(t, library); strings.HasPrefix(text, "/*") {
		library = regexp.MustCompile(`\S+/libc\.so\.\d+`).FindString(text)
	}
	theirs, ours, sections := dynamicNames(t, library), dynamicNames(t, program), symbolSections(t, program)
	for i, part := range swapsOf(v) {
		names, _ := publicNames(t, r.objects[len(v.Parts)-len(swapsOf(v))+i])
		for _, name := range names {
			assert.Equal(t, []string{"libcost_" + part}, sections[name], name)
			assert.True(t, ours[name] || !theirs[name], "%s is not exported", name)
		}
	}
}

func dynamicNames(t *testing.T, file string) map[string]bool {
	t.Helper()
	f, err := elf.Open(file)
	require.NoError(t, err)
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			names[s.Name] = true
		}
	}
	return names
}

// renamed is a part's object, built with more flags, whose public names begin
// with part_ so that libc's own are there to compare with. Other objects are
// renamed likewise.
func renamed(t *testing.T, cc, part, dir string, flags []string, others ...string) string {
	t.Helper()
	recipe := partRecipe{flags: slices.Concat(SwapFlags, flags)}
	out, err := buildSwap(recipe, filepath.Join(project(t), "swap", part), dir, cc).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, string(out), "the compiler warns")
	object := filepath.Join(dir, part+".o")
	names, _ := publicNames(t, object)
	var lines string
	for _, n := range names {
		lines += n + " part_" + n + "\n"
	}
	list := filepath.Join(dir, "names")
	put(t, list, lines)
	for _, o := range append(others, object) {
		out, err := exec.Command("objcopy", "--redefine-syms="+list, o).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return object
}

// TestMemops compares each memory function with libc's own, in both libcs and
// without SSE2, and lets gcc's sanitizers watch.
func TestMemops(t *testing.T) {
	for name, c := range map[string]struct{ libc, flags string }{
		"gnu":             {"gnu", ""},
		"musl":            {"musl", ""},
		"without SSE2":    {"gnu", "-DSWAP_PORTABLE"},
		"with sanitizers": {"gnu", "-fsanitize=address,undefined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.libc == "musl" {
				needsMusl(t)
			}
			cc, err := compiler(project(t), mustParse(t, c.libc))
			require.NoError(t, err)
			dir, flags := t.TempDir(), strings.Fields(c.flags)
			object := renamed(t, cc, "memops", dir, flags)
			program := filepath.Join(dir, "program")
			args := slices.Concat([]string{"-O1", "-fno-builtin", "../../swap/testdata/memops.c", object, "-o", program}, flags)
			out, err := exec.Command(cc, args...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Empty(t, runs(t, program))
		})
	}
}

// TestLocks runs what the locks promise in both libcs, linked both ways, and
// under gcc's thread sanitizer.
func TestLocks(t *testing.T) {
	b := &Builder{Root: project(t)}
	for _, name := range []string{"gnu+locks", "musl+locks", "gnu-dynamic+locks", "musl-dynamic+locks"} {
		t.Run(name, func(t *testing.T) {
			v := mustParse(t, name)
			r := needsPart(t, b, v)
			program := filepath.Join(t.TempDir(), "program")
			link(t, r, v, program, "../../swap/testdata/locks.c")
			for range 5 {
				assert.Empty(t, runs(t, program))
			}
			for what, says := range map[string]string{
				"robust":  "a robust mutex",
				"inherit": "a priority-inheriting mutex",
				"mutex":   "a process-shared mutex",
				"cond":    "a process-shared condition variable",
				"rwlock":  "a process-shared reader-writer lock",
				"kind":    "a mutex of this kind",
			} {
				out, err := exec.Command(program, what).CombinedOutput()
				assert.EqualError(t, err, "signal: aborted", what)
				assert.Equal(t, "libcost: locks: "+says+" is not in this part\n", string(out))
			}
			assert.Empty(t, output(t, program, "nothing"))
		})
	}
	t.Run("with the thread sanitizer", func(t *testing.T) {
		cc, err := compiler(project(t), mustParse(t, "gnu"))
		require.NoError(t, err)
		dir := t.TempDir()
		test, program := filepath.Join(dir, "test.o"), filepath.Join(dir, "program")
		out, err := exec.Command(cc, "-fsanitize=thread", "-O1", "-g", "-c", "../../swap/testdata/locks.c", "-o", test).CombinedOutput()
		require.NoError(t, err, "%s", out)
		object := renamed(t, cc, "locks", dir, []string{"-fsanitize=thread"}, test)
		out, err = exec.Command(cc, "-fsanitize=thread", test, object, "-o", program).CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Empty(t, runs(t, program))
	})
}

// runs is what a program says; one that waits for ever is ended.
func runs(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.Command("timeout", "-k", "5", "240", program).CombinedOutput()
	assert.NoError(t, err, "%s", lastLines(string(out), 30))
	return string(out)
}
