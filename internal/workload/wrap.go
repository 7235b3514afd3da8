package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"libcost/internal/variant"
)

// A Wrapper counts the calls of a libc function in a program, and may let each
// wait.
type Wrapper struct {
	Function string
	Slot     int // of Counts' file
	WaitNS   int
}

// Slots is how many functions can be counted in one program, and CountsSize the
// bytes of the file that the counts are kept in: one 64-bit number a slot.
const (
	Slots      = 64
	CountsSize = 8 * Slots
)

// CountsEnv names the file of counts to a program with wrappers.
const CountsEnv = "LIBCOST_COUNTS"

// wrapped are the functions that the wrappers' source knows.
var wrapped = regexp.MustCompile(`(?m)^#define WRAP_(\w+) `)

const wrapSource = "swap/wrap/wrap.c"

// Wrappable lists the functions that can be counted.
func (b *Builder) Wrappable() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(b.Variants.Root, wrapSource))
	if err != nil {
		return nil, fmt.Errorf("wrappers: %w", err)
	}
	var names []string
	for _, m := range wrapped.FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names, nil
}

// Wrap compiles a wrapper for a variant's libc: an object, and the flag that
// has the linker send the function's calls to it.
func (b *Builder) Wrap(w Wrapper, v variant.Variant) (object, flag string, err error) {
	cc, err := b.Variants.CC(v)
	if err != nil {
		return "", "", err
	}
	source := filepath.Join(b.Variants.Root, wrapSource)
	text, err := os.ReadFile(source)
	if err != nil {
		return "", "", fmt.Errorf("wrap %s: %w", w.Function, err)
	}
	args := []string{"-O2", "-Wall", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-fno-builtin", "-DLIBCOST_WRAP=" + w.Function,
		fmt.Sprintf("-DLIBCOST_SLOT=%d", w.Slot), fmt.Sprintf("-DLIBCOST_WAIT_NS=%d", w.WaitNS), "-c", source}
	sum := sha256.Sum256(fmt.Append(nil, cc, args, string(text)))
	object = filepath.Join(b.Dir, "wrap", w.Function+"-"+hex.EncodeToString(sum[:6])+".o")
	if err := os.MkdirAll(filepath.Dir(object), 0o777); err != nil {
		return "", "", fmt.Errorf("wrap %s: %w", w.Function, err)
	}
	if out, err := exec.Command(cc, append(args, "-o", object)...).CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("wrap %s: %w\n%s", w.Function, err, out)
	}
	return object, "-Wl,--wrap=" + w.Function, nil
}
