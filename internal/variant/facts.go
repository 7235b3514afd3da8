package variant

import (
	"cmp"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Facts are what a binary says of itself, and what its file says of it.
type Facts struct {
	Libc        string              `json:"libc"` // glibc or musl
	LibcVersion string              `json:"libc_version"`
	Allocator   string              `json:"allocator"` // native, or name and version
	Parts       []string            `json:"parts"`     // of swap/
	Compiler    string              `json:"compiler"`
	Build       string              `json:"build"`
	Linkage     string              `json:"linkage"` // static or dynamic
	Functions   map[string]Function `json:"functions"`

	libcs string // a symbol of libc's own allocator, "" where a static program has none
}

// A Function is where a name was really found: a symbol of a static program,
// or a place in a library.
type Function struct {
	Address uint64 `json:"address"`
	File    string `json:"file,omitempty"`
	Symbol  string `json:"symbol,omitempty"`
	BuildID string `json:"build_id,omitempty"`
	Part    string `json:"part,omitempty"` // of swap/, "" if it is none's
}

func (f Function) String() string {
	if f.Part != "" {
		return f.Part + "'s"
	}
	if f.File != "" {
		return fmt.Sprintf("%s+%#x", filepath.Base(f.File), f.Address)
	}
	return f.Symbol
}

// An AttestError is a binary that is not what its variant says.
type AttestError struct{ Variant, Binary, What, Want, Got string }

func (e *AttestError) Error() string {
	return fmt.Sprintf("attest %s: %s: %s is %s, want %s (bin/libcost clean && bin/libcost build %s)",
		e.Variant, e.Binary, e.What, e.Got, e.Want, e.Variant)
}

// Attest asks a binary what it holds and compares it with the variant.
func Attest(binary string, v Variant, build string) (Facts, error) {
	facts, err := readFacts(binary, v.Env)
	if err != nil {
		return Facts{}, fmt.Errorf("attest %s: %s: %w (bin/libcost clean && bin/libcost build %s)", v.Name, filepath.Base(binary), err, v.Name)
	}
	libc := map[string]string{"gnu": "glibc", "musl": "musl"}[v.Libc]
	allocator, _, _ := strings.Cut(facts.Allocator, " ")
	for _, c := range []struct{ what, want, got string }{
		{"libc", libc, facts.Libc},
		{"linkage", v.Linkage(), facts.Linkage},
		{"allocator", v.Allocator(), allocator},
		{"swapped", v.swaps(), joinParts(facts.Parts)},
		{"build", build, facts.Build},
	} {
		if c.want != c.got {
			return facts, &AttestError{v.Name, filepath.Base(binary), c.what, c.want, c.got}
		}
	}
	return facts, facts.checkReach(v, binary)
}

// ownAllocator are symbols that a static program has if libc's own malloc is
// reached in it: glibc's arena code, mallocng's group code. (lite_malloc, which
// musl keeps for the handlers of atexit and the like, is not among them.)
var ownAllocator = []string{"_int_malloc", "__malloc_alloc_meta"}

// reached are functions that a part of swap/ must answer for.
var reached = map[string][]string{
	"memops": {"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen"},
	"locks":  {"pthread_mutex_lock"},
}

// checkReach sees that what a part replaces is the part's own: one that was
// linked and is not used would be measured for nothing.
func (f Facts) checkReach(v Variant, binary string) error {
	file := filepath.Base(binary)
	for _, part := range f.Parts {
		for _, name := range reached[part] {
			if at := f.Functions[name]; at.Part != part {
				return &AttestError{v.Name, file, name, part + "'s", cmp.Or(at.String(), "libc's")}
			}
		}
	}
	if v.Allocator() == "native" {
		return nil
	}
	if f.libcs != "" {
		return &AttestError{v.Name, file, "malloc", v.Allocator() + "'s alone", "libc's as well (" + f.libcs + ")"}
	}
	for _, name := range []string{"malloc", "free", "realloc", "calloc"} {
		if at := f.Functions[name]; at.File != "" && filepath.Base(at.File) != file {
			return &AttestError{v.Name, file, name, v.Allocator() + "'s", "from " + at.File}
		}
	}
	return nil
}

func readFacts(binary string, env []string) (Facts, error) {
	out, err := ask(binary, "-attest", env)
	if err != nil {
		return Facts{}, err
	}
	var f Facts
	if err := json.Unmarshal(out, &f); err != nil {
		return Facts{}, fmt.Errorf("read -attest: %w", err)
	}
	file, err := elf.Open(binary)
	if err != nil {
		return Facts{}, err
	}
	defer file.Close()
	loader := interpreter(file)
	f.Linkage = "static"
	if loader != "" {
		f.Linkage = "dynamic"
	}
	if f.Libc == "musl" && f.LibcVersion == "" {
		f.LibcVersion = loaderVersion(loader)
	}
	f.nameFunctions(file)
	return f, nil
}

func interpreter(file *elf.File) string {
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			name := make([]byte, p.Filesz)
			p.ReadAt(name, 0)
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
}

// loaderVersion is what musl's loader says when it is run with no program.
func loaderVersion(loader string) string {
	out, _ := exec.Command(loader).CombinedOutput()
	for _, line := range strings.Split(string(out), "\n") {
		if v, ok := strings.CutPrefix(line, "Version "); ok {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}

// nameFunctions gives each address its symbol in a static program, and each
// library its build id in a dynamic one.
func (f *Facts) nameFunctions(file *elf.File) {
	at := map[uint64][]string{}
	if symbols, err := file.Symbols(); err == nil {
		for _, s := range symbols {
			if t := elf.ST_TYPE(s.Info); s.Section == elf.SHN_UNDEF || t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC {
				continue
			}
			at[s.Value] = append(at[s.Value], s.Name)
			if slices.Contains(ownAllocator, s.Name) {
				f.libcs = s.Name
			}
		}
	}
	for name, fn := range f.Functions {
		if fn.File == "" {
			fn.Symbol = pickName(name, at[fn.Address])
		} else {
			fn.BuildID = buildID(fn.File)
			// The rest of its path may be a home directory, and no run's
			// record needs it: the build id says which library it is.
			fn.File = filepath.Base(fn.File)
		}
		f.Functions[name] = fn
	}
}

// pickName chooses among aliases: the longest says most
// (__memmove_avx512_unaligned_erms), the name itself least. mimalloc answers to
// glibc's __libc_malloc too, and is called mi_malloc.
func pickName(name string, aliases []string) string {
	if len(aliases) == 0 {
		return "unknown"
	}
	own := func(s string) int {
		if s == name || strings.HasPrefix(s, "_") {
			return 0
		}
		return 1
	}
	return slices.MinFunc(aliases, func(a, b string) int {
		return cmp.Or(own(b)-own(a), len(b)-len(a), strings.Compare(a, b))
	})
}

func buildID(library string) string {
	file, err := elf.Open(library)
	if err != nil {
		return ""
	}
	defer file.Close()
	s := file.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	note, err := s.Data()
	if err != nil || len(note) < 16 {
		return ""
	}
	return fmt.Sprintf("%x", note[16:])
}
