package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"libcost/internal/doctor"
	"libcost/internal/host"
	"libcost/internal/results"
	"libcost/internal/variant"
)

func (a *app) doctorCommand() *cobra.Command {
	format, dir := "text", ""
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what makes numbers on this machine unreliable, and what to do",
		Long: `Say what makes numbers on this machine unreliable, and what to do about it, in
10 seconds. Nothing is changed. With gnu built, pairs of samples of the same
program tell what a run can see here.`,
		Example: "  libcost doctor\n  libcost doctor -format json",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains([]string{"text", "json"}, format) {
				return usagef("unknown format %q%s (text, json)", format, near(format, []string{"text", "json"}))
			}
			found, err := a.examine(c.Context(), dir)
			if err != nil {
				return err
			}
			if format == "json" {
				return findingsJSON(a.stdout, found)
			}
			return findingsText(a.stdout, found)
		},
	}
	c.Flags().StringVar(&format, "format", format, "`text or json`")
	c.Flags().StringVar(&dir, "dir", "", "`directory` of the rows that write files (default: results in the project)")
	return c
}

// examine looks at all there is.
func (a *app) examine(ctx context.Context, dir string) ([]doctor.Finding, error) {
	facts, err := host.Read()
	if err != nil {
		return nil, err
	}
	m := doctor.Machine{Root: os.DirFS("/"), CPUs: facts.CPUs, Pin: facts.CPUs[len(facts.CPUs)-1]}
	found := []doctor.Finding{{What: "machine", Found: fmt.Sprintf("%s, %s, Linux %s", facts.CPU, facts.OS, facts.Kernel)}}
	if facts.Virtual != "" {
		found = append(found, doctor.Finding{What: "virtual machine", Found: facts.Virtual, Level: doctor.Note,
			Why: "neighbours slow it down for seconds, and no counter shows it: only interleaved runs compare"})
	}
	found = append(found, m.Look()...)
	for _, cpu := range facts.CPUs[max(0, len(facts.CPUs)-4):] {
		spin, err := doctor.SpinOn(cpu, 300*time.Millisecond)
		if err != nil {
			return nil, err
		}
		found = append(found, spin.Judge())
	}
	disk, err := a.examineDisk(dir)
	if err != nil {
		return nil, err
	}
	found = append(found, disk...)
	found = append(found, a.tools()...)
	return append(found, a.resolution(ctx, m)), nil
}

// examineDisk says what the rows that write files lie on.
func (a *app) examineDisk(dir string) ([]doctor.Finding, error) {
	dir, err := filesDir(dir, a.root)
	if err != nil {
		return nil, err
	}
	disk, err := host.ReadDisk(dir)
	if err != nil {
		return nil, err
	}
	f := doctor.Finding{What: "disk of the fsync rows", Found: fmt.Sprintf("%s on %s, %s, scheduler %s", disk.FileSystem, disk.Device, disk.WriteCache, disk.Scheduler)}
	if disk.Caution != "" {
		f.Level, f.Why, f.Remedy = doctor.Caution, disk.Caution, "DIR=a directory on a disk"
	}
	took, err := syncs(dir, 50)
	if err != nil {
		return []doctor.Finding{f, {What: "fdatasync of 4 KiB", Found: "refused", Level: doctor.Caution, Why: err.Error(), Remedy: "DIR=a directory that can be written"}}, nil
	}
	return []doctor.Finding{f, doctor.Syncs(took)}, nil
}

// syncs times syncs of a file that is gone afterwards.
func syncs(dir string, n int) ([]time.Duration, error) {
	f, err := os.CreateTemp(dir, "libcost-doctor-")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer os.Remove(f.Name())
	var took []time.Duration
	for range n {
		start := time.Now()
		if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}

// tools says which programs there are, and how to get the others.
func (a *app) tools() []doctor.Finding {
	var found []doctor.Finding
	for _, t := range []struct{ name, why, remedy string }{
		{"gcc", "nothing can be built", "make setup"},
		{"musl-gcc", "musl can't be built", "make setup"},
		{"objdump", "check-shims can't look into binaries", "make setup"},
		{"perf", "no function is named in an explanation's rest, no peer for memcpy", "apt-get install linux-perf"},
		{"fio", "no peer for the fsync rows", "apt-get install fio"},
	} {
		f := doctor.Finding{What: t.name}
		path, err := exec.LookPath(t.name)
		if own := filepath.Join(a.root, ".toolchain", "bin", t.name); err != nil {
			if _, statErr := os.Stat(own); statErr == nil {
				path, err = own, nil
			}
		}
		if err != nil {
			f.Found, f.Level, f.Why, f.Remedy = "missing", doctor.Note, t.why, t.remedy
		} else {
			f.Found = version(path)
		}
		found = append(found, f)
	}
	return found
}

// version is the first line of a program's own answer.
func version(path string) string {
	out, _ := exec.Command(path, "--version").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	if line == "" {
		return "there"
	}
	return strings.TrimSpace(line)
}

// Pairs of samples that tell the resolution, and their rows' time in all.
const resolutionPairs = 10

// resolution measures pairs of the same program on the canary rows.
func (a *app) resolution(ctx context.Context, m doctor.Machine) doctor.Finding {
	unknown := func(why, remedy string) doctor.Finding {
		return doctor.Finding{What: "resolution", Found: "not measured", Level: doctor.Note, Why: why, Remedy: remedy}
	}
	if !a.builtAlready("gnu") {
		return unknown("gnu is not built yet", "make build")
	}
	built, err := a.builder().Build(mustParse("gnu"))
	if err != nil {
		return unknown(err.Error(), "make build")
	}
	unlock, err := results.Lock(a.root)
	if err != nil {
		return unknown("a run is going on", "wait for its end")
	}
	defer unlock()
	manifest := results.Manifest{Pin: m.Pin, Timeout: 10 * time.Second, Set: "quick"}
	r := a.newRunner([][]*variant.Built{built}, manifest, os.TempDir())
	var rows []results.Row
	for _, row := range built[0].Rows {
		if slices.Contains(canaries, row.Key()) {
			rows = append(rows, results.Row{Row: row, Variants: []string{"gnu"}})
		}
	}
	if err := r.Calibrate(ctx, rows, func(int) {}, func(results.Sample) {}); err != nil {
		return unknown(err.Error(), "")
	}
	ratios := make([][]float64, len(rows))
	for range resolutionPairs {
		for i, row := range rows {
			first, second := r.Sample(ctx, row.Row, "gnu", 0, row.N["gnu"]), r.Sample(ctx, row.Row, "gnu", 0, row.N["gnu"])
			if first.Status == results.OK && second.Status == results.OK {
				ratios[i] = append(ratios[i], float64(second.Result.ElapsedNS)/float64(first.Result.ElapsedNS))
			}
		}
	}
	return doctor.Resolution(ratios)
}

// builtAlready says whether a variant was ever built here.
func (a *app) builtAlready(name string) bool {
	dirs, _ := filepath.Glob(filepath.Join(a.root, ".build", name+"-*", "variant.json"))
	return len(dirs) > 0
}

func findingsText(w io.Writer, found []doctor.Finding) error {
	print := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	worse := 0
	for _, f := range found {
		mark := map[doctor.Level]string{doctor.Fine: " ", doctor.Note: "·", doctor.Caution: "!"}[f.Level]
		fmt.Fprintf(print, "%s %s\t%s\n", mark, f.What, f.Found)
		if f.Why != "" {
			fmt.Fprintf(print, "\t  %s\n", f.Why)
		}
		if f.Remedy != "" {
			fmt.Fprintf(print, "\t  → %s\n", f.Remedy)
		}
		if f.Level == doctor.Caution {
			worse++
		}
	}
	if err := print.Flush(); err != nil {
		return err
	}
	if worse == 0 {
		fmt.Fprintln(w, "nothing here makes numbers worse than they have to be")
		return nil
	}
	fmt.Fprintf(w, "%d of these make numbers worse (!)\n", worse)
	return nil
}

func findingsJSON(w io.Writer, found []doctor.Finding) error {
	type finding struct {
		What   string `json:"what"`
		Found  string `json:"found"`
		Level  string `json:"level"`
		Why    string `json:"why,omitempty"`
		Remedy string `json:"remedy,omitempty"`
	}
	out := make([]finding, len(found))
	for i, f := range found {
		out[i] = finding{f.What, f.Found, f.Level.String(), f.Why, f.Remedy}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "\t")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
