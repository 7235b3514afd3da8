//go:build cgo

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/e2e/internal/gosource"
	"libcost/e2e/internal/sampletest"
)

func TestSample(t *testing.T) {
	assert.Equal(t, sampletest.Good(t, run, "CloneSmells/files=1", 3), sampletest.Good(t, run, "CloneSmells/files=1", 3))
	sampletest.Good(t, run, "CloneSmells/files=1", 1000)
}

// All of the answers, on all of the files, against those worked out in Go.
func TestSmells(t *testing.T) {
	files, err := gosource.Files(gosource.Paths...)
	require.NoError(t, err)
	f, err := newForest(files)
	require.NoError(t, err)
	defer f.free()
	found := 0
	for i := range f.subtrees {
		got := f.smells(i)
		require.Equal(t, f.expect(i), got, i)
		found += int(got.found)
	}
	assert.Positive(t, found)
}

// Names, strings, numbers and comments make no difference; another statement
// makes some, and other code is no clone.
func TestWhatIsAClone(t *testing.T) {
	const (
		body    = "for i := range xs {\n if xs[i] > 3 {\n n += xs[i] * 2\n } else {\n n -= xs[i] + 7\n }\n}\nprint(\"sum\", n)\nreturn n\n}\n"
		renamed = "for k := range ys {\n // less\n if ys[k] > 44 {\n m += ys[k] * 5\n } else {\n m -= ys[k] + 6\n }\n}\nprint(`total`, m)\nreturn m\n}\n"
	)
	best := func(a, b string) (most int) {
		f, err := newForest([]gosource.File{{Path: "a.go", Text: []byte("package a\n" + a)}, {Path: "b.go", Text: []byte("package b\n" + b)}})
		require.NoError(t, err)
		defer f.free()
		require.Equal(t, f.expect(0), f.smells(0))
		for i := range f.subtrees {
			if !f.overlap(0, i) {
				most = max(most, f.similarity(0, i))
			}
		}
		return most
	}
	first := "func a(xs []int) (n int) {\n" + body
	assert.Equal(t, 100, best(first, "func b(ys []int) (m int) {\n"+renamed))
	near := best(first, "func b(ys []int) (m int) {\nm = 1\n"+renamed)
	assert.Greater(t, near, 70)
	assert.Less(t, near, 100)
	// The same statements the other way round are other code.
	steps := []string{"f(n)\n", "n = n + 1\n", "g(n, n, n)\n", "n--\n", "h()\n", "k[n] = n\n", "defer l(n)\n"}
	forth := "func a(n int) {\n" + strings.Join(steps, "") + "}\n"
	assert.Equal(t, 100, best(forth, forth))
	slices.Reverse(steps)
	assert.Zero(t, best(forth, "func a(n int) {\n"+strings.Join(steps, "")+"}\n"))
	assert.Zero(t, best(first, "type b struct {\n a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q int }\n"))
}

func TestWrongIsRefused(t *testing.T) {
	s, err := newSearch(1000)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Ops())
	_, err = s.Check()
	require.NoError(t, err)
	s.found[0].percent++
	_, err = s.Check()
	assert.ErrorContains(t, err, "op 0: got ")
	s.found[0].percent--
	s.found[999].best++
	_, err = s.Check()
	assert.ErrorContains(t, err, "op 999: got ")
}
