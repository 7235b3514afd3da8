package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The fifteen p values of Benjamini & Hochberg (1995), section 3.2: at 0.05 they
// reject four hypotheses by their procedure, three by Bonferroni's.
var thrombolysis = []float64{
	0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1,
}

// Adjusted values as printed by R's p.adjust.
func TestMultiplePublished(t *testing.T) {
	assert.InDeltaSlice(t, []float64{
		0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.063857143, 0.063857143, 0.0645, 0.0765, 0.486, 0.581181818,
		0.714875, 0.753230769, 0.813214286, 1,
	}, BenjaminiHochberg(thrombolysis), 1e-9)
	assert.InDeltaSlice(t, []float64{
		0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278, 0.3213, 1, 1, 1, 1, 1, 1,
	}, Holm(thrombolysis), 1e-9)
}

// Both procedures as their authors state them, at many levels, with ties and
// rows that were not tested.
func TestMultipleAgainstProcedures(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		p := make([]float64, random.IntN(20))
		m := 0.0
		for i := range p {
			p[i] = math.Round(100*math.Pow(random.Float64(), 3)) / 100
			if random.IntN(5) == 0 {
				p[i] = math.NaN()
			} else {
				m++
			}
		}
		rank := func(level float64) (atMost, below float64) {
			for _, v := range p {
				if v <= level {
					atMost++
				}
				if v < level {
					below++
				}
			}
			return
		}
		bh, holm := BenjaminiHochberg(p), Holm(p)
		for _, level := range []float64{0.003, 0.0123, 0.0511, 0.207, 0.77} {
			for i, v := range p {
				if math.IsNaN(v) {
					assert.True(t, math.IsNaN(bh[i]) && math.IsNaN(holm[i]))
					continue
				}
				// Step up: some p at or above this one is below its line.
				stepUp := false
				for _, w := range p {
					if atMost, _ := rank(w); w >= v && w*m <= level*atMost {
						stepUp = true
					}
				}
				assert.Equal(t, stepUp, bh[i] <= level, "%v at %v", p, level)

				// Step down: every p at or below this one is below its line.
				stepDown := true
				for _, w := range p {
					if _, below := rank(w); w <= v && w*(m-below) > level {
						stepDown = false
					}
				}
				assert.Equal(t, stepDown, holm[i] <= level, "%v at %v", p, level)
			}
		}
	}
}

func TestMultipleNothingTested(t *testing.T) {
	assert.Empty(t, BenjaminiHochberg(nil))
	assert.Empty(t, Holm(nil))
	assert.True(t, math.IsNaN(BenjaminiHochberg([]float64{math.NaN()})[0]))
	assert.Equal(t, []float64{0.04}, BenjaminiHochberg([]float64{0.04}))
	assert.Equal(t, []float64{0.04}, Holm([]float64{0.04}))
}
