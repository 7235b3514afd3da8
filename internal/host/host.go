// Package host tells what a reader must know of the machine that a number
// comes from. It holds nothing that names a person or a place: no host name,
// no user, no path.
package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Facts are what stays the same while a run goes on.
type Facts struct {
	OS        string   `json:"os"`     // Debian GNU/Linux 12 (bookworm)
	Kernel    string   `json:"kernel"` // 6.1.0-18-amd64
	Arch      string   `json:"arch"`
	CPU       string   `json:"cpu"`
	CPUs      []int    `json:"cpus"` // those this process may use
	Features  []string `json:"cpu_features"`
	Caches    Caches   `json:"caches"`
	Governor  string   `json:"governor"` // "" where the machine has none
	Virtual   string   `json:"virtual"`  // hypervisor, "" on bare metal
	MemTotal  uint64   `json:"mem_total_bytes"`
	Available uint64   `json:"mem_available_bytes"` // before the run
	THP       string   `json:"transparent_hugepages"`
	ASLR      string   `json:"aslr"`
	Clock     string   `json:"clocksource"`
	PageBytes int      `json:"page_bytes"`
}

// Caches are sizes in bytes as the CPU reports them, 0 where it does not. A
// virtual machine may report what it likes.
type Caches struct {
	L1D int `json:"l1d"`
	L2  int `json:"l2"`
	LLC int `json:"llc"`
}

// Read reads the facts of this machine.
func Read() (Facts, error) {
	cpus, err := AllowedCPUs()
	if err != nil {
		return Facts{}, err
	}
	f := Facts{
		OS: osName("/etc/os-release"), Kernel: kernel(), Arch: runtime.GOARCH,
		CPU: cpuid.CPU.BrandName, CPUs: cpus, Features: cpuid.CPU.FeatureSet(),
		Caches:    Caches{max(0, cpuid.CPU.Cache.L1D), max(0, cpuid.CPU.Cache.L2), max(0, cpuid.CPU.Cache.L3)},
		Governor:  line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		THP:       chosen(line("/sys/kernel/mm/transparent_hugepage/enabled")),
		ASLR:      line("/proc/sys/kernel/randomize_va_space"),
		Clock:     line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		PageBytes: os.Getpagesize(),
	}
	if cpuid.CPU.VM() {
		f.Virtual = "unknown hypervisor"
		if v := cpuid.CPU.HypervisorVendorString; v != "" {
			f.Virtual = v
		}
	}
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if m, err := fs.Meminfo(); err == nil && m.MemTotalBytes != nil && m.MemAvailableBytes != nil {
			f.MemTotal, f.Available = *m.MemTotalBytes, *m.MemAvailableBytes
		}
	}
	return f, nil
}

// AllowedCPUs are the CPUs that this process may run on, in order.
func AllowedCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, os.NewSyscallError("sched_getaffinity", err)
	}
	var cpus []int
	for c := 0; len(cpus) < set.Count(); c++ {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

func osName(file string) string {
	text, _ := os.ReadFile(file)
	for _, l := range strings.Split(string(text), "\n") {
		if v, ok := strings.CutPrefix(l, "PRETTY_NAME="); ok {
			return strings.Trim(v, `"`)
		}
	}
	return "unknown"
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// line is the first line of a file, "" where there is none.
func line(file string) string {
	text, _ := os.ReadFile(file)
	first, _, _ := strings.Cut(string(text), "\n")
	return first
}

// chosen is the word in brackets: always [madvise] never.
func chosen(s string) string {
	_, after, _ := strings.Cut(s, "[")
	word, _, ok := strings.Cut(after, "]")
	if !ok {
		return s
	}
	return word
}

// Disk tells what files of the fsync rows lie on.
type Disk struct {
	FileSystem string `json:"file_system"` // ext4
	Device     string `json:"device"`      // vda
	WriteCache string `json:"write_cache"` // write back, write through, or unknown
	Scheduler  string `json:"scheduler"`
	Caution    string `json:"caution"` // why an fsync here is no disk's, "" where it is
}

// notDisks are file systems on which an fsync is not what it is on a disk.
var notDisks = map[int64]struct{ name, caution string }{
	unix.TMPFS_MAGIC:           {"tmpfs", "tmpfs is memory: an fsync does nothing"},
	unix.RAMFS_MAGIC:           {"ramfs", "ramfs is memory: an fsync does nothing"},
	unix.OVERLAYFS_SUPER_MAGIC: {"overlay", "overlay: the file system below it does the work"},
	unix.NFS_SUPER_MAGIC:       {"nfs", "a network file system: an fsync goes to a server"},
	unix.SMB_SUPER_MAGIC:       {"smb", "a network file system: an fsync goes to a server"},
	unix.SMB2_SUPER_MAGIC:      {"smb", "a network file system: an fsync goes to a server"},
	unix.CIFS_SUPER_MAGIC:      {"cifs", "a network file system: an fsync goes to a server"},
	unix.CEPH_SUPER_MAGIC:      {"ceph", "a network file system: an fsync goes to a server"},
	unix.V9FS_MAGIC:            {"9p", "a network file system: an fsync goes to a server"},
	unix.FUSE_SUPER_MAGIC:      {"fuse", "fuse: a program does the work"},
}

// ReadDisk reads what dir lies on.
func ReadDisk(dir string) (Disk, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return Disk{}, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	d := Disk{WriteCache: "unknown", Scheduler: "unknown"}
	if n, ok := notDisks[int64(fs.Type)]; ok {
		d.FileSystem, d.Caution = n.name, n.caution
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return Disk{}, &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	d.fromMounts(st.Dev)
	return d, nil
}

// fromMounts finds the mount of a device number, and the disk below it.
func (d *Disk) fromMounts(dev uint64) {
	self, err := procfs.Self()
	if err != nil {
		return
	}
	mounts, err := self.MountInfo()
	if err != nil {
		return
	}
	number := majorMinor(dev)
	for _, m := range mounts {
		if m.MajorMinorVer != number {
			continue
		}
		if d.FileSystem == "" {
			d.FileSystem = m.FSType
		}
		break
	}
	disk, err := filepath.EvalSymlinks(filepath.Join("/sys/dev/block", number))
	if err != nil {
		return
	}
	d.Device = filepath.Base(disk)
	// A partition's queue is its disk's.
	for _, q := range []string{filepath.Join(disk, "queue"), filepath.Join(filepath.Dir(disk), "queue")} {
		if v := line(filepath.Join(q, "write_cache")); v != "" {
			d.WriteCache, d.Scheduler = v, chosen(line(filepath.Join(q, "scheduler")))
			return
		}
	}
}

func majorMinor(dev uint64) string {
	return fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev))
}
