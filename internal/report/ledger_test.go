package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/explain"
	"libcost/internal/stats"
)

func estimate(value, lo, hi float64) stats.Estimate {
	return stats.Estimate{Value: value, Interval: stats.Interval{Lo: lo, Hi: hi}, N: 30, Conf: stats.Confidence}
}

// ledger is what a real query came to, as it was published with the method.
func ledger() Gap {
	return Gap{
		Workload: "sqlite-query", Op: "query", Unit: "ns/op", Base: "gnu", Other: "musl",
		Side: []SideMetric{{Unit: "minflt/op", Base: 1, Other: 2.5}}, Notes: []string{"set-up takes 40 % of a sample"},
		Ledger: explain.Ledger{
			Base: estimate(1e6, 0.99e6, 1.01e6), Other: estimate(2.17e6, 2.1e6, 2.2e6), Gap: estimate(1.17e6, 1.09e6, 1.2e6), Ratio: estimate(2.17, 2.09, 2.2),
			Resolved: true, Rounds: 50, Price: [2]stats.Estimate{estimate(1.14, 1.13, 1.15), estimate(0.6, 0.59, 0.61)},
			Causes: []explain.Cause{
				{Name: "memory functions", NS: estimate(1.02e6, 1e6, 1.05e6), First: estimate(1.05e6, 1e6, 1.1e6), Last: estimate(1.02e6, 1e6, 1.1e6), Share: estimate(87.3, 85, 91), Explains: true},
				{Name: "allocator", NS: estimate(0.144e6, 0.1e6, 0.16e6), First: estimate(0.3e6, 0.1e6, 0.4e6), Last: estimate(0.1e6, 0, 0.2e6), Share: estimate(12.3, 10, 14), Explains: true, Joint: []string{"locks"}},
				{Name: "locks", NS: estimate(0.01e6, -0.01e6, 0.04e6), First: estimate(0.01e6, 0, 0.02e6), Last: estimate(0.2e6, 0.1e6, 0.3e6), Share: estimate(1, -1, 4), Joint: []string{"allocator"}},
			},
			Residual: explain.Cause{Name: "rest", NS: estimate(-6e3, -4e4, 1e4), Share: estimate(-0.5, -3.3, 1)},
		},
	}
}

func TestLedger(t *testing.T) {
	for _, format := range []string{"text", "md", "json"} {
		var out bytes.Buffer
		require.NoError(t, Ledger(&out, format, ledger()))
		golden(t, "ledger."+format, out.Bytes())
	}
}

// A gap that may be none has no share, in no format.
func TestLedgerOfNoGapHasNoShare(t *testing.T) {
	g := ledger()
	g.Ledger.Resolved = false
	g.Ledger.Gap, g.Ledger.Ratio = estimate(1e4, -2e4, 4e4), estimate(1.01, 0.98, 1.04)
	for i := range g.Ledger.Causes {
		g.Ledger.Causes[i].Explains = false
	}
	var text, encoded bytes.Buffer
	require.NoError(t, Ledger(&text, "text", g))
	assert.Contains(t, text.String(), "no gap resolved, the same within 4 % [0.980, 1.040]")
	assert.NotContains(t, text.String(), "87.3")
	assert.NotContains(t, text.String(), "jointly")
	assert.Contains(t, text.String(), "about 450 rounds would tell this one from 0")
	require.NoError(t, Ledger(&encoded, "json", g))
	assert.NotContains(t, encoded.String(), "percent")
	var read struct{ Resolved bool }
	require.NoError(t, json.Unmarshal(encoded.Bytes(), &read))
	assert.False(t, read.Resolved)
}

func TestLedgerWhoseRestIsOpenSaysSo(t *testing.T) {
	g := ledger()
	g.Ledger.Residual.Share, g.Ledger.Enough = estimate(2, -12, 14), 130
	var out bytes.Buffer
	require.NoError(t, Ledger(&out, "text", g))
	assert.Contains(t, out.String(), "not known to lie within 10 % of the gap: nothing is said to explain it (about 130 rounds would do)")
	g.Ledger.Enough = 0
	out.Reset()
	require.NoError(t, Ledger(&out, "text", g))
	assert.Contains(t, out.String(), "the rest is more than 10 % of the gap: something else than these parts has a share in it")
}

// Each number of clients is a line, with every share or, where the gap is not
// resolved, what the part costs.
func TestSweep(t *testing.T) {
	one, many := ledger(), ledger()
	one.Clients, many.Clients = 1, 256
	one.Ledger.Resolved = false
	for _, format := range []string{"text", "md"} {
		var out bytes.Buffer
		Sweep(&out, format, []Gap{one, many})
		golden(t, "sweep."+format, out.Bytes())
	}
}
