package stats

import (
	"fmt"
	"math/bits"
)

// MaxParts is how many parts [Shapley] divides among at most.
const MaxParts = 10

// A Share is what one part contributes to a game, in the unit of the game.
//
// First and Last are what replacing the part does on its own, and when all
// others are replaced already. They differ where parts work through each other,
// and then neither is the truth. Value is the mean over all orders; with three
// parts or more it may lie outside First and Last.
type Share struct {
	Value, First, Last float64
}

// Shapley returns the share of each part in a game: v[S] is the worth of the
// set S of parts, where bit i of S stands for part i, so v has 2^n entries for n
// parts and the worth of no part is v[0]. The values of all shares add up to
// v[2^n-1] - v[0]. A NaN in v spreads to all values.
//
// It panics if the length of v is not 2^n for an n of 1 to [MaxParts].
//
// Source: Shapley, A value for n-person games, in Contributions to the Theory of
// Games II (1953).
func Shapley(v []float64) []Share {
	n := bits.Len(uint(len(v))) - 1
	if n < 1 || n > MaxParts || len(v) != 1<<n {
		panic(fmt.Sprintf("stats: shares of %d worths: not 2^n for 1 to %d parts", len(v), MaxParts))
	}

	// A part comes after a given set of s others in s! (n-1-s)! of n! orders.
	weight := make([]float64, n)
	weight[0] = 1 / float64(n)
	for s := 1; s < n; s++ {
		weight[s] = weight[s-1] * float64(s) / float64(n-s)
	}

	all := len(v) - 1
	shares := make([]Share, n)
	for i := range shares {
		part := 1 << i
		for set, worth := range v {
			if set&part == 0 {
				shares[i].Value += weight[bits.OnesCount(uint(set))] * (v[set|part] - worth)
			}
		}
		shares[i].First = v[part] - v[0]
		shares[i].Last = v[all] - v[all&^part]
	}
	return shares
}
