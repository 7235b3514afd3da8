package shims

import "testing"

// A stale package, or one that left a kernel out, is not taken for the kernel.
func TestKernelNotInPackage(t *testing.T) {
	o := assemble(t, compilerFor(t, "gcc"), "int alloc_a(void) { return 1; }")
	k := kernel{file: "alloc/a.c", builds: []build{{by: "gcc", object: o}, {by: "gcc by cgo"}}}
	got := k.check()
	if len(got) != 1 || got[0].String() != "alloc/a.c: is not in the package (gcc by cgo)" {
		t.Errorf("got %v", got)
	}
}

func TestSources(t *testing.T) {
	files := sources{}
	files.add(&kernel{file: "alloc/a.c", builds: []build{
		{by: "gcc", object: &object{symbols: []symbol{{name: "alloc_a", code: true}, {name: "alloc_table"}}}},
		{by: "gcc by cgo"},
		{by: "musl-gcc", object: &object{symbols: []symbol{{name: "alloc_b", code: true}}}},
	}})
	for name, want := range map[string]string{
		"alloc_a":        "alloc/a.c",
		"alloc_b":        "alloc/a.c", // where only one compiler made a function of it
		"alloc_a.part.0": "alloc/a.c",
		"alloc_table":    "",
		"alloc_slot":     "", // a function of musl
		"":               "",
	} {
		if got := files.file(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
