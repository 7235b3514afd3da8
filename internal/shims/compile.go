package shims

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"libcost/internal/variant"
)

// A compiler is the gcc of one libc.
type compiler struct {
	name     string // gcc, musl-gcc
	path     string
	implicit []string // headers that it reads before any file's first line
}

// findCompilers finds the compilers of the libcs that the variants hold.
func findCompilers(root string, builds []*variant.Built) ([]*compiler, error) {
	var names []string
	for _, b := range builds {
		name := map[string]string{"gnu": "gcc", "musl": "musl-gcc"}[b.Variant.Libc]
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var list []*compiler
	for _, name := range names {
		c, err := findCompiler(root, name)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// findCompiler takes what make setup unpacked, else what PATH has.
func findCompiler(root, name string) (*compiler, error) {
	c := &compiler{name: name, path: filepath.Join(root, ".toolchain", "bin", name)}
	if _, err := os.Stat(c.path); err != nil {
		if c.path, err = exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("%s not found (make setup)", name)
		}
	}
	rule, err := output(exec.Command(c.path, "-M", "-x", "c", os.DevNull))
	if err != nil {
		return nil, err
	}
	c.implicit = dependencies(rule)
	return c, nil
}

// compile makes a kernel file's object as the plain worker gets it, and tells
// which files went in.
func (c *compiler) compile(root, file string) (o *object, read []string, err error) {
	dir, err := os.MkdirTemp("", "check-shims-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	object, rule := filepath.Join(dir, "kernel.o"), filepath.Join(dir, "kernel.d")

	args := slices.Concat(variant.CFlags, []string{"-I", gangDir, "-I", path.Dir(file), "-MD", "-MF", rule, "-c", "-o", object, file})
	cmd := exec.Command(c.path, args...)
	cmd.Dir = root
	if _, err := output(cmd); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(rule)
	if err != nil {
		return nil, nil, err
	}
	o, err = openObject(object)
	return o, dependencies(text), err
}

// packages builds the rooms' packages, as their test binaries hold them, and
// reads the C objects of each.
func (c *compiler) packages(root string) (map[string][]*object, error) {
	// go build does not see a header outside the package: without its hash an
	// object from before an edit would be taken for today's.
	headers, err := hash(filepath.Join(root, gangDir, "*.h"))
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-test", "-export", "-trimpath", "-tags", "netgo,osusergo", "-f", "{{.ForTest}} {{.ImportPath}} {{.Export}}"}
	for _, room := range variant.Rooms {
		args = append(args, "./"+room)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=", "CC='"+c.path+"'",
		"CGO_CFLAGS="+strings.Join(variant.CFlags, " ")+" -DLIBCOST_HEADERS="+headers)
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	packages := map[string][]*object{}
	for line := range strings.Lines(string(out)) {
		// libcost/alloc libcost/alloc [libcost/alloc.test] /cache/ab-d: the package
		// with its test files, not the one that others would import.
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		archive, ok := strings.CutPrefix(rest, fmt.Sprintf("%s [%s.test] ", name, name))
		if !ok {
			continue
		}
		if packages[path.Base(name)], err = readArchive(archive); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// hash is one word for the content of the files that match a pattern.
func hash(pattern string) (string, error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(f), len(text), text)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), nil
}

// output runs a command; its error holds what the command said.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// parallel calls f for 0 to n-1, as many at once as there are CPUs.
func parallel(n int, f func(int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, runtime.NumCPU())
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = f(i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
