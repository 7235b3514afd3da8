//go:build cgo

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/e2e/internal/sampletest"
)

func TestSample(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a dir?")
	require.NoError(t, os.Mkdir(dir, 0o777))
	memory := sampletest.Good(t, run, "SqliteUpsert/store=memory", 20)
	full := sampletest.Good(t, run, "SqliteUpsert/store=wal/synchronous=FULL", 20, "-store", "wal", "-dir", dir)
	off := sampletest.Good(t, run, "SqliteUpsert/store=wal/synchronous=OFF", 20, "-store", "wal", "-dir", dir, "-synchronous", "OFF")
	assert.Equal(t, memory, full)
	assert.Equal(t, memory, off)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// What a killed sample left is not measured again.
func TestLeftOver(t *testing.T) {
	s := store{"wal", "FULL", t.TempDir()}
	u, err := newUpserts(s, 20)
	require.NoError(t, err)
	require.NoError(t, u.Ops())
	assert.FileExists(t, s.files()[1])
	require.NoError(t, u.close())
	sampletest.Good(t, run, "SqliteUpsert/store=wal/synchronous=FULL", 5, "-store", "wal", "-dir", s.dir)
}

func TestWrongIsRefused(t *testing.T) {
	for _, s := range []store{{kind: "memory"}, {"wal", "FULL", t.TempDir()}} {
		for statement, want := range map[string]string{
			"UPDATE kv SET value = x'00' WHERE key = 'session/00000001'":     `key "session/00000001": got 00`,
			"DELETE FROM kv WHERE key = 'session/00000001'":                  "keys, want",
			"INSERT INTO kv VALUES ('another', x'00')":                       `key "another"`,
			"UPDATE kv SET key = 'session/1' WHERE key = 'session/00000001'": `key "session/1"`,
		} {
			u, err := newUpserts(s, 20)
			require.NoError(t, err)
			require.NoError(t, u.Ops())
			require.NoError(t, u.db.Exec(statement))
			_, err = u.Check()
			assert.ErrorContains(t, err, want, statement)
			require.NoError(t, u.Close())
		}
	}
}

func TestUsage(t *testing.T) {
	sampletest.Usage(t, run, "no directory (set -dir", "-store", "wal")
	sampletest.Usage(t, run, "neither memory nor wal", "-store", "disk")
	sampletest.Usage(t, run, "neither FULL nor OFF", "-store", "wal", "-dir", "x", "-synchronous", "NORMAL")
	sampletest.Usage(t, run, "nothing is written there", "-dir", "x")
}
