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

// A table that lacks an upsert is refused, in memory and on disk.
func TestCheckRefuses(t *testing.T) {
	for _, s := range []store{{kind: "memory"}, {kind: "wal", synchronous: "FULL", dir: t.TempDir()}} {
		u, err := newUpserts(s, 5)
		require.NoError(t, err)
		require.NoError(t, u.Ops())
		_, err = u.Check()
		require.NoError(t, err, s.kind)
		u.want["session/00000000"] = []byte("other")
		_, err = u.Check()
		assert.ErrorContains(t, err, `key "session/00000000"`)
		delete(u.want, "session/00000000")
		require.NoError(t, u.Close())
	}
}

func TestFlagsThatContradict(t *testing.T) {
	for _, args := range [][]string{{"-store", "disk"}, {"-store", "wal"}, {"-dir", "x"}, {"-store", "wal", "-dir", "x", "-synchronous", "off"}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, run(args, &stdout, &stderr), args)
		assert.Empty(t, stdout.String())
	}
}
