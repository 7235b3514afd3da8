package shims

import (
	"fmt"
	"strings"
	"testing"
)

const source = `
void a(int), b(int);
int first(int x) { a(x); return x + 1; }
int second(int x) { b(x); return x + 2; }
static const int table[] = { 1, 2, 3 };
const int *at(void) { return table; }
const char *text(void) { return "text"; }
double half(double x) { return x * 0.5; }
void (*const calls[])(int) = { a, b };
int zeros[4];
`

func TestDifferences(t *testing.T) {
	gcc := compilerFor(t, "gcc")
	first := assemble(t, gcc, source)
	for _, c := range []struct{ name, from, to, want string }{
		{"nothing", "", "", ""},
		{"a name inside", "int x) { a(x)", "int y) { int x = y; a(x)", ""},
		{"a constant", "x + 1", "x + 100", "first"},
		{"a longer function", "x + 1", "x * x + 100000 * x", "first"},
		{"only what is called", "b(x)", "a(x)", "second"},
		{"a value of a table", "1, 2, 3", "1, 2, 4", "table"},
		{"a pointer of a table", "{ a, b }", "{ b, a }", "calls"},
		{"a string", `"text"`, `"test"`, "section .rodata.str1.1"},
		{"a literal", "0.5", "0.25", "section .rodata.cst8"},
		{"a size without bytes", "zeros[4]", "zeros[5]", "zeros"},
		{"one function more", "int zeros", "int third(void) { return 3; } int zeros", "third"},
		{"one function less", "double half(double x) { return x * 0.5; }", "", "section .rodata.cst8, half"},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := assemble(t, gcc, strings.Replace(source, c.from, c.to, 1))
			for _, pair := range [][2]*object{{first, other}, {other, first}} {
				var got []string
				for _, d := range pair[0].differences(pair[1]) {
					got = append(got, d.symbol)
				}
				if s := strings.Join(got, ", "); s != c.want {
					t.Errorf("got %q, want %q", s, c.want)
				}
			}
		})
	}
}

// The first place that differs is a byte or a relocation, whichever comes first.
func TestDifferencePlace(t *testing.T) {
	call := func(offset uint64, name string) reloc { return reloc{offset, 4, name, -4} }
	for _, c := range []struct {
		a, b content
		want string
	}{
		{content{[]byte("abcd"), 4, nil}, content{[]byte("abcx"), 4, nil}, "+3: 64, 78"},
		{content{[]byte("abcd"), 4, nil}, content{[]byte("abcdef"), 6, nil}, "+4: the end, 6566"},
		{content{[]byte("abcd"), 4, []reloc{call(1, "f")}}, content{[]byte("abcx"), 4, []reloc{call(1, "g")}}, "+1: f-4 (relocation 4), g-4 (relocation 4)"},
		{content{[]byte("abcd"), 4, []reloc{call(1, "f")}}, content{[]byte("abcd"), 4, nil}, "+1: f-4 (relocation 4), 626364"},
		{content{[]byte("abcd"), 4, []reloc{call(1, "f")}}, content{[]byte("abcd"), 4, []reloc{call(1, "f"), call(2, "g")}}, "+2: 6364, g-4 (relocation 4)"},
		{content{[]byte("abcd"), 4, []reloc{call(2, "f")}}, content{[]byte("axcd"), 4, nil}, "+1: 626364, 786364"},
		{content{nil, 4, nil}, content{nil, 8, nil}, "+4: the end, zero"},
	} {
		d := c.a.difference("", c.b)
		if got := fmt.Sprintf("+%d: %s, %s", d.offset, d.a, d.b); got != c.want {
			t.Errorf("%v against %v: got %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// What gcc adds for debuggers and unwinders is no difference.
func TestDifferencesLoadedOnly(t *testing.T) {
	gcc := compilerFor(t, "gcc")
	a, b := assemble(t, gcc, source), assemble(t, gcc, source, "-g", "-fno-asynchronous-unwind-tables")
	if d := a.differences(b); len(d) > 0 {
		t.Errorf("got %v", d)
	}
}
