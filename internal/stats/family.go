package stats

import "math"

// FamilyRatio returns the geometric mean over the rows of one family
// (allocation, memory functions, ...) of their ratios, where ratios[round][row]
// is other / base: the median over rounds of each row, then the mean over rows,
// all in logs. The interval is that of [Bootstrap] over rounds, which keeps
// together the rows that one slow phase hit.
//
// It says how the rows that happen to be in the family did, each weighing the
// same, and no more: there is no mean over families, which would depend on how
// many rows somebody wrote for each. It rests on medians, so it may differ a
// little from the geometric mean of the rows' own estimates.
//
// The value of no rows is NaN. Rounds of unequal length and values that are not positive and finite are
// errors, as are those of Bootstrap.
//
// Source: Fleming & Wallace, How not to lie with statistics: the correct way to
// summarize benchmark results, CACM 29 (1986).
func FamilyRatio(ratios [][]float64, resamples int, conf float64, seed uint64) (Estimate, error) {
	logs, err := logsOf(ratios)
	if err != nil {
		return Estimate{}, err
	}
	estimates, err := Bootstrap(logs, func(rounds [][]float64) []float64 {
		medians := columnMedians(rounds)
		sum := 0.0
		for _, v := range medians {
			sum += v
		}
		return []float64{sum / float64(len(medians))}
	}, resamples, conf, seed)
	if err != nil {
		return Estimate{}, err
	}
	e := estimates[0]
	e.Value = math.Exp(e.Value)
	e.Interval = e.Interval.exp()
	return e, nil
}
