package shims

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"libcost/internal/variant"
)

func TestTree(t *testing.T) {
	report := check(t, root(t), "gnu", "musl", "gnu-dynamic", "musl-dynamic")
	for _, f := range report.Findings {
		t.Error(f)
	}
	if len(report.Rooms) != len(variant.Rooms) {
		t.Errorf("%d rooms of %d were looked at", len(report.Rooms), len(variant.Rooms))
	}
	for _, room := range report.Rooms {
		if room.Rows == 0 || len(room.Calls) == 0 {
			t.Errorf("%s: nothing was looked for", room.Name)
		}
	}
	t.Logf("\n%s", report)
}

// Mistakes are planted into a copy of two rooms, and each is found.
func TestPlanted(t *testing.T) {
	onlyX86(t)
	defer func(rooms []string) { variant.Rooms = rooms }(variant.Rooms)
	variant.Rooms = []string{"alloc", "memops"}

	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "alloc", "memops", "internal/gang", "internal/attest"} {
		copyTree(t, filepath.Join(root(t), name), filepath.Join(dir, name))
	}
	planted, err := filepath.Glob("testdata/planted/*.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range planted {
		copyTree(t, f, filepath.Join(dir, "alloc", filepath.Base(f)))
	}
	const launder = `.*\bLAUNDER\(.*\n`
	edit(t, filepath.Join(dir, "memops/scan.c"), launder, "")
	edit(t, filepath.Join(dir, "alloc/pair.c"), launder+`|.*if \(!block\).*\n`, "")
	edit(t, filepath.Join(dir, "alloc/alloc.go"), `#cgo CFLAGS:`, "$0 -DPLANTED")
	edit(t, filepath.Join(dir, "alloc/table.c"), `\t\{ 0 \}`, read(t, "testdata/planted/rows")+"$0")
	edit(t, filepath.Join(dir, "alloc/shim.h"), `extern const`, "KERNEL(alloc_outside);\nKERNEL(alloc_clear);\n$0")

	report := check(t, dir, "gnu", "musl")
	for _, want := range []string{
		// Without LAUNDER gcc looks for the needle once, and deletes the pair.
		"memops/scan.c: memops_memchr_op: loop holds no call of memchr, there is one beside it only (gnu, musl)",
		"memops/scan.c: memops_strlen_op: loop holds no call of strlen, there is one beside it only (gnu, musl)",
		"memops/scan.c: memops_strnlen_op: loop holds no call of strnlen, there is one beside it only (gnu, musl)",
		"alloc/pair.c: alloc_pair_op: loop holds no call of malloc (gnu, gnu plain, musl, musl plain)",
		"alloc/pair.c: alloc_pair_op: loop holds no call of free (gnu, gnu plain, musl, musl plain)",
		"alloc/outside.c: alloc_outside_op: loop holds no call of malloc, there is one beside it only (gnu, musl)",
		"alloc/outside.c: alloc_outside_op: loop holds no call of free, there is one beside it only (gnu, musl)",
		"alloc/clear.c: alloc_clear_op: loop holds a call of memset that the row does not name (gnu, musl)",
		"alloc/inline.c: alloc_inline: rep movsb at +0x... instead of a call (gcc, gcc by cgo, musl-gcc, musl-gcc by cgo, gnu, gnu plain, musl, musl plain)",
		"alloc/flags.c: alloc_flags: differs at +0x... (gcc against gcc by cgo, gcc against musl-gcc by cgo)",
		// One source, two programs: glibc's look into a table, musl's comparison.
		"alloc/ctype.c: alloc_ctype: differs at +0x... (gcc against musl-gcc, gcc against musl-gcc by cgo)",
		"alloc/ctype.c: includes /.../ctype.h ... (gcc)",
		"alloc/ctype.c: includes /.../ctype.h... (musl-gcc)",
		// The same program from both, and no less refused.
		"alloc/limits.c: includes /.../limits.h... (gcc)",
		"alloc/limits.c: includes /.../limits.h... (musl-gcc)",
	} {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, ".*") + "$")
		i := slices.IndexFunc(report.Findings, func(f Finding) bool { return pattern.MatchString(f.String()) })
		if i < 0 {
			t.Errorf("not found: %s", want)
			continue
		}
		report.Findings = slices.Delete(report.Findings, i, i+1)
	}
	for _, f := range report.Findings {
		t.Errorf("not planted: %s", f)
	}
}

func check(t *testing.T, dir string, names ...string) *Report {
	t.Helper()
	var variants []variant.Variant
	for _, name := range names {
		v, err := variant.Parse(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		variants = append(variants, v)
	}
	builds, err := (&variant.Builder{Root: dir}).Build(variants...)
	if missing := (*variant.MissingError)(nil); errors.As(err, &missing) {
		t.Skip(missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	report, err := Check(dir, builds)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(read(t, from)), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// edit replaces what must be there.
func edit(t *testing.T, file, pattern, by string) {
	t.Helper()
	text := read(t, file)
	edited := regexp.MustCompile(pattern).ReplaceAllString(text, by)
	if edited == text {
		t.Fatalf("%s holds no %s", file, pattern)
	}
	if err := os.WriteFile(file, []byte(edited), 0o666); err != nil {
		t.Fatal(err)
	}
}
