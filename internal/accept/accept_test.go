package accept

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/compare"
)

func series(row, unit, variant string, values ...float64) compare.Series {
	s := compare.Series{Row: row, Unit: unit, Variant: variant, Values: map[int]float64{}}
	for i, v := range values {
		s.Values[i] = v
	}
	return s
}

func ptr(x float64) *float64 { return &x }

func TestJudge(t *testing.T) {
	in := compare.Input{Base: "gnu", Variants: []string{"gnu", "musl"}, NoCounts: "tracefs is not mounted",
		Series: []compare.Series{
			series("m/Memcmp", "ns/op", "gnu", 10, 11, 10, 12, 10, 11), series("m/Memcmp", "ns/op", "musl", 300, 310, 320, 300, 305, 330),
			series("f/Zeros", "p50-ns", "gnu", 60, 61, 59, 60, 62, 60), series("f/Append", "p50-ns", "gnu", 100, 101, 100, 99, 100, 102),
			series("c/Nop", "ns/op", "gnu", 34, 34.1, 34, 34.2, 34, 34.1), series("c/Nop", "ns/op", "musl", 34.1, 34, 34.2, 34, 34.1, 34.2),
			series("a/Replace", "futex/op", "musl", 1.2),
			series("a/Remote", "cpu-ns/op", "gnu", 20, 21, 20, 22, 20, 21), series("a/Remote", "cpu-ns/op", "musl", 60, 63, 61, 65, 62, 61),
		},
		Side:    map[string]bool{"cpu-ns/op": true},
		Skipped: []compare.Skip{{Row: "f/Direct", Reason: "no O_DIRECT", Lacking: true}, {Row: "f/Full", Reason: "no space left"}},
	}
	table := compare.Compare(in)
	for what, c := range map[string]struct {
		e    Expect
		want Answer
	}{
		"a ratio in its band":        {Expect{Row: "m/Memcmp", Value: "ratio", Min: ptr(15)}, Holds},
		"a ratio below it":           {Expect{Row: "m/Memcmp", Value: "ratio", Min: ptr(31)}, Misses},
		"a ratio above it":           {Expect{Row: "m/Memcmp", Value: "ratio", Min: ptr(1), Max: ptr(20)}, Misses},
		"CPU time in its band":       {Expect{Row: "a/Remote", Value: "ratio", Unit: "cpu-ns/op", Min: ptr(2)}, Holds},
		"CPU time below it":          {Expect{Row: "a/Remote", Value: "ratio", Unit: "cpu-ns/op", Min: ptr(4)}, Misses},
		"CPU time nobody took":       {Expect{Row: "a/Replace", Value: "ratio", Unit: "cpu-ns/op", Min: ptr(0)}, Misses},
		"one row per another":        {Expect{Row: "f/Zeros", Per: "f/Append", Value: "per", Unit: "p50-ns", Variant: "gnu", Min: ptr(0.5), Max: ptr(0.7)}, Holds},
		"the other way round":        {Expect{Row: "f/Append", Per: "f/Zeros", Value: "per", Unit: "p50-ns", Variant: "gnu", Min: ptr(0.5), Max: ptr(0.7)}, Misses},
		"the same within 1 %":        {Expect{Row: "c/Nop", Value: "same", Margin: 1}, Holds},
		"not within 0.1 %":           {Expect{Row: "c/Nop", Value: "same", Margin: 0.1}, Misses},
		"a count":                    {Expect{Row: "a/Replace", Value: "count", Unit: "futex/op", Variant: "musl", Min: ptr(0.3)}, Holds},
		"a count that is too high":   {Expect{Row: "a/Replace", Value: "count", Unit: "futex/op", Variant: "musl", Max: ptr(0.01)}, Misses},
		"a count nobody took":        {Expect{Row: "a/Replace", Value: "count", Unit: "futex/op", Variant: "gnu", Max: ptr(0.01)}, Unjudged},
		"a level":                    {Expect{Row: "c/Nop", Value: "level", Variant: "gnu", Max: ptr(40)}, Holds},
		"a level that is too high":   {Expect{Row: "c/Nop", Value: "level", Variant: "gnu", Max: ptr(30)}, Misses},
		"0.05 ns apart":              {Expect{Row: "c/Nop", Value: "apart", Margin: 0.2}, Holds},
		"290 ns apart":               {Expect{Row: "m/Memcmp", Value: "apart", Margin: 0.2}, Misses},
		"a row the machine lacks":    {Expect{Row: "f/Direct", Value: "ratio", Min: ptr(1)}, Unjudged},
		"a row that went wrong":      {Expect{Row: "f/Full", Value: "ratio", Min: ptr(1)}, Misses},
		"a row that nobody measured": {Expect{Row: "f/None", Value: "ratio", Min: ptr(1)}, Misses},
	} {
		if c.e.Unit == "" {
			c.e.Unit = "ns/op"
		}
		found := Judge([]Case{{Number: 1, Expects: []Expect{c.e}}}, in, table)
		require.Len(t, found, 1)
		assert.Equal(t, c.want, found[0].Answer, "%s: %s", what, found[0].Measured)
		assert.NotEmpty(t, found[0].Measured, what)
	}
}

func TestReadCasesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"[[case]]\nnumber = 1\n[[case.expect]]\nrow = \"r\"\nvalue = \"ratio\"\n":                        "no min and no max: nothing could miss",
		"[[case]]\nnumber = 1\n[[case.expect]]\nrow = \"r\"\nvalue = \"rat\"\nmin = 1.0\n":               "none of ratio, per, count, same",
		"[[case]]\nnumber = 1\n[[case.expect]]\nrow = \"r\"\nvalue = \"same\"\n":                         "same needs a margin",
		"[[case]]\nnumber = 1\n[[case.expect]]\nrow = \"r\"\nvalue = \"per\"\nmin = 1.0\n":               "per needs the other row",
		"[[case]]\nnumber = 1\n[[case.expect]]\nrow = \"r\"\nvalue = \"count\"\nmin = 1.0\n":             "count needs a variant",
		"[[case]]\nnumber = 1\n[[case.expect]]\nrow = \"r\"\nvalue = \"ratio\"\nmin = 1.0\nrow2 = \"x\"": "unknown key",
		"[[case": "cases.toml",
	} {
		file := filepath.Join(t.TempDir(), "cases.toml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := ReadCases(file)
		assert.ErrorContains(t, err, want)
	}
}

// The project's own cases can be read, and each row has the rounds that its
// most demanding expectation needs.
func TestCases(t *testing.T) {
	cases, err := ReadCases("../../testdata/cases.toml")
	require.NoError(t, err)
	rounds := Rows(cases)
	assert.Equal(t, 100, rounds["fsync/Sync/size=4096/by=fdatasync/file=append/threads=1"])
	assert.Equal(t, 20, rounds["memops/Memcpy/size=31/src=0/dst=0/threads=1"])
	assert.Equal(t, 20, rounds["alloc/Replace/sizes=16..1039/live=1024/threads=1/place=spread"], "a row that another is set against")
	for _, c := range cases {
		assert.NotEmpty(t, c.Expects, "case %d", c.Number)
	}
}
