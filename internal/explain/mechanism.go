package explain

import (
	"slices"

	"libcost/internal/stats"
)

// A Prediction is what a function's calls would cost more in the other build,
// from how often it is called and from a row of a run: the mechanism behind a
// share, and no share itself. In place a call costs up to three times what it
// costs in a loop of its own.
type Prediction struct {
	Function string
	Part     string // that covers it, "" for one that is not swapped: a system call
	Row      string
	Calls    float64        // an op of the workload
	Each     stats.Estimate // ns more a call, from the row
	NS       stats.Estimate // ns more an op
}

// A CountedRow is the row that stands for a function: its usual shape, where
// nobody knows the sizes that a program asks for.
type CountedRow struct{ Function, Row string }

// CountedRows are the functions that -mechanism counts. A free belongs to the
// malloc before it.
var CountedRows = []CountedRow{
	{"malloc", "alloc/Replace/sizes=16..1039/live=1024/threads=1/place=spread"},
	{"memcpy", "memops/Memcpy/sizes=1..64/src=0/dst=0/threads=1"},
	{"memmove", "memops/Memcpy/sizes=1..64/src=0/dst=0/threads=1"},
	{"memset", "memops/Memset/size=64/dst=0/byte=0/threads=1"},
	{"memcmp", "memops/Memcmp/size=31/a=0/b=0/differ=none/threads=1"},
	{"memchr", "memops/Memchr/size=64/src=0/needle=absent/threads=1"},
	{"strlen", "memops/Strlen/size=31/src=0/threads=1"},
	{"pthread_mutex_lock", "syscalls/Mutex/held=0/think=0/threads=1"},
	{"write", "syscalls/Write/size=1/to=devnull/via=wrapper/threads=1"},
	{"pwrite", "syscalls/Write/size=1/to=devnull/via=wrapper/threads=1"},
}

// Predict multiplies calls an op by what a call costs more.
func Predict(row CountedRow, calls float64, each stats.Estimate) Prediction {
	p := Prediction{Function: row.Function, Part: partOf(row.Function), Row: row.Row, Calls: calls, Each: each, NS: each}
	p.NS.Value, p.NS.Lo, p.NS.Hi = calls*each.Value, calls*each.Lo, calls*each.Hi
	return p
}

// InSitu is how many times as much a part costs in the program as its
// predictions say, 0 where they say next to nothing.
func (l Ledger) InSitu(d Design, c Cause, predictions []Prediction) float64 {
	sum := 0.0
	for _, p := range predictions {
		if p.Part != "" && covers(d.Factors[c.factor], p.Part) {
			sum += p.NS.Value
		}
	}
	if !(sum > c.NS.Value/100) || c.NS.Value <= 0 {
		return 0
	}
	return c.NS.Value / sum
}

// Countable are the rows whose functions the program imports.
func Countable(imports []string) []CountedRow {
	return slices.DeleteFunc(slices.Clone(CountedRows), func(r CountedRow) bool { return !slices.Contains(imports, r.Function) })
}
