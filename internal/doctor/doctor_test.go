package doctor

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree is a file system of files with their first lines.
func tree(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return fs
}

// The machines that people have, as their files say.
var (
	hybrid = Machine{CPUs: []int{0, 1, 2, 16, 17}, Pin: 17, Root: tree(map[string]string{
		"sys/devices/system/cpu/cpu17/cpufreq/scaling_governor":           "powersave",
		"sys/devices/system/cpu/cpu17/topology/thread_siblings_list":      "17",
		"sys/devices/system/cpu/intel_pstate/no_turbo":                    "0",
		"sys/devices/cpu_core/cpus":                                       "0-15",
		"sys/devices/cpu_atom/cpus":                                       "16-23",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "[always] madvise never",
		"proc/sys/kernel/randomize_va_space":                              "2",
		"proc/loadavg":                                                    "0.12 0.20 0.30 1/400 12345",
		"proc/sys/kernel/perf_event_paranoid":                             "2",
		"sys/kernel/tracing/events/syscalls/sys_enter_futex/id":           "440",
	})}
	cloud = Machine{CPUs: []int{0, 1}, Pin: 1, Root: tree(map[string]string{
		"sys/devices/system/cpu/cpu1/topology/thread_siblings_list":       "0-1",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet",
		"proc/sys/kernel/randomize_va_space":                              "0",
		"proc/loadavg":                                                    "3.50 2.00 1.00 5/100 99",
		"proc/sys/kernel/perf_event_paranoid":                             "1",
	})}
	container = Machine{CPUs: []int{3}, Pin: 3, Root: tree(map[string]string{
		".dockerenv":                           "",
		"proc/self/cgroup":                     "0::/app/web",
		"sys/fs/cgroup/app/web/memory.max":     "max",
		"sys/fs/cgroup/app/cpu.max":            "150000 100000",
		"sys/fs/cgroup/cpu.max":                "max 100000",
		"sys/devices/system/cpu/cpufreq/boost": "1",
	})}
)

func look(t *testing.T, m Machine, what string) Finding {
	t.Helper()
	for _, f := range m.Look() {
		if f.What == what {
			return f
		}
	}
	require.Fail(t, "not looked at", what)
	return Finding{}
}

func TestLook(t *testing.T) {
	for _, c := range []struct {
		machine     Machine
		what, found string
		level       Level
	}{
		{hybrid, "frequency governor", "powersave", Caution},
		{hybrid, "turbo", "on", Note},
		{hybrid, "SMT", "CPU 17 has a core of its own", Fine},
		{hybrid, "hybrid cores", "P-cores are CPUs 0-15, E-cores 16-23", Caution},
		{hybrid, "clock", "tsc", Fine},
		{hybrid, "transparent huge pages", "always", Note},
		{hybrid, "address randomisation", "on", Fine},
		{hybrid, "load", "0.12", Fine},
		{hybrid, "CPU quota", "none", Fine},
		{hybrid, "perf_event_paranoid", "2", Note},
		{hybrid, "tracepoints", "there", Fine},
		{hybrid, "container", "no", Fine},
		{cloud, "frequency governor", "none that this system may set", Fine},
		{cloud, "SMT", "CPU 1 shares its core: CPUs 0-1", Note},
		{cloud, "clock", "hpet", Caution},
		{cloud, "transparent huge pages", "none", Fine},
		{cloud, "address randomisation", "off", Note},
		{cloud, "load", "3.50", Caution},
		{cloud, "perf_event_paranoid", "1", Fine},
		{cloud, "tracepoints", "not to be seen", Note},
		{container, "CPU quota", "1.5 CPUs", Caution},
		{container, "CPUs", "1", Caution},
		{container, "container", "yes", Note},
		{container, "turbo", "on", Note},
		{container, "perf_event_paranoid", "no perf events", Note},
	} {
		f := look(t, c.machine, c.what)
		assert.Equal(t, c.found, f.Found, c.what)
		assert.Equal(t, c.level, f.Level, c.what)
		if c.level == Fine {
			assert.Empty(t, f.Why, c.what)
			assert.Empty(t, f.Remedy, c.what)
		} else {
			assert.NotEmpty(t, f.Why, c.what)
		}
	}
	for _, f := range cloud.Look() {
		assert.NotEqual(t, "hybrid cores", f.What)
		assert.NotEqual(t, "turbo", f.What, "what nobody can see is no finding")
	}
}

func TestInList(t *testing.T) {
	for n, want := range map[int]bool{0: true, 3: true, 4: false, 7: true, 11: true, 12: false} {
		assert.Equal(t, want, inList(n, "0-3,7,10-11"), n)
	}
	assert.False(t, inList(0, ""))
}

func TestSpinReadsTheClock(t *testing.T) {
	m, err := SpinOn(-1, time.Millisecond)
	assert.Error(t, err, "%v", m)
	assert.Equal(t, Fine, Spin{Took: time.Second, Lost: 40 * time.Millisecond}.Judge().Level)
	f := Spin{CPU: 1, Took: time.Second, Gaps: 3, Lost: 60 * time.Millisecond, Longest: 50 * time.Millisecond}.Judge()
	assert.Equal(t, "6.0 % lost in 3 gaps, the longest 50ms", f.Found)
	assert.Equal(t, Caution, f.Level)
}

func TestSyncs(t *testing.T) {
	us := func(x ...int) (d []time.Duration) {
		for _, v := range x {
			d = append(d, time.Duration(v)*time.Microsecond)
		}
		return d
	}
	assert.Equal(t, Caution, Syncs(us(1, 2, 900)).Level)
	assert.Equal(t, Finding{What: "fdatasync of 4 KiB", Found: "p50 150µs"}, Syncs(us(900, 150, 100)))
	assert.Equal(t, "not measured", Syncs(nil).Found)
}

func TestResolution(t *testing.T) {
	quiet := [][]float64{{1.001, 0.999, 1, 1.002, 0.998}}
	assert.Equal(t, Fine, Resolution(quiet).Level)
	noisy := Resolution([][]float64{{1.5, 0.5, 1, 1.3, 0.7, 1.2}})
	assert.Equal(t, Caution, noisy.Level)
	assert.Contains(t, noisy.Found, "20 rounds see about ")
	assert.Equal(t, "not measured", Resolution(nil).Found)
}
