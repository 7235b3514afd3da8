package variant

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// FuzzReadDefinitions feeds arbitrary bytes to the reader of variants.toml:
// each definition that it takes is a variant.
func FuzzReadDefinitions(f *testing.F) {
	f.Add([]byte("[fast]\nbase = \"gnu\"\ncflags = [\"-O3\"]\nenv = { A = \"1\" }\n"))
	f.Add([]byte("[a]\nbase = \"a\"\n"))
	f.Add([]byte("[gnu]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "variants.toml")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		defs, err := ReadDefinitions(file)
		if err != nil {
			return
		}
		for name := range defs {
			if _, err := Parse(name, defs); err != nil {
				t.Errorf("took %q, which is no variant: %v", name, err)
			}
		}
	})
}

// FuzzParse feeds arbitrary names to the parser: it refuses them or gives them
// a libc, and a name that means the same.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"gnu", "musl-dynamic+mimalloc", "musl+", "+", "gnu-", "gnu+mimalloc+jemalloc", "musl+locks+memops"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		v, err := Parse(name, nil)
		if err != nil {
			return
		}
		again, err := Parse(v.Name, nil)
		if err != nil || !reflect.DeepEqual(v, again) || len(v.Name) != len(name) || v.Libc != "gnu" && v.Libc != "musl" {
			t.Errorf("Parse(%q) = %+v", name, v)
		}
	})
}
