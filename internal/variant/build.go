package variant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// Rooms are the packages that hold kernels, in the order of their rows.
var Rooms = []string{"alloc", "memops", "syscalls", "fsync", "cgo"}

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
	Full    bool   `json:"full"`
	Quick   bool   `json:"quick"`
	Summary bool   `json:"summary"`
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
}

func (b *Builder) say(format string, args ...any) {
	if b.Say != nil {
		b.lock.Lock()
		defer b.lock.Unlock()
		b.Say(fmt.Sprintf(format, args...))
	}
}

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
	if r.cc, err = compiler(b.Root, v); err != nil {
		return r, err
	}
	if r.libc, err = libcFiles(r.cc, v); err != nil {
		return r, err
	}
	for _, p := range v.Parts {
		object, err := b.part(v, p, r.cc, r.libc)
		if err != nil {
			return r, err
		}
		r.objects = append(r.objects, object)
	}
	var headers digest
	for _, dir := range []string{"gang", "attest"} {
		if err := headers.tree(filepath.Join(b.Root, "internal", dir), ".h"); err != nil {
			return r, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	r.headers = headers.sum()

	d := digest{}
	d.text(v.Name, r.cc, compilerVersion(r.cc), goVersion(), strings.Join(v.Env, "\n"))
	d.text(r.goFlags(v)...)
	for _, dir := range append([]string{"internal/gang", "internal/attest"}, Rooms...) {
		if err := d.tree(filepath.Join(b.Root, dir), ".c", ".h", ".go"); err != nil {
			return r, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	files := append(append(append([]string{}, r.libc...), r.objects...), v.Objects...)
	for _, f := range append(files, filepath.Join(b.Root, "go.mod"), filepath.Join(b.Root, "go.sum")) {
		if err := d.file(f, f); err != nil {
			return r, fmt.Errorf("build %s: %w", v.Name, err)
		}
	}
	r.hash = d.sum()
	return r, nil
}

// tree adds the files below a directory that end in one of the endings.
func (d *digest) tree(dir string, endings ...string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		for _, end := range endings {
			if !strings.HasSuffix(path, end) {
				continue
			}
			return d.file(strings.TrimPrefix(path, dir), path)
		}
		if len(endings) == 0 {
			return d.file(strings.TrimPrefix(path, dir), path)
		}
		return nil
	})
}

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
	if !isFile(filepath.Join(dir, "variant.json")) {
		if err := b.make(v, r, dir); err != nil {
			return nil, err
		}
	}
	return load(v, r.hash, dir)
}

// load reads what make left, and asks each binary again what it is: a file can
// have been replaced since.
func load(v Variant, hash, dir string) (*Built, error) {
	text, err := os.ReadFile(filepath.Join(dir, "variant.json"))
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", v.Name, err)
	}
	built := &Built{}
	if err := json.Unmarshal(text, built); err != nil {
		return nil, fmt.Errorf("build %s: %s/variant.json: %w (libcost clean)", v.Name, dir, err)
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
	built := &Built{Build: r.hash, Compiler: compilerVersion(r.cc), Command: cmd.Args}
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
	text, err := json.MarshalIndent(built, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, "variant.json"), append(text, '\n'), 0o666); err != nil {
		return err
	}
	return publish(tmp, dir)
}

func readRows(binary string, env []string) ([]Row, error) {
	cmd := exec.Command(binary, "-rows")
	cmd.Env = append(append(cmd.Env, env...), "GOMAXPROCS=1")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list rows: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	var rows []Row
	if err := dec.Decode(&rows); err != nil {
		return nil, fmt.Errorf("list rows: %w", err)
	}
	return rows, nil
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
	return append(append([]string{}, CFlags...), v.CFlags...)
}

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
	for i, w := range words {
		if strings.ContainsAny(w, " \t") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
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
		"CGO_CFLAGS="+strings.Join(append(r.cflags(v), "-DLIBCOST_HEADERS="+r.headers), " "))
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
// first is as good.
func publish(tmp, dir string) error {
	if err := os.Chmod(tmp, 0o777); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return nil
		}
		return fmt.Errorf("build: %w", err)
	}
	return nil
}
