package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"libcost/internal/variant"
)

// A fio is fdatasync(2) after each write of 4 KiB, as fio measures it. Its file
// is a new one in each sample, as the row's is: zeros that are written and synced
// before the clock starts, or none, that grows.
type fio struct{ zeros bool }

const (
	block = 4096
	syncs = 1000 // ops of a sample: the p50 of 300 scatters twice as much
	zeros = 1024 // blocks of a file that is overwritten, as in the row
)

// fios are compared with both libcs, which have no part in it.
func fios() []Peer {
	var list []Peer
	for _, file := range []string{"append", "zeros"} {
		for _, libc := range variant.Libcs {
			list = append(list, Peer{
				Name: "fio", Row: "fsync/Sync/size=4096/by=fdatasync/file=" + file + "/threads=1", Variant: libc,
				N: syncs, Margin: 0.10, figure: median, tool: fio{zeros: file == "zeros"},
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
	blocks := 0
	if f.zeros {
		blocks = zeros
	}
	file, err := newFile(s.Dir, blocks)
	if err != nil {
		return 0, err
	}
	defer os.Remove(file)
	args := []string{
		// A colon would part two files.
		"--name=sync", "--filename=" + strings.ReplaceAll(file, ":", `\:`), "--output-format=json", "--percentile_list=50",
		"--rw=write", "--bs=4k", "--ioengine=psync", "--fdatasync=1", "--fallocate=none",
	}
	if f.zeros {
		args = append(args, "--overwrite=1", "--invalidate=0", fmt.Sprintf("--size=%d", zeros*block), fmt.Sprintf("--io_size=%d", n*block))
	} else {
		args = append(args, fmt.Sprintf("--size=%d", n*block))
	}
	out, err := s.run(ctx, path, args...)
	if err != nil {
		return 0, err
	}
	return parseFio(out, n)
}

// newFile makes a file of blocks of zeros, on the disk and in the page cache.
// fio would make one itself, and drop it from the cache: its writes would then
// take 2 us more than the row's.
//
// Note: it lies in the row's own directory. ext4 puts a new directory into
// another part of the disk, and appending to a file there took a third longer.
func newFile(dir string, blocks int) (name string, err error) {
	f, err := os.CreateTemp(dir, "libcost-peer-")
	if err != nil {
		return "", err
	}
	// Block by block: what is written at once can lie in the cache as one folio.
	for range blocks {
		if _, err = f.Write(make([]byte, block)); err != nil {
			break
		}
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
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

// parseFio returns the median of an op, which is the write and the sync.
//
// fio times the two apart and tells no distribution of their sums. The sum of
// the medians stands for the median of the sums: the write is 2 to 4 % of an op,
// and in a program that timed both the two differed by less than 1.6 % in each
// of 20 runs, by 0.2 % in the middle.
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
