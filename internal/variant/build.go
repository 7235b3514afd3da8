package variant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Rooms are the packages that hold kernels, in the order of their rows.
var Rooms = []string{"alloc", "memops", "syscalls", "fsync", "cgo", "stdlib"}

// A Row is one shape of one kernel, as a built binary lists it (gang.Row).
type Row struct {
	Room    string `json:"room"`
	Name    string `json:"name"`
	Calls   string `json:"calls"`
	Op      uint64 `json:"op"`
	Threads int    `json:"threads"`
	SameN   bool   `json:"same_n"`
	Latency bool   `json:"latency"`
	Disk    bool   `json:"disk"`
	Control bool   `json:"control"`
	Plain   bool   `json:"plain"`
	Curve   bool   `json:"curve"`
	Usual   bool   `json:"usual"`
	Quick   bool   `json:"quick"`
	Summary bool   `json:"summary"`
	Unit    string `json:"unit,omitempty"`
	Need    uint64 `json:"need,omitempty"`
	About   string `json:"about"`
	Source  string `json:"source,omitempty"`
}

// Key names the row among all rooms': alloc/Pair/size=64/live=1/threads=1.
func (r Row) Key() string { return r.Room + "/" + r.Name }

// Built is a variant on disk, attested.
type Built struct {
	Variant  Variant  `json:"variant"`
	Build    string   `json:"build"` // hash of all that went in
	Compiler string   `json:"compiler"`
	Command  []string `json:"command"` // what compiled the rooms
	Facts    Facts    `json:"facts"`
	Rows     []Row    `json:"rows"`
	Dir      string   `json:"-"`
}

// Binary is the file that runs a row's samples.
func (b *Built) Binary(r Row) string {
	if r.Plain {
		return filepath.Join(b.Dir, r.Room+".plain")
	}
	return filepath.Join(b.Dir, r.Room+".test")
}

// binaries are the files that Dir must hold.
func (b *Built) binaries() []string {
	var names []string
	for _, room := range Rooms {
		names = append(names, room+".test")
	}
	for _, room := range plainRooms(b.Rows) {
		names = append(names, room+".plain")
	}
	return names
}

// A StepError is a command of a build that failed.
type StepError struct {
	Variant, Step, Output string
	Err                   error
}

func (e *StepError) Error() string {
	return fmt.Sprintf("build %s: %s: %v\n%s", e.Variant, e.Step, e.Err, e.Output)
}

func (e *StepError) Unwrap() error { return e.Err }

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// A Builder builds variants of the project at Root, below Root/.build.
type Builder struct {
	Root string
	Say  func(string) // one line of progress; nil is silent
	lock sync.Mutex

	parts sync.Mutex // one part at a time: each uses all CPUs, and two variants may share one
}

func (b *Builder) say(format string, args ...any) {
	if b.Say != nil {
		b.lock.Lock()
		defer b.lock.Unlock()
		b.Say(fmt.Sprintf(format, args...))
	}
}

// CC is the C compiler of a variant.
func (b *Builder) CC(v Variant) (string, error) { return b.compiler(v) }

func (b *Builder) dir() string { return filepath.Join(b.Root, ".build") }

// Build builds the variants, two at a time; what is built already is attested
// and taken.
func (b *Builder) Build(variants ...Variant) ([]*Built, error) {
	built := make([]*Built, len(variants))
	errs := make([]error, len(variants))
	slots := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, v := range variants {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			built[i], errs[i] = b.build(v)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return built, nil
}

// recipe is all that decides what a variant's binaries are.
type recipe struct {
	cc      string
	libc    []string
	objects []string
	hash    string
	headers string // of the headers outside the rooms, which go build does not see
}

func (b *Builder) recipe(v Variant) (recipe, error) {
	var r recipe
	var err error
	if r.cc, err = b.compiler(v); err != nil {
		return r, err
	}
	if r.libc, err = libcFiles(r.cc, v); err != nil {
		return r, err
	}
	for _, p := range v.Parts {
		object, err := b.part(v, p, r.cc)
		if err != nil {
			return r, err
		}
		r.objects = append(r.objects, object)
	}
	var headers digest
	for _, dir := range shared {
		if err := headers.files(filepath.Join(b.Root, dir), isHeader); err != nil {
			return r, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	r.headers = headers.sum()

	d := digest{}
	d.text(v.Name, compilerVersion(r.cc), goVersion())
	d.list(r.cflags(v))
	d.list(r.goFlags(v))
	d.list(v.Env)
	for _, dir := range shared {
		if err := d.files(filepath.Join(b.Root, dir), isCode); err != nil {
			return r, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	for _, room := range Rooms {
		if err := d.files(filepath.Join(b.Root, room), isSource); err != nil {
			return r, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	// A compiler may be a script around another one, with flags of its own.
	files := slices.Concat([]string{r.cc}, r.libc, r.objects, v.Objects)
	for _, f := range append(files, filepath.Join(b.Root, "go.mod"), filepath.Join(b.Root, "go.sum")) {
		if err := d.file(f, f); err != nil {
			return r, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	r.hash = d.sum()
	return r, nil
}

// shared are the directories of what all rooms are built with.
var shared = []string{"internal/gang", "internal/gang/plain", "internal/attest"}

func isHeader(name string) bool { return filepath.Ext(name) == ".h" }

// isSource knows what a room's test binary is made of: its tests too.
func isSource(name string) bool {
	return slices.Contains([]string{".c", ".h", ".s", ".S", ".go"}, filepath.Ext(name))
}

func isCode(name string) bool { return isSource(name) && !strings.HasSuffix(name, "_test.go") }

func goVersion() string {
	out, _ := exec.Command("go", "env", "GOVERSION").Output()
	return strings.TrimSpace(string(out))
}

func (b *Builder) build(v Variant) (*Built, error) {
	r, err := b.recipe(v)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir(), v.Name+"-"+r.hash)
	if !isFile(filepath.Join(dir, manifest)) {
		if err := b.make(v, r, dir); err != nil {
			return nil, err
		}
	}
	return load(v, r.hash, dir)
}

// load reads what make left, and asks each binary again what it is: a file can
// have been replaced since.
func load(v Variant, hash, dir string) (*Built, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifest))
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", v.Name, err)
	}
	built := &Built{}
	if err := json.Unmarshal(text, built); err != nil {
		return nil, fmt.Errorf("build %s: %s: %w (bin/libcost clean)", v.Name, filepath.Join(dir, manifest), err)
	}
	built.Variant, built.Dir = v, dir
	for _, bin := range built.binaries() {
		if built.Facts, err = Attest(filepath.Join(dir, bin), v, hash); err != nil {
			return nil, err
		}
	}
	return built, nil
}

// make builds the test binaries and the plain workers into a directory beside
// dir, and gives it its name when it is whole.
func (b *Builder) make(v Variant, r recipe, dir string) error {
	tmp, err := tempBeside(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b.say("build: %s (%s, %s)", v.Name, compilerVersion(r.cc), v.Linkage())

	cmd := r.goCommand(b, v, tmp)
	if err := b.step(v.Name, "go test -c", cmd); err != nil {
		return err
	}
	// What is recorded names no place of this machine.
	built := &Built{Build: r.hash, Compiler: compilerVersion(r.cc)}
	for _, arg := range cmd.Args {
		built.Command = append(built.Command, strings.NewReplacer(tmp, filepath.Base(dir), b.Root+"/", "").Replace(arg))
	}
	for _, room := range Rooms {
		rows, err := readRows(filepath.Join(tmp, room+".test"), v.Env)
		if err != nil {
			return fmt.Errorf("build %s: %s: %w", v.Name, room, err)
		}
		built.Rows = append(built.Rows, rows...)
	}
	for _, room := range plainRooms(built.Rows) {
		if err := b.step(v.Name, "plain worker of "+room, r.plainCommand(b, v, room, filepath.Join(tmp, room+".plain"))); err != nil {
			return err
		}
	}
	if err := b.empties(v, r, tmp); err != nil {
		return err
	}
	text, err := json.MarshalIndent(built, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, manifest), append(text, '\n'), 0o666); err != nil {
		return err
	}
	if now, err := b.recipe(v); err != nil || now.hash != r.hash {
		return errors.Join(fmt.Errorf("build %s: a source changed while it was compiled (build again)", v.Name), err)
	}
	return publish(tmp, dir, manifest)
}

// manifest is the file that a whole build has.
const manifest = "variant.json"

func readRows(binary string, env []string) ([]Row, error) {
	out, err := ask(binary, "-rows", env)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	var rows []Row
	if err := dec.Decode(&rows); err != nil {
		return nil, fmt.Errorf("read -rows: %w", err)
	}
	return rows, nil
}

// ask runs a binary with one flag in the environment of its samples. One that
// hangs at its start (a libc that the linker put together wrongly) must not
// hang the build.
func ask(binary, flag string, env []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, flag)
	cmd.Env = append(slices.Clone(env), "GOMAXPROCS=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		err = errors.New("no answer in 30 s")
	}
	if err != nil {
		if words := lastLines(stderr.String(), 3); words != "" {
			err = fmt.Errorf("%w: %s", err, words)
		}
		return nil, fmt.Errorf("run %s: %w", flag, err)
	}
	// The loader says so and goes on; the variant would be measured without.
	if words := stderr.String(); strings.Contains(words, "cannot be preloaded") {
		return nil, fmt.Errorf("run %s: %s", flag, lastLines(words, 1))
	}
	return out, nil
}

// plainRooms are the rooms with rows for the plain worker.
func plainRooms(rows []Row) []string {
	has := map[string]bool{}
	for _, r := range rows {
		if r.Plain {
			has[r.Room] = true
		}
	}
	var rooms []string
	for room := range has {
		rooms = append(rooms, room)
	}
	sort.Strings(rooms)
	return rooms
}

func (r recipe) cflags(v Variant) []string {
	flags := slices.Concat(CFlags, v.CFlags)
	if v.Layout > 0 {
		flags = append(flags, fmt.Sprintf("-DLIBCOST_PAD=%d", v.Layout*layoutStep))
	}
	return flags
}

// layoutStep is what a layout moves each C file's code by, and what comes
// behind it by the sum: whole cache lines, since functions start on one anyway,
// and no divisor of a page.
const layoutStep = 9 * 64

// link is the link line's middle: parts before libc, so that libc's own
// members are never asked for.
func (r recipe) link(v Variant) []string {
	var flags []string
	if v.Static {
		flags = append(flags, "-static")
	}
	if v.Static && v.Libc == "musl" {
		// The member that tells musl's version, for the attestation.
		flags = append(flags, "-Wl,-u,__libc_version")
	}
	flags = append(flags, r.objects...)
	flags = append(flags, v.Objects...)
	return append(flags, v.LDFlags...)
}

// quote joins words for go's -extldflags and CC, which know quotes and no
// escapes.
func quote(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if strings.ContainsAny(w, " \t") {
			w = "'" + w + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}

// goFlags are what go test -c gets besides packages and output.
func (r recipe) goFlags(v Variant) []string {
	link := r.link(v)
	if v.Libc == "musl" {
		// C on a goroutine's thread would die at musl's 128 KiB of stack.
		link = append(link, "-Wl,-z,stack-size=8388608")
	}
	return []string{"-trimpath", "-tags", "netgo,osusergo", "-ldflags",
		fmt.Sprintf("-X libcost/internal/attest.build=%s -linkmode external -extldflags \"%s\"", r.hash, quote(link...))}
}

func (r recipe) goCommand(b *Builder, v Variant, out string) *exec.Cmd {
	args := append([]string{"test", "-c", "-o", out + string(filepath.Separator)}, r.goFlags(v)...)
	for _, room := range Rooms {
		args = append(args, "./"+room)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = b.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "CC="+quote(r.cc), "GOFLAGS=",
		// Empty, they are the defaults: the user's own would be linked in.
		"CGO_CPPFLAGS=", "CGO_LDFLAGS=",
		"CGO_CFLAGS="+quote(append(r.cflags(v), "-DLIBCOST_HEADERS="+r.headers)...))
	return cmd
}

func (r recipe) plainCommand(b *Builder, v Variant, room, out string) *exec.Cmd {
	args := append(r.cflags(v), "-DROOM_TABLE="+room+"_kernels", "-DBUILD="+r.hash,
		"-Iinternal/gang", "-Iinternal/attest", "-I"+room, "internal/gang/plain/main.c", "-o", out)
	for _, dir := range []string{room, "internal/gang", "internal/attest"} {
		files, _ := filepath.Glob(filepath.Join(b.Root, dir, "*.c"))
		for _, f := range files {
			args = append(args, filepath.Join(dir, filepath.Base(f)))
		}
	}
	cmd := exec.Command(r.cc, append(args, r.link(v)...)...)
	cmd.Dir = b.Root
	return cmd
}

// empties builds the programs that do nothing, which rows start: of the
// variant's libc, linked as the variant is and the other way. A compiler may
// know one way only; the rows of the other then say what they lack.
func (b *Builder) empties(v Variant, r recipe, dir string) error {
	for _, linkage := range []string{"static", "dynamic"} {
		out := filepath.Join(dir, "empty."+linkage)
		err := b.step(v.Name, linkage+" empty program", r.emptyCommand(b, v, linkage, out))
		if err == nil {
			err = b.step(v.Name, "run the "+linkage+" empty program", exec.Command(out))
		}
		if err == nil {
			continue
		}
		if linkage == v.Linkage() {
			return err
		}
		b.say("build: %s: no %s program to start", v.Name, linkage)
		os.Remove(out)
	}
	return nil
}

func (r recipe) emptyCommand(b *Builder, v Variant, linkage, out string) *exec.Cmd {
	args := append(r.cflags(v), "internal/gang/plain/empty.c", "-o", out)
	if linkage == "static" {
		args = append(args, "-static")
	}
	cmd := exec.Command(r.cc, append(args, v.LDFlags...)...)
	cmd.Dir = b.Root
	return cmd
}

// step runs one command; what it printed is told only if it failed.
func (b *Builder) step(variant, what string, cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return &StepError{variant, what, lastLines(string(out), 20), err}
	}
	return nil
}

// tempBeside makes an empty directory on the file system of dir.
func tempBeside(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".tmp-")
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return tmp, nil
}

// publish gives a whole directory its name; one that another process published
// first is as good. One without the file that a whole one has is the rest of
// something, and goes.
func publish(tmp, dir, whole string) error {
	if err := os.Chmod(tmp, 0o777); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	if os.Rename(tmp, dir) == nil || isFile(filepath.Join(dir, whole)) {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	return nil
}
