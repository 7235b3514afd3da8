// Package sampletest checks what a workload's program prints.
package sampletest

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

// Program is the run of a workload's main.
type Program func(args []string, stdout, stderr io.Writer) int

// Good runs the program, which must do its n ops, and returns its digest.
func Good(t *testing.T, run Program, name string, n int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(t, run(append([]string{"-n", strconv.Itoa(n)}, args...), &stdout, &stderr), stderr.String())
	assert.Empty(t, stderr.String())
	return Line(t, stdout.String(), name, n)
}

// Line reads what a sample printed: one benchmark line, its digest and its
// set-up.
func Line(t *testing.T, text, name string, n int) string {
	t.Helper()
	reader := benchfmt.NewReader(strings.NewReader(text), "stdout")
	var results []*benchfmt.Result
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		require.Truef(t, ok, "%v in:\n%s", reader.Result(), text)
		results = append(results, result.Clone())
	}
	require.NoError(t, reader.Err())
	require.Len(t, results, 1, text)
	result := results[0]
	assert.Equal(t, name, string(result.Name))
	assert.Equal(t, n, result.Iters)
	units := []string{"sec/op", "cpu-sec/op", "minflt/op", "nvcsw/op", "nivcsw/op"}
	var got []string
	for _, value := range result.Values {
		got = append(got, value.Unit)
		assert.GreaterOrEqual(t, value.Value, 0.0, value.Unit)
	}
	assert.Equal(t, units, got)
	assert.Positive(t, result.Values[0].Value, "time")
	setup, err := strconv.ParseInt(result.GetConfig("setup-ns"), 10, 64)
	require.NoError(t, err)
	assert.Positive(t, setup)
	digest := result.GetConfig("digest")
	assert.Regexp(t, "^[0-9a-f]{16}$", digest)
	return digest
}

// Usage runs the program with flags that it can't take.
func Usage(t *testing.T, run Program, want string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 2, run(args, &stdout, &stderr), args)
	assert.Contains(t, stderr.String(), want)
	assert.Empty(t, stdout.String())
}
