// Package doctor says what makes numbers on this machine unreliable, and what
// to do about it. It changes nothing.
package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A Level is how much a finding matters.
type Level int

const (
	Fine    Level = iota // as it should be
	Note                 // to know when numbers are read
	Caution              // numbers are worse for it
)

func (l Level) String() string { return [...]string{"fine", "note", "caution"}[l] }

// A Finding is one thing that was looked at.
type Finding struct {
	What   string // "frequency governor"
	Found  string // "powersave"
	Level  Level
	Why    string // why it matters, "" if it is fine
	Remedy string // what to do, one command where there is one
}

// A Machine is what the checks look at: the files of a Linux system below Root,
// which tests replace by recorded trees.
type Machine struct {
	Root fs.FS // holds proc/..., sys/..., etc/...
	CPUs []int // those this process may use
	Pin  int   // the CPU of single-thread rows
}

// Look runs the checks that read files.
func (m Machine) Look() []Finding {
	var found []Finding
	for _, check := range []func(Machine) []Finding{
		Machine.governor, Machine.turbo, Machine.smt, Machine.hybrid, Machine.clocksource, Machine.hugePages, Machine.aslr,
		Machine.load, Machine.quota, Machine.cpus, Machine.perf, Machine.tracepoints, Machine.container,
	} {
		found = append(found, check(m)...)
	}
	return found
}

// line is the first line of a file, "" where there is none.
func (m Machine) line(file string) string {
	text, err := fs.ReadFile(m.Root, strings.TrimPrefix(file, "/"))
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

func (m Machine) cpu(file string) string {
	return m.line(fmt.Sprintf("sys/devices/system/cpu/cpu%d/%s", m.Pin, file))
}

func (m Machine) governor() []Finding {
	f := Finding{What: "frequency governor", Found: m.cpu("cpufreq/scaling_governor")}
	switch f.Found {
	case "":
		f.Found = "none that this system may set"
	case "performance":
	default:
		f.Level, f.Why = Caution, "the clock follows the load: a short sample ends before it is up"
		f.Remedy = "as root: cpupower frequency-set -g performance"
	}
	return []Finding{f}
}

func (m Machine) turbo() []Finding {
	on := ""
	if v := m.line("sys/devices/system/cpu/intel_pstate/no_turbo"); v != "" {
		on = map[string]string{"0": "on", "1": "off"}[v]
	} else if v := m.line("sys/devices/system/cpu/cpufreq/boost"); v != "" {
		on = map[string]string{"1": "on", "0": "off"}[v]
	}
	f := Finding{What: "turbo", Found: on}
	switch on {
	case "":
		return nil
	case "on":
		f.Level, f.Why = Note, "the clock depends on heat and on what the other cores do"
		f.Remedy = "as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
		if m.line("sys/devices/system/cpu/intel_pstate/no_turbo") == "" {
			f.Remedy = "as root: echo 0 > /sys/devices/system/cpu/cpufreq/boost"
		}
	}
	return []Finding{f}
}

func (m Machine) smt() []Finding {
	siblings := m.cpu("topology/thread_siblings_list")
	f := Finding{What: "SMT", Found: "CPU " + strconv.Itoa(m.Pin) + " has a core of its own"}
	if strings.ContainsAny(siblings, ",-") {
		f.Found = fmt.Sprintf("CPU %d shares its core: CPUs %s", m.Pin, siblings)
		f.Level, f.Why = Note, "what runs on the other CPU of the core takes up to half of this one"
		f.Remedy = "keep the other CPU idle; as root: echo off > /sys/devices/system/cpu/smt/control"
	}
	return []Finding{f}
}

func (m Machine) hybrid() []Finding {
	fast, slow := m.line("sys/devices/cpu_core/cpus"), m.line("sys/devices/cpu_atom/cpus")
	if fast == "" || slow == "" {
		return nil
	}
	f := Finding{What: "hybrid cores", Found: fmt.Sprintf("P-cores are CPUs %s, E-cores %s", fast, slow), Level: Note,
		Why: "a thread that moves from one kind to the other changes its speed", Remedy: "taskset -c " + fast + " bin/libcost run gnu musl"}
	if inList(m.Pin, slow) {
		f.Level, f.Why = Caution, fmt.Sprintf("single-thread rows run on CPU %d, an E-core, and %s", m.Pin, f.Why)
	}
	return []Finding{f}
}

// inList says whether a list like "0-7,12" holds a number.
func inList(n int, list string) bool {
	for _, part := range strings.Split(list, ",") {
		lo, hi, ranged := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(lo)
		if err != nil {
			continue
		}
		b := a
		if ranged {
			if b, err = strconv.Atoi(hi); err != nil {
				continue
			}
		}
		if a <= n && n <= b {
			return true
		}
	}
	return false
}

func (m Machine) clocksource() []Finding {
	f := Finding{What: "clock", Found: m.line("sys/devices/system/clocksource/clocksource0/current_clocksource")}
	switch f.Found {
	case "tsc", "kvm-clock", "arch_sys_counter":
	case "":
		f.Found = "unknown"
	default:
		f.Level, f.Why = Caution, "each reading is a system call of a microsecond, and so is clock_gettime's row"
		f.Remedy = "boot with clocksource=tsc"
	}
	return []Finding{f}
}

// chosen is the word in brackets: always [madvise] never.
var chosen = regexp.MustCompile(`\[(\w+)\]`)

func (m Machine) hugePages() []Finding {
	f := Finding{What: "transparent huge pages", Found: "none"}
	if word := chosen.FindStringSubmatch(m.line("sys/kernel/mm/transparent_hugepage/enabled")); word != nil {
		f.Found = word[1]
	}
	if f.Found == "always" {
		f.Level, f.Why = Note, "a large block may or may not get huge pages: rows from 2 MB up scatter"
		f.Remedy = "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
	}
	return []Finding{f}
}

func (m Machine) aslr() []Finding {
	f := Finding{What: "address randomisation", Found: m.line("proc/sys/kernel/randomize_va_space")}
	switch f.Found {
	case "2", "1":
		f.Found = "on" // each sample its own addresses: what they do averages out
	case "0":
		f.Found, f.Level = "off", Note
		f.Why, f.Remedy = "all samples have the same addresses: an unlucky one is in every round", "as root: sysctl kernel.randomize_va_space=2"
	}
	return []Finding{f}
}

func (m Machine) load() []Finding {
	first, _, _ := strings.Cut(m.line("proc/loadavg"), " ")
	f := Finding{What: "load", Found: first}
	if x, err := strconv.ParseFloat(first, 64); err == nil && x > 0.5 {
		f.Level, f.Why, f.Remedy = Caution, "something else runs: intervals are wider", "wait, or stop it (top)"
	}
	return []Finding{f}
}

// quota finds the CPU limit of this process's control group or one above it.
func (m Machine) quota() []Finding {
	group := "/"
	text, _ := fs.ReadFile(m.Root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			group = rest
		}
	}
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		limit := m.line(path.Join("sys/fs/cgroup", at, "cpu.max"))
		quota, period, _ := strings.Cut(limit, " ")
		q, errQ := strconv.ParseFloat(quota, 64)
		p, errP := strconv.ParseFloat(period, 64)
		if errQ == nil && errP == nil && p > 0 {
			return []Finding{{"CPU quota", fmt.Sprintf("%.2g CPUs", q/p), Caution,
				"a group that used up its share is stopped for the rest of the period: rows with threads stand still in the middle",
				"run outside the container, or without a limit (docker run without --cpus)"}}
		}
		if at == "/" {
			return []Finding{{What: "CPU quota", Found: "none"}}
		}
	}
}

func (m Machine) cpus() []Finding {
	f := Finding{What: "CPUs", Found: fmt.Sprintf("%d", len(m.CPUs))}
	if len(m.CPUs) < 2 {
		f.Level, f.Why, f.Remedy = Caution, "rows with threads never run two at once", "a machine, or a taskset, with more CPUs"
	}
	return []Finding{f}
}

func (m Machine) perf() []Finding {
	f := Finding{What: "perf_event_paranoid", Found: m.line("proc/sys/kernel/perf_event_paranoid")}
	if f.Found == "" {
		f.Found, f.Level, f.Why, f.Remedy = "no perf events", Note, "system calls an op are not counted", "a kernel with CONFIG_PERF_EVENTS"
	} else if n, err := strconv.Atoi(f.Found); err == nil && n > 1 {
		f.Level, f.Why, f.Remedy = Note, "a normal user counts no system calls; root does", "as root: sysctl kernel.perf_event_paranoid=1"
	}
	return []Finding{f}
}

func (m Machine) tracepoints() []Finding {
	f := Finding{What: "tracepoints", Found: "there"}
	if _, err := fs.Stat(m.Root, "sys/kernel/tracing/events/syscalls/sys_enter_futex"); err != nil {
		f.Found, f.Level, f.Why = "not to be seen", Note, "futex calls an op are counted as root only"
		f.Remedy = "as root: mount -t tracefs tracefs /sys/kernel/tracing"
	}
	return []Finding{f}
}

func (m Machine) container() []Finding {
	for _, file := range []string{".dockerenv", "run/.containerenv"} {
		if _, err := fs.Stat(m.Root, file); err == nil {
			return []Finding{{"container", "yes", Note, "seccomp may make system calls dearer: their rows tell this container's price", ""}}
		}
	}
	return []Finding{{What: "container", Found: "no"}}
}
