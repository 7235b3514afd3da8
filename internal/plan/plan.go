// Package plan puts a run's samples in order. It is pure: the same rows,
// variants and seed give the same order, so a run can be resumed.
//
// Samples of one variant after the other measure the hour as much as the
// program: on a virtual machine with slow phases of seconds, 27 to 61 % of
// comparisons of a binary with itself came out different. Here the variants of
// a row follow each other at once, in an order that is balanced over rounds.
package plan

import "math/rand/v2"

// A Row is what one line of the comparison needs.
type Row struct {
	Key      string
	Variants []string // those that run it, the base first
	Rounds   int      // samples of each variant
	Layouts  int      // builds of each variant that the rounds are spread over; 0 is 1
}

// A Sample is one fresh process.
type Sample struct {
	Round   int // the row's own count
	Row     string
	Variant string
	Layout  int // which of the variant's builds
}

// Order lists the samples of a run. rounds is how often the whole list is gone
// through; a row with more or fewer rounds of its own has them spread evenly.
// The first time the rows keep their order, so that files list them so;
// afterwards they are shuffled.
func Order(rows []Row, rounds int, seed uint64) []Sample {
	var samples []Sample
	for lap := range rounds {
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		random := rand.New(rand.NewPCG(seed, uint64(lap)))
		if lap > 0 {
			random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for _, i := range order {
			row := rows[i]
			square := Balanced(len(row.Variants))
			start := rand.New(rand.NewPCG(seed, ^uint64(i))).IntN(len(square))
			for round := lap * row.Rounds / rounds; round < (lap+1)*row.Rounds/rounds; round++ {
				for _, v := range square[(start+round)%len(square)] {
					samples = append(samples, Sample{round, row.Key, row.Variants[v], layout(round, row.Layouts, len(square))})
				}
			}
		}
	}
	return samples
}

// layout is the layout of a round. They take turns, and each meets each of the
// orders equally often: where both counts have a divisor in common, the layouts
// move on by one whenever the pairs of the two begin to come again.
func layout(round, layouts, orders int) int {
	if layouts < 2 {
		return 0
	}
	again := layouts * orders / gcd(layouts, orders)
	return (round + round/again) % layouts
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Balanced gives the orders of n variants in successive rounds. Each variant
// stands in each place equally often, and follows each other one equally often.
// For two that is AB, BA. (Williams 1949: n orders for an even n, 2n for an
// odd one.)
func Balanced(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	first := make([]int, n) // 0, 1, n-1, 2, n-2, ...
	for i := range first {
		if i%2 == 1 {
			first[i] = (i + 1) / 2
		} else {
			first[i] = (n - i/2) % n
		}
	}
	var square [][]int
	for shift := range n {
		order := make([]int, n)
		for i, v := range first {
			order[i] = (v + shift) % n
		}
		square = append(square, order)
		if n%2 == 1 && n > 1 {
			reverse := make([]int, n)
			for i, v := range order {
				reverse[n-1-i] = v
			}
			square = append(square, reverse)
		}
	}
	return square
}
