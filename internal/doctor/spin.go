package doctor

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"libcost/internal/stats"
)

// A Spin is what a loop that reads the clock saw on one CPU.
type Spin struct {
	CPU     int
	Took    time.Duration
	Gaps    int           // readings more than gapFrom apart
	Lost    time.Duration // in gaps
	Longest time.Duration
}

// gapFrom is longer than any reading of the clock takes by itself.
const gapFrom = 5 * time.Microsecond

// SpinOn reads the clock on a CPU for so long, and notes when it did not get to.
func SpinOn(cpu int, long time.Duration) (Spin, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return Spin{}, fmt.Errorf("spin on CPU %d: %w", cpu, err)
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return Spin{}, fmt.Errorf("spin on CPU %d: %w", cpu, err)
	}
	defer unix.SchedSetaffinity(0, &before)
	s := Spin{CPU: cpu}
	start := time.Now()
	for last := start; s.Took < long; {
		now := time.Now()
		if gap := now.Sub(last); gap >= gapFrom {
			s.Gaps++
			s.Lost += gap
			s.Longest = max(s.Longest, gap)
		}
		last, s.Took = now, now.Sub(start)
	}
	return s, nil
}

// Judge says what a spin tells.
func (s Spin) Judge() Finding {
	share := 100 * float64(s.Lost) / float64(max(1, s.Took))
	f := Finding{What: fmt.Sprintf("CPU %d, spinning", s.CPU), Found: fmt.Sprintf("%.1f %% lost in %d gaps, the longest %v", share, s.Gaps, s.Longest.Round(time.Microsecond))}
	if share > 5 {
		f.Level, f.Why, f.Remedy = Caution, "the hypervisor, or another program, takes the CPU away", "a quieter machine or hour"
	}
	return f
}

// Syncs judges how long syncs of 4 KiB took: none is real that is faster than
// any drive.
func Syncs(took []time.Duration) Finding {
	slices.Sort(took)
	if len(took) == 0 {
		return Finding{What: "fdatasync", Found: "not measured"}
	}
	p50 := took[len(took)/2]
	f := Finding{What: "fdatasync of 4 KiB", Found: fmt.Sprintf("p50 %v", p50.Round(time.Microsecond))}
	if p50 < 15*time.Microsecond {
		f.Level, f.Why = Caution, "faster than any drive: something below only says that the data is safe"
		f.Remedy = "DIR=a directory on a disk"
	}
	return f
}

// Resolution says what runs on this machine see, from the pairs of identical
// samples of some rows: ratios[row][pair].
func Resolution(ratios [][]float64) Finding {
	var sds []float64
	for _, r := range ratios {
		ones := make([]float64, len(r))
		for i := range ones {
			ones[i] = 1
		}
		if logs, err := stats.LogRatios(ones, r); err == nil && len(logs) > 1 {
			sds = append(sds, 100*stats.RobustSD(logs))
		}
	}
	if len(sds) == 0 {
		return Finding{What: "resolution", Found: "not measured"}
	}
	p := stats.Expected(stats.Median(sds), 20)
	f := Finding{What: "resolution", Found: fmt.Sprintf("20 rounds see about %.0f %% here; 2 %% takes about %d rounds", max(1, p.Sees()), p.RoundsToSee(2))}
	if p.Sees() > 15 {
		f.Level, f.Why, f.Remedy = Caution, "pairs of the same program scatter this much", "ROUNDS=160, or a quieter hour"
	}
	return f
}
