// Package gosource holds a few files of Go's standard library, copied from Go
// 1.26 with their licence, so that every build of a workload reads the same
// bytes. Strings and bytes are in it because one was written after the other:
// what looks for clones has some to find.
package gosource

import (
	"embed"
	"fmt"
)

//go:embed testdata
var files embed.FS

// Paths are the files, relative to Go's source directory.
var Paths = []string{
	"bytes/bytes.go",
	"encoding/csv/reader.go",
	"strings/strings.go",
	"text/template/parse/lex.go",
}

// A File is a source file.
type File struct {
	Path string
	Text []byte
}

// Files reads these of Paths.
func Files(paths ...string) ([]File, error) {
	all := make([]File, len(paths))
	for i, path := range paths {
		text, err := files.ReadFile("testdata/" + path)
		if err != nil {
			return nil, fmt.Errorf("read the embedded sources: %w", err)
		}
		all[i] = File{path, text}
	}
	return all, nil
}
