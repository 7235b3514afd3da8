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

// What Go finds by other means must be what C found.
func TestCheckRefuses(t *testing.T) {
	s, err := newSearch(80)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Ops())
	_, err = s.Check()
	require.NoError(t, err)
	s.found[40].found++
	_, err = s.Check()
	assert.ErrorContains(t, err, "op 40: ")
}

// The sources hold copies: one of them is found whole.
func TestClonesAreFound(t *testing.T) {
	s, err := newSearch(2000)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Ops())
	best := uint64(0)
	for _, f := range s.found {
		if f.found > 0 {
			best = max(best, f.percent/uint64(f.found))
		}
	}
	assert.Greater(t, best, uint64(90))
}
