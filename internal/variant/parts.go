package variant

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A recipe of a part compiles an allocator, or a directory of swap/, into one
// object that defines every name of its interface (malloc, aligned_alloc, ...)
// and is in the program whole. One missing name would be libc's: with malloc
// alone replaced, musl links silently and its realloc frees what it never gave;
// with a mutex alone, libc's pthread_cond_wait unlocks what it did not lock.
type partRecipe struct {
	flags []string
	build func(p partRecipe, source, work, cc string) *exec.Cmd
}

var partRecipes = map[string]partRecipe{
	"mimalloc": {
		flags: []string{"-DNDEBUG", "-DMI_MALLOC_OVERRIDE=1", "-ftls-model=local-exec", "-fno-builtin-malloc",
			// glibc's own word, which mimalloc asks before it defines
			// aligned_alloc: under musl it would not.
			"-D__USE_ISOC11=1"},
		build: buildMimalloc,
	},
	"jemalloc": {
		flags: []string{"--disable-cxx", "--disable-doc", "--disable-shared", "--disable-libdl", "--enable-static", "--with-jemalloc-prefix="},
		build: buildJemalloc,
	},
	"memops": {flags: SwapFlags, build: buildSwap},
	"locks":  {flags: SwapFlags, build: buildSwap},
}

// SwapFlags come after [CFlags] for the parts of swap/. Without the first two
// gcc makes a call of memset from the loop in memset. The others give every
// loop the same place in a cache line wherever the linker puts the object.
var SwapFlags = []string{"-fno-builtin", "-fno-tree-loop-distribute-patterns", "-falign-loops=32", "-falign-jumps=16", "-Wall"}

// part gives the object of a part for a variant's libc, and builds it
// first if it must. The object's directory is named for all that went in,
// since go build looks at an object's path and never at its content. Static and
// dynamic programs share it.
func (b *Builder) part(v Variant, name, cc string) (string, error) {
	b.parts.Lock()
	defer b.parts.Unlock()
	source, err := b.source(v, name)
	if err != nil {
		return "", err
	}
	r := partRecipes[name]
	libc, err := libcFiles(cc, Variant{Name: v.Name, Libc: v.Libc, Static: true})
	if err != nil {
		return "", err
	}
	var d digest
	d.text(name, filepath.Base(source), compilerVersion(cc), rest)
	d.list(CFlags)
	d.list(r.flags)
	if err := d.tree(source); err != nil {
		return "", fmt.Errorf("build %s: %s: %w", v.Name, name, err)
	}
	for _, f := range append(libc, cc) {
		if err := d.file(f, f); err != nil {
			return "", fmt.Errorf("build %s: %s: %w", v.Name, name, err)
		}
	}
	dir := filepath.Join(b.dir(), "parts", fmt.Sprintf("%s-%s-%s", name, v.Libc, d.sum()))
	object := filepath.Join(dir, name+".o")
	if isFile(object) {
		return object, nil
	}
	b.say("build: %s for %s", filepath.Base(source), v.Libc)
	return object, b.makePart(v, name, source, cc, dir)
}

// makePart works in the system's directory for temporary files: autoconf takes
// no path with a space in it, which the project's may have.
func (b *Builder) makePart(v Variant, name, source, cc, dir string) error {
	work, err := os.MkdirTemp("", "libcost-part-")
	if err != nil {
		return fmt.Errorf("build %s: %w", v.Name, err)
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "rest.c"), []byte(rest), 0o666); err != nil {
		return fmt.Errorf("build %s: %w", v.Name, err)
	}
	r := partRecipes[name]
	if err := b.step(v.Name, "build "+name, r.build(r, source, work, cc)); err != nil {
		return err
	}
	object, err := os.ReadFile(filepath.Join(work, name+".o"))
	if err != nil {
		return fmt.Errorf("build %s: %s: %w", v.Name, name, err)
	}
	tmp, err := tempBeside(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.WriteFile(filepath.Join(tmp, name+".o"), object, 0o666); err != nil {
		return fmt.Errorf("build %s: %w", v.Name, err)
	}
	return publish(tmp, dir, name+".o")
}

// source is the directory of a part's source: our own, or an allocator's, which
// scripts/setup finds or fetches, and names in its last line.
func (b *Builder) source(v Variant, name string) (string, error) {
	if slices.Contains(Swaps, name) {
		return filepath.Join(b.Root, "swap", name), nil
	}
	cmd := exec.Command(filepath.Join(b.Root, "scripts", "setup"), name)
	cmd.Dir = b.Root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", &StepError{v.Name, "find the source of " + name, lastLines(stderr.String(), 20), err}
	}
	dir := lastLines(stdout.String(), 1)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("build %s: scripts/setup %s names no directory: %q", v.Name, name, dir)
	}
	return dir, nil
}

func buildMimalloc(p partRecipe, source, work, cc string) *exec.Cmd {
	args := append(append([]string{}, CFlags...), p.flags...)
	args = append(args, "-I", filepath.Join(source, "include"), "-c", filepath.Join(source, "src", "static.c"), "-o", filepath.Join(work, "mimalloc.o"))
	return exec.Command(cc, args...)
}

// buildSwap compiles each file of a directory of swap/ and links them into one
// object, so that a program has all of it or nothing. Its code gets a section
// of its own, by which the attestation sees that a function is the part's.
func buildSwap(p partRecipe, source, work, cc string) *exec.Cmd {
	script := `set -e
for source in *.c; do
	"$CC" "$@" -c "$source" -o "$WORK/${source%.c}.part"
done
cd "$WORK"
ld -r -o "$NAME.o" ./*.part
objcopy --rename-section ".text=libcost_$NAME" "$NAME.o"`
	cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, slices.Concat(CFlags, p.flags)...)...)
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CC="+cc, "WORK="+work, "NAME="+filepath.Base(source))
	return cmd
}

// buildJemalloc configures and makes a copy of the source, then links the
// archive and what it lacks into one object.
func buildJemalloc(p partRecipe, source, work, cc string) *exec.Cmd {
	script := `set -e
mkdir src
cp -R "$SOURCE/." src
"$CC" $CFLAGS -c rest.c
cd src
./configure -q "$@"
make -s -j` + fmt.Sprint(runtime.NumCPU()) + ` lib/libjemalloc.a
ld -r -o ../jemalloc.o ../rest.o --whole-archive lib/libjemalloc.a`
	cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, p.flags...)...)
	cmd.Dir = work
	// By its name alone, since configure splits CC at spaces.
	cmd.Env = append(os.Environ(), "SOURCE="+source, "CC="+filepath.Base(cc),
		"PATH="+filepath.Dir(cc)+string(filepath.ListSeparator)+os.Getenv("PATH"), "CFLAGS="+strings.Join(CFlags, " "))
	return cmd
}

// rest is what jemalloc 5.3 lacks of glibc's interface. A program that calls
// it would get pages of glibc's heap and free them in jemalloc's.
const rest = `
typedef __SIZE_TYPE__ size_t;
int getpagesize(void);
void *memalign(size_t, size_t);
void *pvalloc(size_t n)
{
	size_t page = getpagesize();
	return memalign(page, (n + page - 1) & -page);
}
`
