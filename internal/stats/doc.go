// Package stats turns the rounds of a run into estimates, intervals and
// verdicts.
//
// It is pure: no file, no clock, no output, and no randomness but from a seed
// that the caller gives, so that the same samples always give the same table.
//
// # What it assumes
//
// A round measures everything that is compared once, close together in time.
// Slow phases of the machine then hit both sides of a pair, and differences
// within a round are what can be trusted; levels across rounds can't. The
// differences have heavy tails (a raw standard deviation about three times the
// robust one is common on a virtual machine), so nothing here rests on a mean
// over rounds or on a normal distribution of the samples.
//
// # Conventions
//
//   - A ratio is other / base. One paired value is given for each round.
//   - A percentage is a number such as 5 for 5 %; a confidence level, a
//     probability or a quantile is a fraction such as 0.95.
//   - Samples that can't be used (NaN, an infinity, a time that is not
//     positive) are errors that name the round, counted from 0. Plain
//     descriptions of a sample ([Median], [Quantile], [RobustSD]) answer NaN.
//   - Too few rounds are no error: the estimate has an interval that is
//     unbounded and a p value that is NaN.
//
// # Tails
//
// A tail is compared by what a typical round shows of it: the quantile of each
// round's own latencies, then [PairedRatio] over rounds, as for any other
// number; its level is the [Median] over rounds with its [MedianInterval].
//
// Latencies of several rounds are never pooled. Most of the variance of a p99
// lies between rounds, on a busy machine nearly all of it: the few rounds that
// met a scheduler slice would be the pooled p99, and the textbook interval of a
// pooled quantile, 95 % by name, covered 20 %. Nor is a representative round
// chosen: the choice alone can turn the sign.
package stats
