package shims

import (
	"slices"
	"strings"
	"testing"

	"libcost/internal/variant"
)

func TestLoops(t *testing.T) {
	onlyX86(t)
	im := link(t, compilerFor(t, "gcc"), "testdata/reach.c", "-static")
	at := func(name string) uint64 {
		f, ok := im.functionNamed(name)
		if !ok {
			t.Fatalf("no function %s", name)
		}
		return f.Value
	}
	rows := []variant.Row{
		{Name: "Pair/size=16", Op: at("demo_pair_op"), Calls: "malloc free"},
		{Name: "Pair/size=64", Op: at("demo_pair_op"), Calls: "malloc free"},
		{Name: "Half/size=64", Op: at("demo_pair_op"), Calls: "malloc"},
		{Name: "Batch/batch=1", Op: at("demo_batch_op"), Calls: "getppid"},
		{Name: "Batch/batches=1", Op: at("demo_batch_op"), Calls: "getppid"},
	}
	want := []loop{
		{"demo_pair_op", "malloc free", false},
		{"demo_pair_op", "malloc", false},
		{"demo_batch_op", "getppid", true},
		{"demo_batch_op", "getppid", false},
	}
	if got, err := im.loops(rows, demo(im)); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}

	for _, row := range []variant.Row{
		{Name: "Middle", Op: at("demo_pair_op") + 4},
		{Name: "Foreign", Op: at("malloc")},
	} {
		if _, err := im.loops([]variant.Row{row}, demo(im)); err == nil || !strings.Contains(err.Error(), "no function of the room") {
			t.Errorf("%s: got %v", row.Name, err)
		}
	}
	pie := link(t, compilerFor(t, "gcc"), "testdata/reach.c", "-pie", "-fPIE")
	if _, err := pie.loops(rows, demo(pie)); err == nil || !strings.Contains(err.Error(), "position-independent") {
		t.Errorf("a program whose addresses move: got %v", err)
	}
}
