package shims

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// root is the project.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// compilerFor finds a compiler, or skips the test.
func compilerFor(t *testing.T, name string) *compiler {
	t.Helper()
	c, err := findCompiler(root(t), name)
	if err != nil {
		t.Skip(err)
	}
	return c
}

func onlyX86(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skipf("machine code of %s is not read", runtime.GOARCH)
	}
}

// link makes a program of one file.
func link(t *testing.T, c *compiler, source string, flags ...string) *image {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	run(t, c, append(flags, "-O2", "-o", file, source)...)
	im, err := openImage(file)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// assemble makes an object of a text.
func assemble(t *testing.T, c *compiler, text string, flags ...string) *object {
	t.Helper()
	dir := t.TempDir()
	source, file := filepath.Join(dir, "text.c"), filepath.Join(dir, "text.o")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, c, append(flags, "-O2", "-c", "-o", file, source)...)
	o, err := openObject(file)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func run(t *testing.T, c *compiler, args ...string) {
	t.Helper()
	if _, err := output(exec.Command(c.path, args...)); err != nil {
		t.Fatal(err)
	}
}
