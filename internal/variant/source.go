package variant

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// MuslSource is the variant that MUSL_SRC= defines: a musl compiled from an
// unpacked source tree.
const MuslSource = "musl-src"

// compiler finds the C compiler of a variant, and compiles its musl first if
// that comes as a source tree.
func (b *Builder) compiler(v Variant) (string, error) {
	if v.Source == "" {
		return compiler(b.Root, v)
	}
	b.parts.Lock()
	defer b.parts.Unlock()
	for _, file := range []string{"configure", "VERSION", "src/malloc"} {
		if _, err := os.Stat(filepath.Join(v.Source, file)); err != nil {
			return "", fmt.Errorf("build %s: %s is no source tree of musl: it holds no %s (MUSL_SRC=an unpacked musl-1.2.5)", v.Name, v.Source, file)
		}
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return "", &MissingError{v.Name, "gcc", "make setup"}
	}
	var d digest
	d.text(compilerVersion(gcc))
	if err := d.tree(v.Source); err != nil {
		return "", fmt.Errorf("build %s: %w", v.Name, err)
	}
	dir := filepath.Join(b.dir(), "musl", d.sum())
	wrapper := filepath.Join(dir, "bin", "musl-gcc")
	if isFile(wrapper) {
		return wrapper, nil
	}
	b.say("build: musl from %s", filepath.Base(v.Source))
	return wrapper, b.makeMusl(v, gcc, dir)
}

// makeMusl compiles outside the source tree, which may be read-only, and gives
// the whole its name at the end.
func (b *Builder) makeMusl(v Variant, gcc, dir string) error {
	source, err := filepath.Abs(v.Source)
	if err != nil {
		return fmt.Errorf("build %s: %w", v.Name, err)
	}
	tmp, err := tempBeside(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	work := filepath.Join(tmp, "work")
	if err := os.Mkdir(work, 0o777); err != nil {
		return fmt.Errorf("build %s: %w", v.Name, err)
	}
	for _, args := range [][]string{
		{filepath.Join(source, "configure"), "--prefix=" + dir, "--syslibdir=" + filepath.Join(dir, "lib"), "--enable-wrapper=gcc", "CC=" + gcc},
		{"make", fmt.Sprintf("-j%d", runtime.NumCPU())},
		{"make", "install", "DESTDIR=" + filepath.Join(tmp, "root")},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = work
		if err := b.step(v.Name, "musl: "+filepath.Base(strings.Join(args[:min(2, len(args))], " ")), cmd); err != nil {
			return err
		}
	}
	return publish(filepath.Join(tmp, "root", dir), dir, filepath.Join("bin", "musl-gcc"))
}
