package shims

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadArchive(t *testing.T) {
	gcc := compilerFor(t, "gcc")
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	// An odd size, as Go's own members may have it: the next one is padded.
	files := []string{write("__.PKGDEF", "go object linux amd64\n!")}
	for name, text := range map[string]string{
		"_x001.o": "int alloc_a(void) { return 1; } static int n; int *alloc_n(void) { return &n; }",
		"_x002.o": "int alloc_b(void) { return 2; }",
	} {
		file := filepath.Join(dir, name)
		run(t, gcc, "-O2", "-c", "-o", file, write("text.c", text))
		files = append(files, file)
	}
	archive := filepath.Join(dir, "package.a")
	if _, err := output(exec.Command("ar", append([]string{"rcS", archive}, files...)...)); err != nil {
		t.Fatal(err)
	}
	objects, err := readArchive(archive)
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) != 2 {
		t.Fatalf("got %d objects, want 2", len(objects))
	}
	for text, want := range map[string]bool{
		"int alloc_a(void) { return 3; } static int m; int *alloc_n(void) { return &m; }": true, // same names outside
		"int alloc_b(void) { return 2; }":                                                 true,
		"int alloc_b(void) { return 2; } int alloc_c(void) { return 3; }":                 false,
		"int n(void) { return 1; }":                                                       false, // the name of a static one
	} {
		if got := sameSource(assemble(t, gcc, text), objects) != nil; got != want {
			t.Errorf("%s: found %v, want %v", text, got, want)
		}
	}

	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "not an archive"},
		{string(whole[:len(arMagic)+10]), "cut off"},
		{string(whole[:len(whole)-100]), "bad size"},
		{strings.Replace(string(whole), "\x7fELF\x02", "\x7fELF\x01", 1), "_x00"},
	} {
		if _, err := readArchive(write("bad.a", c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
