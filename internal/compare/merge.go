package compare

import (
	"fmt"
	"maps"
	"slices"

	"libcost/internal/results"
)

// Apart says why the difference of runs is not that of their variants alone.
func Apart(runs []*results.Run) string {
	first := runs[0].Manifest
	for _, run := range runs[1:] {
		m := run.Manifest
		if m.Host.CPU != first.Host.CPU || m.Host.Kernel != first.Host.Kernel || m.Host.MemTotal != first.Host.MemTotal || len(m.Host.CPUs) != len(first.Host.CPUs) {
			return fmt.Sprintf("%s and %s ran on two machines", runs[0].Dir, run.Dir)
		}
	}
	return "they did not run interleaved"
}

// Merge puts several runs side by side, the first one's base as the base. A
// variant that was there before gets its run's number: musl#2.
func Merge(runs []*results.Run) Input {
	all := FromRun(runs[0])
	for i, run := range runs[1:] {
		in := FromRun(run)
		names := map[string]string{}
		for _, v := range in.Variants {
			names[v] = v
			if slices.Contains(all.Variants, v) {
				names[v] = fmt.Sprintf("%s#%d", v, i+2)
			}
			if v != in.Canary {
				all.Variants = append(all.Variants, names[v])
			}
		}
		for _, s := range in.Series {
			if s.Variant != in.Canary {
				s.Variant = names[s.Variant]
				all.Series = append(all.Series, s)
			}
		}
		maps.Copy(all.Side, in.Side)
		maps.Copy(all.Control, in.Control)
		all.Skipped = append(all.Skipped, in.Skipped...)
	}
	return all
}
