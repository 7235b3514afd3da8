package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Bootstrap estimates each number that stat works out from the rounds: the
// value from the rounds as they are, the interval from the middle conf of what
// stat gives on resamples of whole rounds, drawn with replacement. Whatever is
// in a round stays together, so what its parts have in common stays common.
//
// stat returns a slice of the same length each time and must not keep or change
// what it is given. The same seed gives the same intervals. P is NaN: nothing is
// tested.
//
// With fewer than [MinRounds] rounds, or a NaN from any resample, an interval is
// unbounded. No rounds, no resamples or a conf that is not between 0 and 1 are
// errors. An interval of 95 % wants 2,000 resamples ([Resamples]).
//
// Source: Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapter
// 13. A percentile interval is too narrow by some percent for few rounds: at 40
// it covers a median in about 90 % of the cases. Where [PairedRatio] answers the
// question, it is to be preferred.
func Bootstrap[Round any](rounds []Round, stat func(rounds []Round) []float64, resamples int, conf float64, seed uint64) ([]Estimate, error) {
	if err := checkConfidence(conf); err != nil {
		return nil, err
	}
	if len(rounds) == 0 {
		return nil, errors.New("no rounds to resample")
	}
	if resamples < 1 {
		return nil, fmt.Errorf("%d resamples: at least 1 is needed", resamples)
	}

	var estimates []Estimate
	for _, v := range stat(rounds) {
		estimates = append(estimates, Estimate{Value: v, Interval: everything, P: math.NaN(), N: len(rounds), Conf: conf})
	}
	if len(rounds) < MinRounds(conf) {
		return estimates, nil
	}

	random := rand.New(rand.NewPCG(seed, 0))
	drawn := make([]Round, len(rounds))
	stats := make([][]float64, len(estimates))
	for range resamples {
		for i := range drawn {
			drawn[i] = rounds[random.IntN(len(rounds))]
		}
		for k, v := range stat(drawn) {
			stats[k] = append(stats[k], v)
		}
	}
	for k := range estimates {
		lo, hi := Quantile(stats[k], (1-conf)/2), Quantile(stats[k], (1+conf)/2)
		if !math.IsNaN(lo) {
			estimates[k].Interval = Interval{lo, hi}
		}
	}
	return estimates, nil
}

// Resamples is how many resamples [Bootstrap] wants for an interval of 95 %.
const Resamples = 2000
