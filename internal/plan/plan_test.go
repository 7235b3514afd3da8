package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBalancedPlacesAndNeighbours(t *testing.T) {
	assert.Equal(t, [][]int{{0, 1}, {1, 0}}, Balanced(2))
	for n := 1; n <= 7; n++ {
		square := Balanced(n)
		place, follows := map[string]int{}, map[string]int{}
		for _, order := range square {
			require.Len(t, order, n)
			for i, v := range order {
				place[fmt.Sprint(v, " in ", i)]++
				if i > 0 {
					follows[fmt.Sprint(v, " after ", order[i-1])]++
				}
			}
		}
		assert.Len(t, place, n*n, "n=%d", n)
		assert.Len(t, follows, n*(n-1), "n=%d", n)
		for k, c := range place {
			assert.Equal(t, len(square)/n, c, "n=%d: %s", n, k)
		}
		for k, c := range follows {
			assert.Equal(t, len(square)/n, c, "n=%d: %s", n, k)
		}
	}
}

// The two variants of a row run AB BA AB BA ... from a start that the seed
// draws: ABBA over rounds.
func TestOrderOfTwoIsABBA(t *testing.T) {
	samples := Order([]Row{{"r", []string{"gnu", "musl"}, 4, 0}}, 4, 1)
	require.Len(t, samples, 8)
	for i := 0; i+3 < len(samples); i += 2 {
		assert.Equal(t, samples[i].Variant, samples[i+3].Variant)
		assert.Equal(t, samples[i+1].Variant, samples[i+2].Variant)
		assert.NotEqual(t, samples[i].Variant, samples[i+1].Variant)
		assert.Equal(t, samples[i].Round, samples[i+1].Round)
		assert.Equal(t, i/2, samples[i].Round)
	}
}

func TestOrderRunsEachSampleOnceAndVariantsTogether(t *testing.T) {
	rows := []Row{
		{"a", []string{"gnu", "musl"}, 20, 0},
		{"b", []string{"gnu", "musl", "gnu-dynamic"}, 20, 0},
		{"threads", []string{"gnu", "musl"}, 60, 0},
		{"large", []string{"gnu", "musl"}, 10, 0},
	}
	samples := Order(rows, 20, 7)
	seen := map[Sample]int{}
	for _, s := range samples {
		seen[s]++
	}
	want := 0
	for _, r := range rows {
		want += r.Rounds * len(r.Variants)
	}
	assert.Len(t, seen, want)
	assert.Len(t, samples, want)

	// All variants of a row's round stand side by side.
	for i := 0; i < len(samples); {
		n := 0
		for _, r := range rows {
			if r.Key == samples[i].Row {
				n = len(r.Variants)
			}
		}
		for _, s := range samples[i : i+n] {
			assert.Equal(t, samples[i].Row, s.Row)
			assert.Equal(t, samples[i].Round, s.Round)
		}
		i += n
	}
}

func TestOrderBalancesTheFirstPlace(t *testing.T) {
	var rows []Row
	for i := range 200 {
		rows = append(rows, Row{Key: fmt.Sprint(i), Variants: []string{"gnu", "musl"}, Rounds: 20})
	}
	first := map[string]int{}
	firstOfRound := map[string]int{}
	samples := Order(rows, 20, 3)
	for i := 0; i < len(samples); i += 2 {
		first[samples[i].Row+samples[i].Variant]++
		if samples[i].Round == 0 {
			firstOfRound[samples[i].Variant]++
		}
	}
	for k, n := range first {
		assert.Equal(t, 10, n, k)
	}
	// Rows start on either side: 100 +- 4 standard deviations.
	assert.InDelta(t, 100, firstOfRound["gnu"], 28)
}

func TestOrderIsTheSeeds(t *testing.T) {
	rows := []Row{{"a", []string{"x", "y"}, 9, 0}, {"b", []string{"x", "y"}, 9, 0}, {"c", []string{"x", "y"}, 9, 0}}
	assert.Equal(t, Order(rows, 9, 1), Order(rows, 9, 1))
	assert.NotEqual(t, Order(rows, 9, 1), Order(rows, 9, 2))
	// The first lap keeps the rows' order for every seed.
	for i, s := range Order(rows, 9, 2)[:6] {
		assert.Equal(t, rows[i/2].Key, s.Row)
	}
}

// Each layout meets each order of the variants equally often, and all variants
// of a round have the same.
func TestOrderSpreadsLayouts(t *testing.T) {
	for _, c := range []struct{ variants, layouts int }{{2, 6}, {2, 7}, {3, 6}, {3, 8}, {4, 6}} {
		var names []string
		for v := range c.variants {
			names = append(names, fmt.Sprint(v))
		}
		orders := len(Balanced(c.variants))
		rounds := orders * c.layouts
		samples := Order([]Row{{"r", names, rounds, c.layouts}}, rounds, 1)
		met := map[string]int{}
		for i := 0; i < len(samples); i += c.variants {
			order := ""
			for _, s := range samples[i : i+c.variants] {
				order += s.Variant
				assert.Equal(t, samples[i].Layout, s.Layout)
			}
			met[fmt.Sprint(order, " in ", samples[i].Layout)]++
		}
		assert.Len(t, met, orders*c.layouts, "%+v", c)
	}
}
