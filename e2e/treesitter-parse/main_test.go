//go:build cgo

package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The same ops do the same work, and say so.
func TestSample(t *testing.T) {
	var digests []string
	for range 2 {
		var stdout, stderr bytes.Buffer
		require.Zero(t, run([]string{"-n", "5"}, &stdout, &stderr), stderr.String())
		digest, _, _ := bytes.Cut(stdout.Bytes(), []byte("\n"))
		digests = append(digests, string(digest))
	}
	assert.Equal(t, digests[0], digests[1])
}

// A tree of another size, or of another file, is refused.
func TestCheckRefuses(t *testing.T) {
	p, err := newParses(8)
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.Ops())
	_, err = p.Check()
	require.NoError(t, err)
	p.nodes[6]++
	_, err = p.Check()
	assert.ErrorContains(t, err, "op 6: ")
	p.nodes[6]--
	p.files[0], p.files[1] = p.files[1], p.files[0]
	_, err = p.Check()
	assert.ErrorContains(t, err, "want package")
}
