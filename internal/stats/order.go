package stats

// nth returns the value that sorting x, which holds no NaN, would put at k.
// It rearranges x so that nothing before k is larger and nothing after it is
// smaller.
//
// Source: Hoare, Algorithm 65: Find, CACM 4 (1961), with the median of three
// values as pivot. It is linear in len(x) where sorting 500,000 averages would
// take most of the 0.1 s that a row of 1,000 rounds may cost.
func nth(x []float64, k int) float64 {
	lo, hi := 0, len(x)-1
	for lo < hi {
		pivot := medianOf3(x[lo], x[lo+(hi-lo)/2], x[hi])
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}

func medianOf3(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}
