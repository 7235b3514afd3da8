// Package workload builds and names real programs: what workload.toml says of
// one, and its binaries with any libc and any replacement parts, each compiled
// once for a libc and linked as often as need be.
package workload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// File is the name of a workload's description.
const File = "workload.toml"

// A Workload is a program whose builds are compared.
type Workload struct {
	Name string `toml:"-"` // of its directory
	Dir  string `toml:"-"`

	About     string            `toml:"about"`
	Source    string            `toml:"source"`     // where this shape was met
	Op        string            `toml:"op"`         // what one op is: "query"
	N         int               `toml:"n"`          // ops of one sample
	Build     []string          `toml:"build"`      // for each libc
	BuildOnce []string          `toml:"build-once"` // for all: a client, say
	Run       []string          `toml:"run"`
	Env       map[string]string `toml:"env"` // of the builds
	Threads   int               `toml:"threads"`
	Clients   int               `toml:"clients"` // if nobody asks for another number
}

// Placeholders are what the words of build, build-once and run may hold.
var Placeholders = map[string][]string{
	"build":      {"cc", "cflags", "ldflags", "objects", "out", "build"},
	"build-once": {"once"},
	"run":        {"out", "once", "n", "dir", "clients"},
}

// An Error is what is wrong with a description.
type Error struct {
	File string
	Line int // 0 if it is not known
	What string
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
	}
	return fmt.Sprintf("%s: %s", e.File, e.What)
}

// Read reads the workload in a directory.
func Read(dir string) (*Workload, error) {
	file := filepath.Join(dir, File)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("workload %s: no %s there (docs/YOUR-PROGRAM.md says what it holds)", dir, File)
	}
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", dir, err)
	}
	w := &Workload{}
	meta, err := toml.Decode(string(text), w)
	if err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return nil, &Error{file, parse.Position.Line, parse.Message}
		}
		return nil, &Error{file, 0, strings.TrimPrefix(err.Error(), "toml: ")}
	}
	if w.Dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("workload %s: %w", dir, err)
	}
	w.Name = filepath.Base(w.Dir)
	w.Threads = max(1, w.Threads)
	for _, key := range meta.Undecoded() {
		return nil, &Error{file, lineOf(text, key.String()), fmt.Sprintf("unknown key %s (allowed: %s)", key, keys)}
	}
	if key, what := w.check(); what != "" {
		return nil, &Error{file, lineOf(text, key), what}
	}
	return w, nil
}

const keys = "about, source, op, n, build, build-once, run, env, threads, clients"

// lineOf is the line of a key, 0 if it is not there. A key inside a table is
// found by its last part.
func lineOf(text []byte, key string) int {
	last := key[strings.LastIndex(key, ".")+1:]
	pattern := regexp.MustCompile(`(^|[{,])\s*"?` + regexp.QuoteMeta(last) + `"?\s*=`)
	for i, line := range strings.Split(string(text), "\n") {
		if pattern.MatchString(line) {
			return i + 1
		}
	}
	return 0
}

// check says which key is wrong, and how.
func (w *Workload) check() (key, what string) {
	for key, words := range map[string][]string{"build": w.Build, "run": w.Run} {
		if len(words) == 0 {
			return key, fmt.Sprintf("%s is missing: the words of a command, %s = [\"make\", ...]", key, key)
		}
	}
	if w.N < 1 {
		return "n", "n is missing: the ops of one sample, 1 or more (40 to 100 ms of them)"
	}
	if w.Op == "" {
		return "op", `op is missing: what one op is, op = "query"`
	}
	for name, value := range w.Env {
		if what := checkWords("build", []string{value}, ""); what != "" {
			return name, strings.Replace(what, "build", "env", 1)
		}
	}
	for _, c := range []struct {
		key   string
		words []string
		needs string
	}{{"build", slices.Concat(w.Build, values(w.Env)), "out"}, {"build-once", w.BuildOnce, "once"}, {"run", w.Run, "out"}} {
		if what := checkWords(c.key, c.words, c.needs); what != "" {
			return c.key, what
		}
	}
	if !mentions(slices.Concat(w.Build, values(w.Env)), "cc") {
		return "build", "build mentions no {cc}, so that no other libc can be taken"
	}
	if mentions(w.Run, "clients") && w.Clients < 1 {
		return "clients", "run mentions {clients}, so clients = N is needed: how many, if nobody asks for others"
	}
	if mentions(w.Run, "once") && len(w.BuildOnce) == 0 {
		return "run", "run mentions {once}, and there is no build-once"
	}
	return "", ""
}

var placeholder = regexp.MustCompile(`\{([a-z]+)\}`)

func checkWords(key string, words []string, needs string) string {
	for _, word := range words {
		for _, m := range placeholder.FindAllStringSubmatch(word, -1) {
			if !slices.Contains(Placeholders[key], m[1]) {
				return fmt.Sprintf("%s: unknown placeholder {%s} (allowed: {%s})", key, m[1], strings.Join(Placeholders[key], "} {"))
			}
		}
	}
	if len(words) > 0 && needs != "" && !mentions(words, needs) {
		return fmt.Sprintf("%s mentions no {%s}", key, needs)
	}
	return ""
}

func mentions(words []string, name string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "{"+name+"}") })
}

func values(m map[string]string) []string {
	var all []string
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

// expand puts values in the place of placeholders.
func expand(words []string, values map[string]string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = placeholder.ReplaceAllStringFunc(w, func(p string) string { return values[p[1:len(p)-1]] })
	}
	return out
}
