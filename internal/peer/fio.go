package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	"libcost/internal/variant"
)

// A fio is fdatasync(2) after each write of 4 KiB, as fio measures it.
type fio struct {
	file []string // what makes the file that of the row
}

// syncs is how many ops a sample has: enough for a p50, and what a row with
// files runs by itself.
const syncs = 300

// fios are fio's median against the row's, in each libc: a difference between
// the libcs that fio knows nothing about would be the row's.
//
// Both files are new in each sample. fio's append is one: with
// --fallocate=none a file that is not there yet grows with each write.
func fios() []Peer {
	var list []Peer
	for _, f := range []struct {
		file string
		args []string
	}{
		{"append", []string{fmt.Sprintf("--size=%d", syncs*4096)}},
		// 1024 blocks that are written and synced first, and stay in the page
		// cache, as in the row.
		{"zeros", []string{"--overwrite=1", "--size=4m", fmt.Sprintf("--io_size=%d", syncs*4096), "--invalidate=0"}},
	} {
		for _, libc := range variant.Libcs {
			list = append(list, Peer{
				Name: "fio", Row: "fsync/Sync/size=4096/by=fdatasync/file=" + f.file + "/threads=1", Variant: libc,
				N: syncs, Margin: 0.10, figure: median, tool: fio{f.args},
			})
		}
	}
	return list
}

func (fio) missing(ctx context.Context, s Site) error {
	path, err := exec.LookPath("fio")
	if err != nil {
		return errors.New("not installed")
	}
	_, err = s.run(ctx, path, "--version")
	return err
}

func (f fio) measure(ctx context.Context, s Site, n int) (float64, error) {
	path, err := exec.LookPath("fio")
	if err != nil {
		return 0, err
	}
	dir, remove, err := tempDir(s.Dir)
	if err != nil {
		return 0, err
	}
	defer remove()
	out, err := s.run(ctx, path, slices.Concat([]string{
		"--name=sync", "--directory=" + dir, "--rw=write", "--bs=4k", "--ioengine=psync", "--fdatasync=1", "--fallocate=none",
	}, f.file, []string{"--output-format=json", "--percentile_list=50"})...)
	if err != nil {
		return 0, err
	}
	return parseFio(out, n)
}

// A latency is a distribution in fio's JSON.
type latency struct {
	N          int
	Percentile map[string]float64
}

func (l latency) p50() (float64, error) {
	v := l.Percentile["50.000000"]
	if v <= 0 {
		return 0, errors.New("no p50")
	}
	return v, nil
}

// parseFio returns the median of an op: of the write and of the sync.
//
// fio times the two apart and tells no distribution of their sum, but the sum
// is what the row's op is. The sum of the medians stands for it: the write is
// 3 % of an op, so that even a write that is twice as slow in every other op
// would move the answer by less than 1 %.
func parseFio(out []byte, n int) (float64, error) {
	var answer struct {
		Jobs []struct {
			Error int
			Sync  struct {
				Lat latency `json:"lat_ns"`
			}
			Write struct {
				Lat latency `json:"clat_ns"`
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return 0, fmt.Errorf("%w: %w", unknown("fio", out), err)
	}
	if len(answer.Jobs) != 1 {
		return 0, fmt.Errorf("fio: %d jobs in its JSON", len(answer.Jobs))
	}
	job := answer.Jobs[0]
	write, sync := job.Write.Lat, job.Sync.Lat
	// fio 3 leaves the sync after the last write out.
	if job.Error != 0 || write.N != n || sync.N < n-1 || sync.N > n {
		return 0, fmt.Errorf("fio: error %d, %d writes and %d syncs, asked for %d", job.Error, write.N, sync.N, n)
	}
	w, err := write.p50()
	if err != nil {
		return 0, fmt.Errorf("fio: write: %w", err)
	}
	s, err := sync.p50()
	if err != nil {
		return 0, fmt.Errorf("fio: sync: %w", err)
	}
	return w + s, nil
}
