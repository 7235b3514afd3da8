//go:build cgo

package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/e2e/internal/sampletest"
)

func TestSample(t *testing.T) {
	sampletest.Good(t, run, "TreesitterParse/files=4", 5)
	assert.Equal(t, sampletest.Good(t, run, "TreesitterParse/files=4", 2), sampletest.Good(t, run, "TreesitterParse/files=4", 2))
}

func TestWrongIsRefused(t *testing.T) {
	for want, spoil := range map[string]func(*parses){
		"op 4: ":                     func(p *parses) { p.nodes[4]++ },
		"the tree has an error node": func(p *parses) { p.retree(0, bytes.Replace(p.files[0].Text, []byte("{"), nil, 1)) },
		"strings/strings.go: got package 331-346, want package 330-345": func(p *parses) { p.retree(2, append([]byte("\n"), p.files[2].Text...)) },
	} {
		p, err := newParses(5)
		require.NoError(t, err)
		require.NoError(t, p.Ops())
		spoil(p)
		_, err = p.Check()
		assert.ErrorContains(t, err, want)
		require.NoError(t, p.Close())
	}
}

func (p *parses) retree(f int, text []byte) {
	p.trees[f].Close()
	p.trees[f] = p.parser.Parse(text, nil)
}
