package shims

import (
	"slices"
	"strings"
	"testing"
)

// links are the ways from a loop to libc: straight, through the stub of an
// IFUNC, through the linkage table, through a slot without a stub.
var links = []struct {
	cc    string
	flags []string
}{
	{"gcc", []string{"-static"}},
	{"gcc", []string{"-static", "-fcf-protection", "-Wl,-z,ibtplt"}},
	{"gcc", []string{"-static-pie", "-fPIE"}},
	{"gcc", []string{"-no-pie"}},
	{"gcc", []string{"-pie", "-fPIE"}},
	{"gcc", []string{"-no-pie", "-fcf-protection", "-Wl,-z,ibtplt"}},
	{"gcc", []string{"-no-pie", "-Wl,-z,bndplt"}},
	{"gcc", []string{"-fno-plt", "-fPIC"}},
	{"gcc", []string{"-fno-plt", "-fPIC", "-static"}},
	{"musl-gcc", []string{"-static"}},
	{"musl-gcc", []string{"-no-pie"}},
	{"musl-gcc", []string{"-fno-plt", "-fPIC"}},
}

func TestLoopReaches(t *testing.T) {
	onlyX86(t)
	for _, l := range links {
		t.Run(l.cc+strings.Join(l.flags, ""), func(t *testing.T) {
			im := link(t, compilerFor(t, l.cc), "testdata/reach.c", l.flags...)
			files := demo(im)
			for _, c := range []struct {
				loop loop
				want []string
			}{
				{loop{"demo_copy_op", "memcpy", false}, nil},
				{loop{"demo_copy_op", "memmove", false}, []string{
					"loop holds no call of memmove", "loop holds a call of memcpy that the row does not name"}},
				{loop{"demo_pair_op", "malloc free", false}, nil},
				{loop{"demo_pair_op", "malloc free realloc", false}, []string{"loop holds no call of realloc"}},
				{loop{"demo_pair_op", "malloc", false}, []string{"loop holds a call of free that the row does not name"}},
				{loop{"demo_pair_op", "malloc free __errno_location", false}, []string{
					"loop holds no call of __errno_location, there is one beside it only"}},
				{loop{"demo_pointer_op", "*", false}, nil},
				{loop{"demo_pointer_op", "malloc", false}, []string{
					"loop holds no call of malloc", "loop holds a call by pointer that the row does not name"}},
				{loop{"demo_copy_op", "memcpy *", false}, []string{"loop holds no call by pointer"}},
				{loop{"demo_instruction_op", "syscall", false}, nil},
				{loop{"demo_function_op", "syscall", false}, []string{
					"loop holds no syscall instruction", "loop holds a call of syscall() that the row does not name"}},
				{loop{"demo_helper_op", "getppid", false}, nil},
				{loop{"demo_errno_op", "getppid", false}, nil},
				{loop{"demo_tail_op", "getppid", false}, nil},
				{loop{"demo_parted_op", "getppid", false}, nil},
				{loop{"demo_gang_op", "getppid", false}, nil},
				{loop{"demo_recursive_op", "getppid", false}, nil},
				{loop{"demo_prepared_op", "getppid", false}, []string{"loop holds no call of getppid"}},
				{loop{"demo_batch_op", "getppid", false}, []string{
					"loop holds no call of getppid, there is one beside it only"}},
				{loop{"demo_batch_op", "getppid", true}, nil},
				{loop{"demo_absent_op", "getppid", false}, []string{"is not in the program"}},
			} {
				var got []string
				for _, f := range im.check("gnu", []loop{c.loop}, files) {
					got = append(got, f.What)
					f.What = ""
					if want := (Finding{files.file(c.loop.op), c.loop.op, "", "gnu"}); f != want {
						t.Errorf("%v: a finding about %v", c.loop, f)
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%v:\n got %q\nwant %q", c.loop, got, c.want)
				}
			}
			table := im.check("gnu", []loop{{"demo_switch_op", "getppid", false}}, files)
			if len(table) != 1 || !strings.Contains(table[0].What, "jumps through a table") {
				t.Errorf("a switch: %q", table)
			}
		})
	}
}

// A weak function that is missing lies at address 0, where no name is right.
func TestLoopReachesNothing(t *testing.T) {
	onlyX86(t)
	im := link(t, compilerFor(t, "gcc"), "testdata/weak.c", "-static")
	var got []string
	for _, f := range im.check("gnu", []loop{{"demo_weak_op", "absent", false}}, demo(im)) {
		got = append(got, f.What)
	}
	want := []string{"loop holds no call of absent", "loop holds a call of an unknown address that the row does not name"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// demo gives the functions of a program in testdata.
func demo(im *image) sources {
	files := sources{}
	for _, f := range im.functions {
		if strings.HasPrefix(f.Name, "demo_") || strings.HasPrefix(f.Name, "gang_") {
			name, _, _ := strings.Cut(f.Name, ".")
			files[name] = "demo/demo.c"
		}
	}
	return files
}
