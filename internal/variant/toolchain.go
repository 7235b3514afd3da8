package variant

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// CFlags are what every C file of every variant is compiled with. Debian's and
// Ubuntu's gcc add the stack protector and fortify by themselves, musl-gcc's
// headers know no fortify: both are off, so that libc is all that differs.
// Functions start on a cache line, since a header that moves a loop by 16
// bytes can cost 2 %.
var CFlags = []string{"-O2", "-g", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-falign-functions=64"}

// A MissingError is a tool that a variant needs and the machine lacks.
type MissingError struct{ Variant, Tool, Remedy string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("build %s: %s not found (%s)", e.Variant, e.Tool, e.Remedy)
}

// compiler finds the C compiler of a variant: its own, or the libc's.
func compiler(root string, v Variant) (string, error) {
	name, remedy := "gcc", "make setup"
	switch {
	case v.CC != "":
		name, remedy = v.CC, "variants.toml: cc"
	case v.Libc == "musl":
		name = "musl-gcc"
		if own := filepath.Join(root, ".toolchain", "bin", name); isFile(own) {
			return own, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &MissingError{v.Name, name, remedy}
	}
	return filepath.Abs(path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// libcFiles are the files that a program of the variant takes from the
// toolchain (crt1.o, libc.a, ...), as the linker names them. Their content is
// part of a build: a distribution's upgrade of libc must not go unnoticed.
func libcFiles(cc string, v Variant) ([]string, error) {
	dir, err := os.MkdirTemp("", "libcost-link-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "main.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		return nil, err
	}
	args := slices.Concat(v.CFlags, []string{"-Wl,-t", source, "-o", filepath.Join(dir, "main")})
	if v.Static {
		args = append(args, "-static")
	}
	cmd := exec.Command(cc, append(args, v.LDFlags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, &StepError{v.Name, "link an empty program", lastLines(stderr.String(), 20), err}
	}
	var files []string
	for line := range strings.Lines(string(out)) {
		// gold and mold name each member: libc.a(malloc.o). The object of the
		// empty program itself is gone by now.
		f, _, _ := strings.Cut(strings.TrimSpace(line), ".a(")
		if f != strings.TrimSpace(line) {
			f += ".a"
		}
		if isFile(f) && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, &StepError{v.Name, "link an empty program", lastLines(string(out), 20), errors.New("the linker names no file of libc (-t)")}
	}
	return files, nil
}

// compilerVersion is the first line of the compiler's own answer.
func compilerVersion(cc string) string {
	out, _ := exec.Command(cc, "--version").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

// A digest adds up what goes into a build.
type digest struct{ parts []string }

func (d *digest) text(s ...string) {
	for _, s := range s {
		d.parts = append(d.parts, fmt.Sprintf("%d:%s", len(s), s))
	}
}

// list adds words as one part: a word that moves from one list to the next
// makes another sum.
func (d *digest) list(words []string) {
	var l digest
	l.text(words...)
	d.text(l.sum())
}

func (d *digest) file(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	d.text(name, hex.EncodeToString(h.Sum(nil)))
	return nil
}

// files adds the files of a directory, without those below it, whose name is
// wanted.
func (d *digest) files(dir string, wanted func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !wanted(e.Name()) {
			continue
		}
		if err := d.file(e.Name(), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// tree adds all files below a directory.
func (d *digest) tree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		return d.file(strings.TrimPrefix(path, dir), path)
	})
}

// sum is short enough for a path and long enough for a machine's builds.
func (d *digest) sum() string {
	h := sha256.Sum256([]byte(strings.Join(d.parts, "\n")))
	return hex.EncodeToString(h[:6])
}
