package shims

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestCalls(t *testing.T) {
	onlyX86(t)
	im := link(t, compilerFor(t, "gcc"), "testdata/flow.c", "-static")
	for _, c := range []struct{ function, want string }{
		{"flow_before", "a once, b looped"},
		{"flow_after", "a once, b looped"},
		{"flow_both_ways", "a looped, b looped"},
		{"flow_nested", "a looped, b looped"},
		{"flow_leaves", "a once, b looped"},
		{"flow_for_ever", "b looped"},
		{"flow_no_loop", "a once, b once"},
		{"flow_way_out", "a once, b looped"},
		{"flow_conditional", "b looped, c once"},
		{"flow_dead", "a once"},
	} {
		f, ok := im.functionNamed(c.function)
		if !ok {
			t.Fatalf("no function %s", c.function)
		}
		insts, err := disassemble(im.code(f.Value, f.Size), f.Value)
		if err != nil {
			t.Fatalf("%s: %v", c.function, err)
		}
		looped := map[string]bool{}
		for _, call := range newFlow(insts).calls() {
			name := im.reached(call.inst)[0]
			looped[name] = looped[name] || call.looped // gcc may peel a turn off a loop
		}
		var got []string
		for _, name := range slices.Sorted(maps.Keys(looped)) {
			got = append(got, name+map[bool]string{true: " looped", false: " once"}[looped[name]])
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: got %s, want %s", c.function, s, c.want)
		}
	}
}

func TestInlineCopy(t *testing.T) {
	for _, c := range []struct {
		name, code, want string
	}{
		{"rep movsb", "\xf3\xa4\xc3", "rep movsb at +0x0"},
		{"rep movsq after a nop", "\x90\xf3\x48\xa5\xc3", "rep movsq at +0x1"},
		{"rep stosb", "\xf3\xaa\xc3", "rep stosb at +0x0"},
		{"rep stosq", "\xf3\x48\xab\xc3", "rep stosq at +0x0"},
		{"one movsb", "\xa4\xc3", ""},
		{"rep ret", "\xf3\xc3", ""},
		{"rep cmpsb, no copy", "\xf3\xa6\xc3", ""},
		{"popcnt, which begins like rep", "\xf3\x0f\xb8\xc0\xc3", ""},
		{"movsd of SSE", "\xf2\x0f\x10\x07\xc3", ""},
		{"endbr64 first", "\xf3\x0f\x1e\xfa\xf3\xa4\xc3", "rep movsb at +0x4"},
		{"no instruction", "\x90\x06", "can't be read at +0x1"},
		{"cut off", "\xe8\x00", "can't be read at +0x0"},
	} {
		got := inlineCopy([]byte(c.code))
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
