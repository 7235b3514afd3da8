package variant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	Objects []string          `toml:"objects"`
	Env     map[string]string `toml:"env"`
}

func (d Definition) environ() []string {
	var env []string
	for k, v := range d.Env {
		env = append(env, k+"="+v)
	}
	sort.Strings(env)
	return env
}

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
			return nil, fmt.Errorf("%s:%d: %s", file, parse.Position.Line, parse.Message)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return nil, fmt.Errorf("%s: unknown key %s (allowed: base, cc, cflags, ldflags, objects, env)", file, extra[0])
	}
	for name, d := range defs {
		if err := d.check(name); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return defs, nil
}

func (d Definition) check(name string) error {
	if strings.ContainsAny(name, "+/ ") || slices.Contains(Libcs, strings.SplitN(name, "-", 2)[0]) && slices.Contains(Known(nil), name) {
		return fmt.Errorf("variant %q: the name is a built-in one or holds one of + / and space", name)
	}
	if _, err := Parse(d.Base, nil); err != nil {
		return fmt.Errorf("variant %q: base: %w", name, err)
	}
	for _, o := range d.Objects {
		if _, err := os.Stat(o); err != nil {
			return fmt.Errorf("variant %q: objects: %w", name, err)
		}
	}
	return nil
}
