package variant

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// part gives the object of an allocator for a variant's libc, and builds it
// first if it must. The object's directory is named for all that went in,
// since go build looks at an object's path and never at its content.
//
// Each allocator is complete (malloc, free, calloc, realloc, aligned_alloc,
// ...): with malloc alone musl links silently and takes realloc from its own.
func (b *Builder) part(v Variant, name, cc string, libc []string) (string, error) {
	source, err := b.source(v, name)
	if err != nil {
		return "", err
	}
	var d digest
	d.text(name, filepath.Base(source), cc, compilerVersion(cc), strings.Join(CFlags, " "), strings.Join(partFlags[name], " "))
	if err := d.tree(source); err != nil {
		return "", fmt.Errorf("build %s: %s: %w", v.Name, name, err)
	}
	for _, f := range libc {
		if err := d.file(f, f); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(b.dir(), "parts", fmt.Sprintf("%s-%s-%s", name, v.Libc, d.sum()))
	object := filepath.Join(dir, name+".o")
	if isFile(object) {
		return object, nil
	}
	b.say("build: %s for %s", filepath.Base(source), v.Libc)
	tmp, err := tempBeside(dir)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	build := map[string]func(source, tmp, cc string) *exec.Cmd{"mimalloc": buildMimalloc, "jemalloc": buildJemalloc}[name]
	if err := b.step(v.Name, "build "+name, build(source, tmp, cc)); err != nil {
		return "", err
	}
	if !isFile(filepath.Join(tmp, name+".o")) {
		return "", fmt.Errorf("build %s: %s made no %s.o", v.Name, name, name)
	}
	return object, publish(tmp, dir)
}

// source is the directory of an allocator's source, which scripts/setup finds
// or fetches.
func (b *Builder) source(v Variant, name string) (string, error) {
	cmd := exec.Command(filepath.Join(b.Root, "scripts", "setup"), name)
	cmd.Dir = b.Root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", &StepError{v.Name, "find the source of " + name, lastLines(stderr.String(), 20), err}
	}
	lines := strings.Fields(stdout.String())
	if len(lines) == 0 {
		return "", fmt.Errorf("build %s: scripts/setup %s named no directory", v.Name, name)
	}
	return lines[len(lines)-1], nil
}

var partFlags = map[string][]string{
	"mimalloc": {"-DNDEBUG", "-DMI_MALLOC_OVERRIDE=1", "-ftls-model=local-exec", "-fno-builtin-malloc"},
	"jemalloc": {"--disable-cxx", "--disable-doc", "--disable-shared", "--disable-libdl", "--enable-static", "--with-jemalloc-prefix="},
}

func buildMimalloc(source, tmp, cc string) *exec.Cmd {
	args := append(append([]string{}, CFlags...), partFlags["mimalloc"]...)
	args = append(args, "-I", filepath.Join(source, "include"), "-c", filepath.Join(source, "src", "static.c"), "-o", filepath.Join(tmp, "mimalloc.o"))
	return exec.Command(cc, args...)
}

// buildJemalloc configures and makes in tmp, then links the archive into one
// object, so that it is in the program whole.
func buildJemalloc(source, tmp, cc string) *exec.Cmd {
	script := `set -e
cp -R "$SOURCE/." src && cd src
./configure -q CC="$CC" CFLAGS="$CFLAGS" "$@"
make -s -j` + fmt.Sprint(runtime.NumCPU()) + ` build_lib_static
ld -r -o ../jemalloc.o --whole-archive lib/libjemalloc.a
cd .. && rm -rf src`
	cmd := exec.Command("sh", append([]string{"-c", "mkdir src && " + script, "sh"}, partFlags["jemalloc"]...)...)
	cmd.Dir = tmp
	cmd.Env = append(os.Environ(), "SOURCE="+source, "CC="+cc, "CFLAGS="+strings.Join(CFlags, " "))
	return cmd
}
