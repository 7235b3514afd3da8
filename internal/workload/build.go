package workload

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"libcost/internal/variant"
)

// A Builder builds workloads below Dir.
type Builder struct {
	Dir      string
	Variants *variant.Builder
	Say      func(string) // one line of progress; nil is silent
}

func (b *Builder) say(format string, args ...any) {
	if b.Say != nil {
		b.Say(fmt.Sprintf(format, args...))
	}
}

// A BuildError is a command that failed while a workload was built.
type BuildError struct {
	Workload, Variant, What, Output string
	Err                             error
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("build %s, %s: %s: %v\n%s", e.Workload, e.Variant, e.What, e.Err, e.Output)
}

func (e *BuildError) Unwrap() error { return e.Err }

// A Program is a workload compiled for one libc and linkage: its objects and
// the command that links them, with any parts in the place of libc's own.
type Program struct {
	Workload *Workload
	Variant  variant.Variant // without parts
	Once     string          // what build-once made, "" without

	dir   string
	tools variant.Toolchain
	link  []string // the arguments of the link, the anchor among them
}

// The linker's command is caught on its way: {cc} is a script that keeps what
// is linked. Compiling a program once for each of sixteen sets of parts would
// take minutes, and a cached object of the wrong set would be measured.
// {objects} is an empty object, whose place in the command says where parts go.
const (
	script = "cc"
	anchor = "libcost-objects.o"
	kept   = "links"
)

// Compile compiles the workload for a variant's libc, linkage, compiler and
// flags; its parts are left to Link.
func (b *Builder) Compile(w *Workload, v variant.Variant) (*Program, error) {
	v.Name, v.Parts = bare(v), nil
	tools, err := b.Variants.Toolchain(v)
	if err != nil {
		return nil, err
	}
	p := &Program{Workload: w, Variant: v, tools: tools, dir: filepath.Join(b.Dir, w.Name, v.Name+"-"+tools.Hash)}
	if err := p.prepare(); err != nil {
		return nil, fmt.Errorf("build %s, %s: %w", w.Name, v.Name, err)
	}
	b.say("build: %s with %s", w.Name, v.Name)
	out := filepath.Join(p.dir, "program")
	words := map[string]string{
		"cc": filepath.Join(p.dir, script), "cflags": strings.Join(tools.CFlags, " "), "ldflags": strings.Join(tools.LDFlags, " "),
		"objects": filepath.Join(p.dir, anchor), "out": out, "build": filepath.Join(p.dir, "build"),
	}
	for fresh := range 2 {
		if fresh == 1 { // all is up to date, and the link that made it is lost
			if err := errors.Join(os.RemoveAll(words["build"]), os.RemoveAll(out), os.Mkdir(words["build"], 0o777)); err != nil {
				return nil, fmt.Errorf("build %s, %s: %w", w.Name, v.Name, err)
			}
		}
		if err := p.command(w.Build, words); err != nil {
			return nil, err
		}
		if p.link, err = p.caught(); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if len(w.BuildOnce) > 0 {
		if p.Once, err = b.once(w); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// bare names a variant without its parts.
func bare(v variant.Variant) string {
	name, _, _ := strings.Cut(v.Name, "+")
	return name
}

// prepare makes the program's directory with the script and the anchor in it.
func (p *Program) prepare() error {
	links := filepath.Join(p.dir, kept)
	for _, dir := range []string{links, filepath.Join(p.dir, "build")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	text := strings.NewReplacer("CC", shellQuote(p.tools.CC), "LINKS", shellQuote(links)).Replace(catcher)
	if err := os.WriteFile(filepath.Join(p.dir, script), []byte(text), 0o777); err != nil {
		return err
	}
	source := filepath.Join(p.dir, "anchor.c")
	if err := os.WriteFile(source, nil, 0o666); err != nil {
		return err
	}
	out, err := exec.Command(p.tools.CC, "-c", source, "-o", filepath.Join(p.dir, anchor)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("compile an empty file: %w\n%s", err, out)
	}
	return nil
}

// catcher compiles as asked. Of a link that went well it leaves the arguments,
// each ended by a NUL, and copies of the objects, which the build may delete.
const catcher = `#!/bin/sh
for a do case $a in -c|-S|-E|-M|-MM|--version|-v|-dump*|-print*) exec CC "$@" ;; esac done
n=0 left=$# keep=$(mktemp -d LINKS/XXXXXXXX) || exit
while [ $left -gt 0 ]; do
	a=$1 b=$1; shift
	left=$((left - 1)) n=$((n + 1))
	case $a in
	*libcost-objects.o) ;;
	*.o|*.a|*.lo|*.so) if [ -f "$a" ]; then b=$keep/$n-${a##*/}; cp "$a" "$b" || exit; fi ;;
	esac
	printf '%s\0' "$b" >>"$keep/args"
	set -- "$@" "$a"
done
CC "$@" || exit
mv "$keep/args" "$keep/linked"
`

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// command runs a command of the workload in its directory.
func (p *Program) command(words []string, values map[string]string) error {
	args := expand(words, values)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.Workload.Dir
	cmd.Env = os.Environ()
	for _, key := range slices.Sorted(maps.Keys(p.Workload.Env)) {
		cmd.Env = append(cmd.Env, key+"="+expand([]string{p.Workload.Env[key]}, values)[0])
	}
	return p.step(args[0], cmd)
}

// step runs one command; what it printed is told only if it failed.
func (p *Program) step(what string, cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	return &BuildError{p.Workload.Name, p.Variant.Name, what, strings.Join(lines[max(0, len(lines)-20):], "\n"), err}
}

// caught is the program's link: the last one that went well and has the anchor
// in it. A build may link other programs, to try what its linker can; and one
// that finds all up to date links nothing, so that the last link stays good.
func (p *Program) caught() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(p.dir, kept, "*", "linked"))
	if err != nil {
		return nil, err
	}
	var last os.FileInfo
	var link []string
	var dir string
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		args := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		if slices.ContainsFunc(args, isAnchor) && slices.Contains(args, "-o") && (last == nil || !info.ModTime().Before(last.ModTime())) {
			last, link, dir = info, args, filepath.Dir(f)
		}
	}
	if link == nil {
		return nil, &BuildError{p.Workload.Name, p.Variant.Name, "find the link", "", errors.New("no command of the build linked {objects} with {cc} (see docs/YOUR-PROGRAM.md)")}
	}
	return link, p.forget(dir)
}

// forget removes all links but one.
func (p *Program) forget(keep string) error {
	dirs, err := filepath.Glob(filepath.Join(p.dir, kept, "*"))
	for _, dir := range dirs {
		if dir != keep {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}

func isAnchor(arg string) bool { return filepath.Base(arg) == anchor }

// Link links the program with objects in the place of libc's own functions,
// and with further flags.
func (p *Program) Link(name string, objects []string, flags ...string) (string, error) {
	dir := filepath.Join(p.dir, "linked")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("link %s: %w", name, err)
	}
	out := filepath.Join(dir, name)
	var args []string
	for i, a := range p.link {
		switch {
		case isAnchor(a):
			args = append(args, objects...)
		case i > 0 && p.link[i-1] == "-o":
			args = append(args, out)
		default:
			args = append(args, a)
		}
	}
	// A build id that all links share would have perf show one's symbols for
	// another's.
	args = append(args, "-Wl,--build-id=sha1", "-Wl,--compress-debug-sections=none")
	cmd := exec.Command(p.tools.CC, append(args, flags...)...)
	cmd.Dir = p.Workload.Dir
	if err := p.step("link "+name, cmd); err != nil {
		return "", err
	}
	return out, nil
}

// once builds what is the same for all variants.
func (b *Builder) once(w *Workload) (string, error) {
	p := &Program{Workload: w, Variant: variant.Variant{Name: "all"}, dir: filepath.Join(b.Dir, w.Name)}
	out := filepath.Join(p.dir, "once")
	return out, p.command(w.BuildOnce, map[string]string{"once": out})
}

// Imports are the names that the program's own objects take from elsewhere,
// sorted.
func (p *Program) Imports() ([]string, error) {
	undefined, err := p.names("-u")
	if err != nil {
		return nil, err
	}
	defined, err := p.Own()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(undefined, func(name string) bool {
		_, own := slices.BinarySearch(defined, name)
		return own
	}), nil
}

// names are what nm lists of the program's own objects.
func (p *Program) names(what string) ([]string, error) {
	var objects []string
	for _, a := range p.link {
		if strings.HasPrefix(a, p.dir) && !isAnchor(a) && (strings.HasSuffix(a, ".o") || strings.HasSuffix(a, ".a")) {
			objects = append(objects, a)
		}
	}
	names, err := nm(what, objects)
	if err != nil {
		return nil, fmt.Errorf("names of %s: %w", p.Workload.Name, err)
	}
	return names, nil
}

func nm(what string, objects []string) ([]string, error) {
	cmd := exec.Command("nm", append([]string{"-P", what}, objects...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			names = append(names, fields[0])
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Args are the words that run a binary of the workload.
func (w *Workload) Args(binary, once, dir string, n, clients int) []string {
	return expand(w.Run, map[string]string{"out": binary, "once": once, "dir": dir, "n": fmt.Sprint(n), "clients": fmt.Sprint(clients)})
}

// Own are the names that the program's own objects define, local ones too,
// sorted. What else a binary holds is a part's or libc's.
func (p *Program) Own() ([]string, error) {
	return p.names("--defined-only")
}

// Defined are the names that objects define, sorted.
func Defined(objects ...string) ([]string, error) {
	if len(objects) == 0 {
		return nil, nil
	}
	return nm("--defined-only", objects)
}
