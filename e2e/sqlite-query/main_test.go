//go:build cgo

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/e2e/internal/sampletest"
)

func TestSample(t *testing.T) {
	sampletest.Good(t, run, "SqliteQuery/rows=2000", len(words)+1)
	assert.Equal(t, sampletest.Good(t, run, "SqliteQuery/rows=2000", 3), sampletest.Good(t, run, "SqliteQuery/rows=2000", 3))
}

// The pattern is found anywhere in an item: no word may be part of another.
func TestWords(t *testing.T) {
	for _, a := range words {
		for _, b := range words {
			assert.False(t, a != b && strings.Contains(a, b), "%s holds %s", a, b)
		}
	}
}

func TestWrongIsRefused(t *testing.T) {
	q, err := newQueries(3)
	require.NoError(t, err)
	defer q.Close()
	require.NoError(t, q.db.Exec("UPDATE sale SET cents = cents + 1 WHERE id = (SELECT id FROM sale WHERE item LIKE ? LIMIT 1)", "%"+words[2]+"%"))
	require.NoError(t, q.Ops())
	_, err = q.Check()
	assert.ErrorContains(t, err, "op 2, items with ")
}
