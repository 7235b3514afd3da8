package explain

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// FuzzParse feeds arbitrary bytes to the reader of a workload's output: what it
// takes has a time.
func FuzzParse(f *testing.F) {
	f.Add([]byte(printed))
	f.Add([]byte("BenchmarkX 10 250 ns/op 1e400 x/op\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		s, err := Parse(out)
		if err == nil && !(s.Metrics["ns/op"] > 0 && s.SetUpNS >= 0) {
			t.Errorf("took %q for a result: %+v", out, s)
		}
	})
}

// FuzzRead feeds arbitrary bytes to the readers of a record: what they take can
// be worked into a ledger, or is refused there.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":1,"rounds":3,"n":1,"timeout_ns":1,"builds":{"gnu.0":"a"}}`), []byte(`{"round":0,"binary":"gnu.0","metrics":{"ns/op":5}}`+"\n"))
	f.Add([]byte(`{"schema":2}`), []byte("{}"))
	f.Fuzz(func(t *testing.T, manifest, samples []byte) {
		dir := t.TempDir()
		for name, text := range map[string][]byte{manifestFile: manifest, samplesFile: samples} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Read(dir)
		if err != nil {
			return
		}
		if r.Manifest.Timeout <= 0*time.Second {
			t.Errorf("took a run without a watchdog")
		}
		d := Design{Binaries: []Binary{{Name: "gnu.0"}, {Name: "gnu.1", Side: 1}}}
		if times, err := Times(d, r.Samples, "ns/op"); err == nil && len(times) > 0 {
			_, _ = NewLedger(d, times[:min(len(times), 20)], 1)
		}
	})
}
