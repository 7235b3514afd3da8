package results

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A BusyError is a tree in which another run is going on.
type BusyError struct{ Dir string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("run: %s: another run is going on in this tree; two at once would measure each other", e.Dir)
}

// Lock takes the lock of a results directory. It dies with its owner, however
// the owner dies.
func Lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &BusyError{dir}
		}
		return nil, fmt.Errorf("run: lock %s: %w", dir, err)
	}
	return func() { f.Close() }, nil
}

// A Writer appends samples to a run, each flushed before the next one starts.
type Writer struct {
	Dir      string
	manifest Manifest
	samples  *os.File
	texts    map[string]*text
}

// Create starts a run below dir and points latest to it.
func Create(dir string, m Manifest) (*Writer, error) {
	m.Schema = Schema
	encoded, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	sum := sha256.Sum256(encoded)
	name := m.Started.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(sum[:3])
	run := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := os.Mkdir(run, 0o777); err != nil { // one that is there is another run
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := WriteWhole(filepath.Join(run, "manifest.json"), append(encoded, '\n')); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := PointTo(filepath.Join(dir, "latest"), name); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return open(run, m, nil)
}

// Resume goes on with a run: it drops a torn last line and makes the benchmark
// files anew from the samples that are whole.
func Resume(run *Run) (*Writer, error) {
	if err := os.Truncate(filepath.Join(run.Dir, "samples.jsonl"), run.whole); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := keepHistograms(run); err != nil {
		return nil, err
	}
	return open(run.Dir, run.Manifest, run.Samples)
}

func open(dir string, m Manifest, samples []Sample) (*Writer, error) {
	f, err := os.OpenFile(filepath.Join(dir, "samples.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	w := &Writer{Dir: dir, manifest: m, samples: f, texts: map[string]*text{}}
	for _, v := range m.Variants {
		if w.texts[v.Name], err = newText(dir, m, v); err != nil {
			w.Close()
			return nil, fmt.Errorf("results: %w", err)
		}
	}
	for _, s := range samples {
		if err := w.addText(s); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// Append writes one sample. The record comes before the benchmark file, which
// can be made again if it lacks its last line, and after the histogram, which
// can't.
func (w *Writer) Append(s Sample) error {
	if err := w.appendHistogram(&s); err != nil {
		return fmt.Errorf("results: histogram of %s: %w", s.Row, err)
	}
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("results: sample of %s: %w", s.Row, err)
	}
	if _, err := w.samples.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return w.addText(s)
}

func (w *Writer) addText(s Sample) error {
	t := w.texts[s.Variant]
	if s.Status != OK || t == nil {
		return nil
	}
	if err := t.add(s); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// Counts writes what the counting pass found.
func (w *Writer) Counts(c Counts) error {
	encoded, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := WriteWhole(filepath.Join(w.Dir, "counts.json"), append(encoded, '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// Close closes the files.
func (w *Writer) Close() error {
	errs := []error{w.samples.Close()}
	for _, t := range w.texts {
		if t != nil {
			errs = append(errs, t.file.Close())
		}
	}
	return errors.Join(errs...)
}

// A text is the benchmark file of one variant.
type text struct {
	file *os.File
	room string
}

// newText starts a benchmark file. No configuration line may differ between
// the files of a run, since benchstat makes a table for each value: what
// differs stands in comments.
func newText(dir string, m Manifest, v Variant) (*text, error) {
	f, err := os.Create(filepath.Join(dir, v.Name+".txt"))
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "# libcost: variant %s: %s %s, %s, allocator %s, %s\n", v.Name, v.Facts.Libc, v.Facts.LibcVersion, v.Facts.Linkage, v.Facts.Allocator, v.Facts.Compiler)
	if m.Disk.Caution != "" {
		fmt.Fprintf(w, "# libcost: fsync rows: %s\n", m.Disk.Caution)
	}
	fmt.Fprintf(w, "goos: linux\ngoarch: %s\ncpu: %s\n", m.Host.Arch, m.Host.CPU)
	for _, unit := range []string{"cpu-ns/op", "p50-ns", "p90-ns", "p99-ns", "p99.9-ns"} {
		fmt.Fprintf(w, "Unit %s better=lower\n", unit)
	}
	return &text{file: f}, w.Flush()
}

func (t *text) add(s Sample) error {
	room, _, _ := strings.Cut(s.Row, "/")
	out := ""
	if room != t.room {
		out = "pkg: libcost/" + room + "\n"
		t.room = room
	}
	_, err := t.file.WriteString(out + s.Line + "\n")
	return err
}

// WriteWhole writes a file that is there whole or not at all.
func WriteWhole(file string, text []byte) error {
	tmp := file + ".part"
	if err := os.WriteFile(tmp, text, 0o666); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}

// PointTo makes link point to target, at once.
func PointTo(link, target string) error {
	tmp := link + ".part"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	return os.Rename(tmp, link)
}
