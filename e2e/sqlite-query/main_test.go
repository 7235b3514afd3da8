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

// An answer that is not the sales' own is refused.
func TestCheckRefuses(t *testing.T) {
	q, err := newQueries(5)
	require.NoError(t, err)
	defer q.Close()
	require.NoError(t, q.Ops())
	_, err = q.Check()
	require.NoError(t, err)
	q.answers[3][0].cents++
	_, err = q.Check()
	assert.ErrorContains(t, err, "op 3, items with")
}
