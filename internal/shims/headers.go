package shims

import (
	"path"
	"slices"
	"strings"
)

// gangDir holds the contract, the one header outside its room that a kernel
// reads.
const gangDir = "internal/gang"

// dependencies are the files that a make rule names after its colon.
func dependencies(rule []byte) []string {
	_, list, _ := strings.Cut(string(rule), ": ")
	list = strings.ReplaceAll(list, "\\\n", " ")
	list = strings.ReplaceAll(list, `\ `, "\x00") // a space in a name
	files := strings.Fields(list)
	for i := range files {
		files[i] = strings.ReplaceAll(files[i], "\x00", " ")
	}
	return files
}

// foreign picks, of the files that a room's kernel read, those that belong
// neither to the room nor to the contract. What the compiler reads before any
// file (stdc-predef.h of glibc, macros only) is not the kernel's doing.
//
// Note: a header is refused even where the code comes out the same. It is the
// same with this version of this libc.
func (c *compiler) foreign(room string, read []string) []string {
	var files []string
	for _, f := range read {
		if dir := path.Dir(f); dir != room && dir != gangDir && !slices.Contains(c.implicit, f) {
			files = append(files, f)
		}
	}
	return files
}
