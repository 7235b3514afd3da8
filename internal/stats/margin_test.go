package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMargin(t *testing.T) {
	for _, test := range []struct {
		interval Interval
		want     float64
	}{
		{Interval{0.99, 1.04}, 4},
		{Interval{1 / 1.04, 1.01}, 4},
		{Interval{0.96, 1.04}, 100 * (1/0.96 - 1)}, // 4 % less is further from 1 than 4 % more
		{Interval{1.02, 1.03}, 3},
		{Interval{0.5, 0.8}, 100},
		{Interval{1, 1}, 0},
		{Interval{0, math.Inf(1)}, math.Inf(1)},
	} {
		assert.InDelta(t, test.want, Margin(test.interval), 1e-9, "%v", test.interval)
	}
}

func TestResolution(t *testing.T) {
	assert.InDelta(t, 5, Resolution(Interval{1 / 1.05, 1.05}), 1e-9)
	assert.InDelta(t, 5, Resolution(Interval{40 / 1.05, 40 * 1.05}), 1e-9)
	assert.Zero(t, Resolution(Interval{3, 3}))
	assert.Equal(t, math.Inf(1), Resolution(Interval{0, math.Inf(1)}))
}

// Base and other exchanged prove and resolve the same.
func TestMarginMirrors(t *testing.T) {
	for _, i := range []Interval{{0.97, 1.02}, {1.3, 1.9}, {0.2, 0.3}} {
		mirrored := Interval{1 / i.Hi, 1 / i.Lo}
		assert.InDelta(t, Margin(i), Margin(mirrored), 1e-9)
		assert.InDelta(t, Resolution(i), Resolution(mirrored), 1e-9)
		assert.LessOrEqual(t, Resolution(i), Margin(i))
	}
}
