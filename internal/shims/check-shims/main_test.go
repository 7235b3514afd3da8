package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"-h"}, 0, "usage: check-shims"},
		{[]string{"-x"}, 2, "usage: check-shims"},
		{[]string{"gnuu"}, 2, "did you mean gnu?"},
		{[]string{"-C", "../../..", "gnu"}, 1, "gcc not found (make setup)"},
	} {
		var stdout, stderr bytes.Buffer
		if exit := run(c.args, &stdout, &stderr); exit != c.exit {
			t.Errorf("%q: exit %d, want %d", c.args, exit, c.exit)
		}
		if !strings.Contains(stderr.String(), c.says) || stdout.Len() > 0 {
			t.Errorf("%q: said %q and printed %q, want %q", c.args, stderr.String(), stdout.String(), c.says)
		}
	}
}
