package stats

import (
	"cmp"
	"math"
	"slices"
)

// BenjaminiHochberg returns the q value of each p value: the smallest false
// discovery rate at which its row would still be called different. A q value is
// never below its p value, and never above that of a larger p value.
//
// A p value lies in 0 to 1. A NaN is a row that was not tested: it stays NaN
// and does not count. The rate is kept for independent rows and for rows that
// are positively dependent.
//
// Source: Benjamini & Hochberg, Controlling the false discovery rate, J. R.
// Stat. Soc. B 57 (1995); as adjusted values, Yekutieli & Benjamini, J. Stat.
// Plan. Inference 82 (1999).
func BenjaminiHochberg(p []float64) []float64 {
	rows := ascending(p)
	q := untested(len(p))
	least := 1.0
	for i, row := range slices.Backward(rows) {
		least = min(least, p[row]*float64(len(rows))/float64(i+1))
		q[row] = least
	}
	return q
}

// Holm returns adjusted p values: a row whose value is 0.05 or less is
// different, with a probability of 5 % at most that any such claim of the run
// is wrong, however the rows depend on each other. It is meant for a handful of
// rows named before the run. NaN is treated as [BenjaminiHochberg] does.
//
// Source: Holm, A simple sequentially rejective multiple test procedure, Scand.
// J. Stat. 6 (1979).
func Holm(p []float64) []float64 {
	rows := ascending(p)
	adjusted := untested(len(p))
	most := 0.0
	for i, row := range rows {
		most = max(most, min(1, p[row]*float64(len(rows)-i)))
		adjusted[row] = most
	}
	return adjusted
}

// ascending returns the indices of the p values that are not NaN, smallest
// value first.
func ascending(p []float64) []int {
	var rows []int
	for i, v := range p {
		if !math.IsNaN(v) {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return rows
}

func untested(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}
