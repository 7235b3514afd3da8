package stats

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQuantileAllowed(t *testing.T) {
	for _, test := range []struct {
		q     float64
		first int // ops from which on it is allowed
	}{
		{0.5, 20}, {0.9, 100}, {0.95, 200}, {0.99, 1_000}, {0.999, 10_000}, {0.9999, 100_000},
	} {
		assert.True(t, QuantileAllowed(test.first, test.q), "q=%v", test.q)
		assert.False(t, QuantileAllowed(test.first-1, test.q), "q=%v", test.q)
	}
	assert.False(t, QuantileAllowed(1_000_000, 1))
	assert.False(t, QuantileAllowed(0, 0.5))
}

func TestQuantileRounds(t *testing.T) {
	assert.Equal(t, 6, QuantileRounds(0.5))
	assert.Equal(t, 6, QuantileRounds(0.9))
	assert.Equal(t, 20, QuantileRounds(0.99))
	assert.Equal(t, 20, QuantileRounds(0.999))
}
