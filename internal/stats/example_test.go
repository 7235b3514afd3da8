package stats_test

import (
	"fmt"
	"math"

	"libcost/internal/stats"
)

// One row of a run: twelve rounds, each of which timed both builds. The third met
// a slow phase, which hit both, and the sixth an interrupt, which hit one.
func ExamplePairedRatio() {
	gnu := []float64{10.1, 9.9, 17.2, 10.0, 10.3, 10.0, 9.8, 10.2, 10.0, 10.1, 9.9, 10.0} // ns/op
	musl := []float64{20.6, 20.1, 34.9, 19.8, 20.9, 61.0, 20.2, 20.0, 20.3, 20.2, 20.4, 19.9}

	ratio, err := stats.PairedRatio(gnu, musl, stats.Confidence)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f [%.2f, %.2f], p = %.4f, resolves %.0f %%\n",
		ratio.Value, ratio.Lo, ratio.Hi, ratio.P, stats.Resolution(ratio.Interval))
	// Output:
	// 2.03 [2.00, 2.06], p = 0.0005, resolves 2 %
}

// Three rows of a run get their verdicts together.
func ExampleJudge() {
	base := []float64{100, 101, 99, 100, 102, 100, 101, 99, 100, 100}
	rows := map[string][]float64{
		"fsync":  {101, 100, 99, 101, 101, 101, 100, 99, 101, 100},
		"memcmp": {298, 310, 301, 305, 296, 300, 302, 299, 304, 300},
		"mutex":  {80, 119, 97, 131, 92, 107, 88, 140, 99, 120},
	}
	names := []string{"fsync", "memcmp", "mutex"}

	var ratios []stats.Estimate
	var p []float64
	for _, name := range names {
		ratio, err := stats.PairedRatio(base, rows[name], stats.Confidence)
		if err != nil {
			fmt.Println(name, err)
			return
		}
		ratios = append(ratios, ratio)
		p = append(p, ratio.P)
	}
	for i, q := range stats.BenjaminiHochberg(p) {
		verdict := stats.Judge(ratios[i], q, stats.Rules{})
		fmt.Printf("%-6s  %.2f  %v", names[i], ratios[i].Value, verdict.Word)
		if verdict.Word == stats.Same || verdict.Word == stats.SameWithin {
			fmt.Printf(" (%.0f %%)", math.Ceil(verdict.Margin))
		}
		fmt.Println()
	}
	// Output:
	// fsync   1.00  same (2 %)
	// memcmp  3.01  slower
	// mutex   1.06  not resolved
}

// A run of 20 rounds resolved a row to 4 %.
func ExamplePrecision() {
	run := stats.Precision{Resolution: 4, Rounds: 20}
	fmt.Printf("this run sees %.1f %%\n", run.Sees())
	fmt.Printf("2 %%: %d rounds\n", run.RoundsToSee(2))
	// Output:
	// this run sees 5.7 %
	// 2 %: 164 rounds
}

// A gap of 4.7 us between two builds, closed in part when the allocator (bit 0),
// the memory functions (bit 1) and the locks (bit 2) are replaced in both. Under
// contention each one's share depends on which others are replaced already.
func ExampleShapley() {
	closed := []float64{0, 3.3, 1.6, 3.6, 2.9, 3.9, 3.5, 4.6}
	for i, share := range stats.Shapley(closed) {
		fmt.Printf("%-9s %.2f us, first %.1f, last %.1f\n",
			[]string{"allocator", "memory", "locks"}[i], share.Value, share.First, share.Last)
	}
	// Output:
	// allocator 1.97 us, first 3.3, last 1.1
	// memory    0.92 us, first 1.6, last 0.7
	// locks     1.72 us, first 2.9, last 1.0
}

// Every round ran all binaries in random order; what one costs more than the
// other gets an interval from resampling whole rounds.
func ExampleBootstrap() {
	times := [][]float64{ // ns/op of gnu and musl
		{1160, 2300}, {1170, 2290}, {1900, 3700}, {1150, 2310}, {1165, 2305}, {1180, 2350}, {1158, 2280}, {1162, 2320},
	}
	blocks, err := stats.Blocks(times)
	if err != nil {
		fmt.Println(err)
		return
	}
	gap := func(blocks []stats.Block) []float64 {
		typical := stats.Typical(blocks)
		return []float64{typical[1] - typical[0]}
	}
	got, err := stats.Bootstrap(blocks, gap, stats.Resamples, stats.Confidence, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f ns/op [%.0f, %.0f]\n", got[0].Value, got[0].Lo, got[0].Hi)
	// Output:
	// 1141 ns/op [1125, 1162]
}
