package runner

import (
	"testing"

	"libcost/internal/variant"
)

// FuzzParse feeds arbitrary bytes to the reader of a sample's output: whatever
// it takes is a result of this row and these ops.
func FuzzParse(f *testing.F) {
	row := variant.Row{Room: "alloc", Name: "Pair/size=64"}
	f.Add([]byte("BenchmarkPair/size=64\t10\t8.5 ns/op\n{\"result\":{\"n\":10,\"elapsed_ns\":85}}\n"))
	f.Add([]byte("BenchmarkPair/size=64\t10\t8.5 ns/op\n{\"result\":null}\n"))
	f.Add([]byte("{\"error\":\"x\"}\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		line, result, wrong := parse(out, row, 10)
		if wrong == "" && (line == "" || result == nil || result.N != 10 || result.ElapsedNS <= 0) {
			t.Errorf("took %q for a result", out)
		}
		if wrong != "" && result != nil {
			t.Errorf("refused (%s) and gave a result", wrong)
		}
	})
}
