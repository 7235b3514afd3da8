package variant

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// CopySuffix ends the name of a second copy of a variant.
const CopySuffix = ".copy"

// Copy puts a second copy of a variant's binaries beside the first. Whatever
// differs between the two is the machine's doing, or the method's.
func (b *Builder) Copy(built *Built) (*Built, error) {
	dir := built.Dir + CopySuffix
	if !isFile(filepath.Join(dir, manifest)) {
		if err := copyDir(built.Dir, dir); err != nil {
			return nil, fmt.Errorf("copy %s: %w", built.Variant.Name, err)
		}
	}
	second, err := load(built.Variant, built.Build, dir)
	if err != nil {
		return nil, err
	}
	second.Variant.Name += CopySuffix
	return second, nil
}

// Original is the name of the variant that a name is a copy of.
func Original(name string) (original string, copied bool) {
	return strings.CutSuffix(name, CopySuffix)
}

func copyDir(from, to string) error {
	tmp, err := tempBeside(to)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyFile(filepath.Join(from, e.Name()), filepath.Join(tmp, e.Name())); err != nil {
			return err
		}
	}
	return publish(tmp, to, manifest)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
