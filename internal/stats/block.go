package stats

import (
	"fmt"
	"math"
)

// A Block is one round of a randomised complete block design: every binary ran
// once in it, in random order. Log is the mean of the logs of their times, and
// Centred what is left of each after subtracting it: a phase in which the
// machine was slow is in the first and not in the second.
type Block struct {
	Log     float64
	Centred []float64 // one for each binary
}

// Blocks centres times[round][binary], positive and in one unit. A round that
// is not as long as the first or holds a value that is not positive and finite
// is an error.
//
// Source: Box, Hunter & Hunter, Statistics for Experimenters, 2nd ed. (2005),
// chapter 4.
//
// Note: the median of a round instead of its mean would be swayed by which
// binaries stand in the middle: where a libc parts sixteen binaries into eight
// fast and eight slow, it is half the slowest of the fast ones.
func Blocks(times [][]float64) ([]Block, error) {
	logs, err := logsOf(times)
	if err != nil {
		return nil, err
	}
	blocks := make([]Block, len(logs))
	for i, log := range logs {
		sum := 0.0
		for _, v := range log {
			sum += v
		}
		mean := sum / float64(len(log))
		for k := range log {
			log[k] -= mean
		}
		blocks[i] = Block{mean, log}
	}
	return blocks, nil
}

// Typical returns the time of each binary in a typical round, in the unit that
// [Blocks] was given: the median over rounds of its centred log, put back on the
// median level of all rounds. The ratio of two of them rests on differences
// within rounds alone. It is nil for no blocks. Resampling blocks with
// [Bootstrap] gives the intervals of whatever is worked out from it.
func Typical(blocks []Block) []float64 {
	levels := make([]float64, len(blocks))
	centred := make([][]float64, len(blocks))
	for i, b := range blocks {
		levels[i], centred[i] = b.Log, b.Centred
	}
	level := median(levels)
	times := columnMedians(centred)
	for k, v := range times {
		times[k] = math.Exp(level + v)
	}
	return times
}

// columnMedians returns the median over rounds of each column of x, whose
// rounds are of equal length.
func columnMedians(x [][]float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	medians := make([]float64, len(x[0]))
	column := make([]float64, len(x))
	for k := range medians {
		for i, round := range x {
			column[i] = round[k]
		}
		medians[k] = median(column)
	}
	return medians
}

// logsOf returns the logs of x, whose rounds must be of equal length and hold
// positive numbers.
func logsOf(x [][]float64) ([][]float64, error) {
	logs := make([][]float64, len(x))
	for i, round := range x {
		if len(round) != len(x[0]) {
			return nil, fmt.Errorf("round %d: %d values where round 0 has %d", i, len(round), len(x[0]))
		}
		logs[i] = make([]float64, len(round))
		for k, v := range round {
			if !positive(v) {
				return nil, fmt.Errorf("round %d: value %d: %v is not a positive number", i, k, v)
			}
			logs[i][k] = math.Log(v)
		}
	}
	return logs, nil
}
