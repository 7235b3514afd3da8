package kv

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type histogram struct {
	N         int      `json:"n"`
	Mean      float64  `json:"mean_ns"`
	P50       int64    `json:"p50_ns"`
	Max       int64    `json:"max_ns"`
	Histogram [][2]int `json:"histogram"`
}

type held struct {
	Start int64 `json:"start_ns"`
	End   int64 `json:"end_ns"`
	Batch int   `json:"batch"`
}

type record struct {
	N         int `json:"n"`
	NS        int `json:"ns"`
	Latency   histogram
	Stages    map[string]histogram
	Syncs     histogram
	Held      string
	HeldCount int   `json:"slowest_held"`
	Longer    int64 `json:"held_longer_ns"`
	Nodes     []struct {
		CPU    int64 `json:"cpu_ns"`
		Syncs  int   `json:"syncs"`
		Synced int   `json:"synced"`
		Serial int   `json:"serial"`
	}
	Slowest []struct {
		Op      int
		Get     bool
		Latency int64            `json:"latency_ns"`
		Stages  map[string]int64 `json:"stages_ns"`
		Sync    *held
	}
}

func recorded(t *testing.T, flags string) (record, map[string]float64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.json")
	_, v := metrics(t, load(t, gnuServer(t), flags, "-json", file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var r record
	require.NoError(t, json.Unmarshal(text, &r))
	return r, v
}

var onlyUpserts = []string{"append", "wait", "sync", "replicate"}

// The stages of a request follow each other without a gap: together they are its latency, for each and on the average.
func TestStagesAddUp(t *testing.T) {
	for _, flags := range []string{
		"-commit serial -workers 0", "-commit serial -workers 2", "-workers 0", "-workers 4", "-thread-a-client -wait-us 50",
		"-nodes 3", "-rate 30000", "-threads 2", "-echo",
	} {
		t.Run(flags, func(t *testing.T) {
			const n = 1000
			r, v := recorded(t, "-n 1000 -clients 24 -reads 30 -filled -keys 100 "+flags)
			gets, open := 0, strings.Contains(flags, "-rate")
			require.Equal(t, n, r.N)
			require.Equal(t, n, r.Latency.N)
			var sum, line float64
			for name, s := range r.Stages {
				count, max := 0, 0
				for _, b := range s.Histogram {
					count += b[1]
					max = b[0]
				}
				require.Equal(t, s.N, count, name)
				require.LessOrEqual(t, int64(max), s.Max, name)
				if slices.Contains(onlyUpserts, name) {
					gets = n - s.N
				} else {
					require.Equal(t, n, s.N, name)
				}
				sum += s.Mean * float64(s.N) / n
				line += v[name+"-ns"]
				require.InDelta(t, s.Mean*float64(s.N)/n, v[name+"-ns"], 0.2, name)
			}
			require.InDelta(t, r.Latency.Mean, sum, 1)
			require.InDelta(t, r.Latency.Mean, line, 1)
			require.InDelta(t, 300, gets, 60)
			_, late := r.Stages["late"]
			require.Equal(t, open, late)
			require.Len(t, r.Stages, map[bool]int{false: 9, true: 10}[open])

			require.Len(t, r.Slowest, 100)
			require.Equal(t, r.Latency.Max, r.Slowest[0].Latency)
			for i, s := range r.Slowest {
				var sum int64
				for name, ns := range s.Stages {
					require.GreaterOrEqual(t, ns, int64(0), name)
					sum += ns
				}
				require.Equal(t, s.Latency, sum)
				if i > 0 {
					require.LessOrEqual(t, s.Latency, r.Slowest[i-1].Latency)
				}
			}
		})
	}
}

// An upsert is held by a sync that begins and ends within its life; each sync is counted once, and each upsert in one.
func TestSlowestAndTheirSyncs(t *testing.T) {
	for _, flags := range []string{"-commit serial -workers 0", "-workers 4", "-thread-a-client", "-nodes 3"} {
		t.Run(flags, func(t *testing.T) {
			r, v := recorded(t, "-n 1500 -clients 32 "+flags)
			leader := r.Nodes[0]
			require.Equal(t, 1500, leader.Synced)
			require.Equal(t, leader.Syncs, r.Syncs.N)
			require.InDelta(t, 1500/float64(leader.Syncs), v["reqs/sync"], 0.001)
			held := 0
			for _, s := range r.Slowest {
				require.NotNil(t, s.Sync)
				require.Less(t, s.Sync.Start, s.Sync.End)
				require.Less(t, s.Sync.Start, s.Latency)
				require.Positive(t, s.Sync.End)
				require.Positive(t, s.Sync.Batch)
				if s.Sync.End-s.Sync.Start > r.Longer {
					held++
				}
			}
			require.Equal(t, held, r.HeldCount)
			require.Regexp(t, `^\d+ of the 100 slowest waited for a sync longer than [0-9.]+ ms \(0\.\d+ of \d+ syncs are shorter\)$`, r.Held)
			for _, n := range r.Nodes[1:] {
				require.Equal(t, leader.Synced, n.Synced)
				require.Equal(t, leader.Syncs, n.Syncs)
				require.Positive(t, n.CPU)
			}
			if strings.Contains(flags, "serial") {
				require.Equal(t, 1500, leader.Serial)
				require.Contains(t, v, "serial-ns")
			}
		})
	}
}

// In an open loop a request's time runs from when it should have been sent: with one client and no pause between
// requests, each waits for all before it.
func TestOpenLoopCountsFromTheIntendedStart(t *testing.T) {
	r, v := recorded(t, "-n 400 -clients 1 -rate 10000000 -commit serial -workers 0")
	require.LessOrEqual(t, r.Latency.Max, int64(r.NS))
	require.Greater(t, r.Latency.Max, int64(r.NS/2), "the last one was due at the start and is answered at the end")
	require.Greater(t, v["late-ns"], v["sync-ns"])
}
