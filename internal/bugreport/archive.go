package bugreport

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"libcost/internal/results"
)

//go:embed repro/main.c
var program []byte

// Files are the reproducer's, by name: the row's room, what runs its kernels,
// and a small main. root is the project.
func Files(root string, row results.Row, n int) (map[string][]byte, error) {
	if row.Room == "cgo" || row.Op == 0 || strings.Contains(row.Name, "/batch=") {
		return nil, errors.New("the row's loop is in Go, round calls of C: there is no reproducer in C alone")
	}
	files := map[string][]byte{"main.c": program, "row.h": header(row, n)}
	for _, pattern := range []string{row.Room + "/*.c", row.Room + "/*.h", "internal/gang/run.[ch]", "internal/gang/gang.h", "internal/gang/histogram.[ch]"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no source %s", pattern)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			name := filepath.Base(file)
			if files[name] != nil {
				return nil, fmt.Errorf("two sources are called %s", name)
			}
			files[name] = text
		}
	}
	return files, nil
}

// header says which row is run, and how.
func header(row results.Row, n int) []byte {
	plain := 0
	if row.Plain {
		plain = 1
	}
	return fmt.Appendf(nil, "#define ROW %q\n#define N %d\n#define TABLE %s_kernels\n#define PLAIN %d\n", row.Name, n, row.Room, plain)
}

// Pack writes the files as a .tar.gz with one directory in it. Nothing of the
// machine is in it: no owner, no time.
func Pack(w io.Writer, dir string, files map[string][]byte) error {
	zip := gzip.NewWriter(w)
	archive := tar.NewWriter(zip)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		h := &tar.Header{Name: dir + "/" + name, Mode: 0o644, Size: int64(len(files[name])), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if _, err := archive.Write(files[name]); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zip.Close())
}

// Compile compiles the files with a compiler, as the report says it is done.
// Nothing of what the compiler says leaves it: that may name places of this
// machine.
func Compile(ctx context.Context, cc, dir string, files map[string][]byte) (binary string, err error) {
	path, err := exec.LookPath(cc)
	if err != nil {
		return "", fmt.Errorf("%s: not found", filepath.Base(cc))
	}
	var sources []string
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return "", err
		}
		if strings.HasSuffix(name, ".c") {
			sources = append(sources, name)
		}
	}
	slices.Sort(sources)
	binary = filepath.Join(dir, filepath.Base(cc)+".repro")
	cmd := exec.CommandContext(ctx, path, slices.Concat([]string{"-O2", "-static", "-pthread"}, sources, []string{"-o", binary})...)
	cmd.Dir = dir
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: does not compile it (%w)", filepath.Base(cc), err)
	}
	return binary, nil
}

// longest is how many lines of a function are shown.
const longest = 120

// Disassemble lists a function of a binary, the lines that objdump gives for
// it and no path.
func Disassemble(ctx context.Context, binary, function string) (string, error) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		return "", errors.New("objdump: not found (make setup)")
	}
	out, err := exec.CommandContext(ctx, objdump, "-d", "--no-show-raw-insn", "--disassemble="+function, binary).Output()
	if err != nil {
		return "", fmt.Errorf("objdump: %w", err)
	}
	var kept []string
	for _, line := range bytes.Split(out, []byte("\n")) {
		text := strings.TrimRight(string(line), " \t")
		if text == "" || strings.HasPrefix(text, "Disassembly") || strings.Contains(text, "file format") {
			continue
		}
		if kept = append(kept, text); len(kept) == longest {
			kept = append(kept, "...")
			break
		}
	}
	if len(kept) == 0 {
		return "", fmt.Errorf("%s is not in the program", function)
	}
	return strings.Join(kept, "\n"), nil
}
