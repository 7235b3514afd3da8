package shims

import (
	"slices"
	"testing"
)

func TestForeign(t *testing.T) {
	c := &compiler{implicit: []string{"/usr/include/stdc-predef.h"}}
	for _, k := range []struct {
		rule string
		want []string
	}{
		{"pair.o: alloc/pair.c alloc/shim.h internal/gang/gang.h\n", nil},
		{"pair.o: alloc/pair.c /usr/include/stdc-predef.h \\\n alloc/shim.h \\\n internal/gang/gang.h\n", nil},
		{"pair.o: alloc/pair.c /usr/include/limits.h\n", []string{"/usr/include/limits.h"}},
		{"pair.o: alloc/pair.c alloc/../internal/gang/gang.h\n", nil},
		{"pair.o: alloc/pair.c alloc/../memops/shim.h\n", []string{"alloc/../memops/shim.h"}},
		// libc's headers may well lie inside the project.
		{"pair.o: alloc/pair.c /home/a\\ b/libcost/.toolchain/musl/usr/include/ctype.h\n",
			[]string{"/home/a b/libcost/.toolchain/musl/usr/include/ctype.h"}},
	} {
		if got := c.foreign("alloc", dependencies([]byte(k.rule))); !slices.Equal(got, k.want) {
			t.Errorf("%s got %q, want %q", k.rule, got, k.want)
		}
	}
}
