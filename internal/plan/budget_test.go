package plan

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestBudgetSpendsWhereItDecides(t *testing.T) {
	claims := []Claim{{Round: time.Second}, {Threads: true, Round: time.Second}, {Control: true, Round: time.Second}}
	// 60 s for all once, 40 for the threads and 20 for the control on top.
	assert.Equal(t, []int{20, 60, 40}, Budget(claims, 20, 120*time.Second))
	assert.Equal(t, []int{20, 60, 40}, Budget(claims, 20, time.Hour), "more time is no reason for more")
	assert.Equal(t, []int{20, 40, 30}, Budget(claims, 20, 90*time.Second))
	assert.Equal(t, []int{20, 20, 20}, Budget(claims, 20, 60*time.Second))
	assert.Equal(t, []int{10, 10, 10}, Budget(claims, 20, 30*time.Second))
	assert.Equal(t, []int{6, 6, 6}, Budget(claims, 20, time.Second), "an interval needs six")
	assert.Equal(t, []int{2, 2, 2}, Budget(claims, 2, time.Second), "but nobody gets more than asked for")
}

// What is read as a curve has half the rounds, whatever else it is, and an
// interval at least.
func TestBudgetHalves(t *testing.T) {
	claims := []Claim{{Round: time.Second}, {Half: true, Threads: true, Round: time.Second}}
	assert.Equal(t, []int{20, 10}, Budget(claims, 20, time.Minute))
	assert.Equal(t, []int{10, 6}, Budget(claims, 10, time.Minute))
	assert.Equal(t, []int{10, 6}, Budget(claims, 20, 15*time.Second))
	assert.Equal(t, []int{4, 4}, Budget(claims, 4, time.Minute), "but nobody gets more than asked for")
}

func TestBudgetIsKept(t *testing.T) {
	claims := []Claim{{Round: 100 * time.Millisecond}, {Threads: true, Round: 300 * time.Millisecond}, {Threads: true, Round: 90 * time.Millisecond}, {Control: true, Round: 170 * time.Millisecond}}
	for budget := 5 * time.Second; budget < 60*time.Second; budget += 700 * time.Millisecond {
		var spent time.Duration
		for i, n := range Budget(claims, 20, budget) {
			spent += time.Duration(n) * claims[i].Round
		}
		assert.LessOrEqual(t, spent, budget)
	}
}

func TestDecidedLooksAtTheSizeOnly(t *testing.T) {
	assert.True(t, Decided(10, 2.1))
	assert.True(t, Decided(10, 0.4))
	assert.True(t, Decided(30, 56, 40))
	assert.False(t, Decided(9, 56), "nine rounds")
	assert.False(t, Decided(10, 2), "twice is not above twice")
	assert.False(t, Decided(10, 56, 1.1), "one variant is still open")
	assert.False(t, Decided(10, math.NaN()))
	assert.False(t, Decided(10))
}
