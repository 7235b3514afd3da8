package variant

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// Definitions are the variants of variants.toml by name.
type Definitions map[string]Definition

// A Definition changes a built-in variant.
type Definition struct {
	Base    string            `toml:"base"` // a built-in variant: musl, gnu-dynamic, ...
	CC      string            `toml:"cc"`
	CFlags  []string          `toml:"cflags"`
	LDFlags []string          `toml:"ldflags"`
	Objects []string          `toml:"objects"` // relative to the file's directory, as cc is if it holds a slash
	Env     map[string]string `toml:"env"`
	Source  string            `toml:"source"` // of musl, unpacked
}

func (d Definition) environ() []string {
	var env []string
	for k, v := range d.Env {
		env = append(env, k+"="+v)
	}
	sort.Strings(env)
	return env
}

// A DefinitionError is what is wrong with a file of definitions.
type DefinitionError struct {
	File string
	Line int // 0 if it is not known
	Err  error
}

func (e *DefinitionError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *DefinitionError) Unwrap() error { return e.Err }

// ReadDefinitions reads variants.toml; a file that is not there defines none.
func ReadDefinitions(file string) (Definitions, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read variants: %w", err)
	}
	defs := Definitions{}
	meta, err := toml.Decode(string(text), &defs)
	if err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return nil, &DefinitionError{file, parse.Position.Line, errors.New(parse.Message)}
		}
		return nil, &DefinitionError{file, 0, err}
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return nil, &DefinitionError{file, 0, fmt.Errorf("unknown key %s (allowed: base, cc, cflags, ldflags, objects, env, source)", extra[0])}
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("read variants: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		defs[name] = defs[name].resolve(dir)
		if err := defs[name].check(name); err != nil {
			return nil, &DefinitionError{file, 0, err}
		}
	}
	return defs, nil
}

// nameOfOwn is what a variant of variants.toml may be called: its name becomes a
// file's name, and + joins parts to it.
var nameOfOwn = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (d Definition) check(name string) error {
	if !nameOfOwn.MatchString(name) {
		return fmt.Errorf("variant %q: a name is made of letters, digits, '.', '_' and '-'", name)
	}
	if _, err := Parse(name, nil); err == nil {
		return fmt.Errorf("variant %q: the name is a built-in one", name)
	}
	if d.Base == "" {
		return fmt.Errorf("variant %q: no base (base = \"gnu\", musl, gnu-dynamic, ...)", name)
	}
	if _, err := Parse(d.Base, nil); err != nil {
		return fmt.Errorf("variant %q: base: %w", name, err)
	}
	if v, _ := Parse(d.Base, nil); d.Source != "" && (v.Libc != "musl" || d.CC != "") {
		return fmt.Errorf("variant %q: source is of a musl, and brings its own compiler: base = \"musl\", no cc", name)
	}
	for _, o := range d.Objects {
		if _, err := os.Stat(o); err != nil {
			return fmt.Errorf("variant %q: objects: %w", name, err)
		}
	}
	return nil
}

// resolve makes the definition's own files absolute, as seen from dir.
func (d Definition) resolve(dir string) Definition {
	objects := slices.Clone(d.Objects)
	for i, o := range objects {
		if !filepath.IsAbs(o) {
			objects[i] = filepath.Join(dir, o)
		}
	}
	d.Objects = objects
	if d.Source != "" && !filepath.IsAbs(d.Source) {
		d.Source = filepath.Join(dir, d.Source)
	}
	if strings.Contains(d.CC, "/") && !filepath.IsAbs(d.CC) {
		d.CC = filepath.Join(dir, d.CC)
	}
	return d
}
