package shims

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	arMagic  = "!<arch>\n"
	arHeader = 60 // name 16, date 12, owner 6, group 6, mode 8, size 10, end 2
)

// readArchive reads the C objects of a Go package's archive. Its other members
// are Go's own.
func readArchive(file string) ([]*object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(text, []byte(arMagic))
	if !ok {
		return nil, fmt.Errorf("%s: not an archive", file)
	}
	var objects []*object
	for len(rest) > 0 {
		if len(rest) < arHeader {
			return nil, fmt.Errorf("%s: cut off", file)
		}
		name := strings.TrimSpace(string(rest[:16]))
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size > len(rest)-arHeader {
			return nil, fmt.Errorf("%s: %s: bad size", file, name)
		}
		member := rest[arHeader : arHeader+size]
		rest = rest[min(len(rest), arHeader+size+size%2):]
		if !bytes.HasPrefix(member, []byte("\x7fELF")) {
			continue
		}
		o, err := readObject(bytes.NewReader(member))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
		objects = append(objects, o)
	}
	return objects, nil
}

// sameSource finds the object of the source that o was made of: the one that
// defines the same global names, since cgo numbers its objects.
func sameSource(o *object, objects []*object) *object {
	for _, other := range objects {
		if other.definesAll(o) {
			return other
		}
	}
	return nil
}

func (o *object) definesAll(other *object) bool {
	names := map[string]bool{}
	for _, s := range o.symbols {
		names[s.name] = s.global
	}
	for _, s := range other.symbols {
		if s.global && !names[s.name] {
			return false
		}
	}
	return true
}
