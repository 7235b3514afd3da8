// Package gang runs a kernel's ops on threads that start together and tells
// what they took. It is the only place with a clock.
//
// A room (alloc, memops, ...) hands its table of kernels to [New]; from then
// on the table alone says which rows there are, and the room's benchmarks,
// its tests and the libcost command all go through the [Room].
package gang

// #cgo CFLAGS: -Wall
// #include <stdlib.h>
// #include "run.h"
//
// // Addresses as numbers: cgo looks into each pointer that it passes, 15 ns a call.
// static int gang_op(size_t k, size_t state, unsigned long n) { return ((const struct kernel *)k)->op((void *)state, 0, n); }
// static int gang_new(const struct kernel *k, const struct shape *s, void **state) { return k->new(s, state); }
// static int gang_check(const struct kernel *k, void *state, unsigned long n, uint64_t *d) { return k->check(state, n, d); }
// static void gang_free(const struct kernel *k, void *state) { k->free(state); }
// static double gang_value(const struct kernel *k, void *state) { return k->value(state); }
// static size_t gang_need(const struct kernel *k, const struct shape *s) { return k->need ? k->need(s) : 0; }
// static void *gang_op_address(const struct kernel *k) { return (void *)k->op; }
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// A Room is the kernels of one package.
type Room struct {
	name    string
	kernels []*C.struct_kernel
	loops   map[string]Loop
	rows    []Row
	counted int // tracepoints
}

// A Loop runs n ops of a row in Go, on the state that the kernel's new made. It
// returns 0 or an errno.
type Loop func(row Row, state unsafe.Pointer, n int) syscall.Errno

// A Row is one shape of one kernel: what one sample measures. Its JSON is what
// a built binary prints for the libcost command.
type Row struct {
	Room    string `json:"room"`
	Name    string `json:"name"`    // Pair/size=64/live=1/threads=1
	Calls   string `json:"calls"`   // what one op reaches, for check-shims
	Op      uint64 `json:"op"`      // address of the kernel's loop; 0 where the loop is Go's
	Threads int    `json:"threads"` // that run at once: threads=, or procs= of a Go loop, or 1
	SameN   bool   `json:"same_n"`  // every variant must run the same N
	Latency bool   `json:"latency"`
	Disk    bool   `json:"disk"`
	Control bool   `json:"control"`
	Plain   bool   `json:"plain"` // runs in the single-threaded C worker
	Curve   bool   `json:"curve"` // one of many that are read together
	Usual   bool   `json:"usual"` // in the default set
	Quick   bool   `json:"quick"`
	Summary bool   `json:"summary"`
	Unit    string `json:"unit,omitempty"` // of what the row is about, if that is no time
	Need    uint64 `json:"need,omitempty"` // bytes of memory, where they are many
	About   string `json:"about"`
	Source  string `json:"source,omitempty"`

	kernel *C.struct_kernel
	bytes  int64
	batch  int
	procs  int // GOMAXPROCS of the Go loop; 0 as it is
}

// New makes a room of a table in C that ends with a line of NULLs. loops holds
// the rows' loops, by kernel name, that can't be in C because they measure the
// way from Go to C.
//
// A table that contradicts itself is a mistake in the program: New panics.
func New(name string, table unsafe.Pointer, loops map[string]Loop) *Room {
	r := &Room{name: name, loops: loops}
	seen := map[string]bool{}
	for k := (*C.struct_kernel)(table); k.name != nil; k = (*C.struct_kernel)(unsafe.Add(unsafe.Pointer(k), C.sizeof_struct_kernel)) {
		r.kernels = append(r.kernels, k)
		for _, row := range r.expand(k) {
			if seen[row.Name] {
				panic(fmt.Sprintf("%s: row %s stands in the table twice", name, row.Name))
			}
			seen[row.Name] = true
			r.rows = append(r.rows, row)
		}
	}
	return r
}

// Rows lists the room's rows in the table's order.
func (r *Room) Rows() []Row { return r.rows }

// expand makes a row of each combination of the grid's values.
func (r *Room) expand(k *C.struct_kernel) []Row {
	names := []string{C.GoString(k.name)}
	for _, key := range strings.Fields(C.GoString(k.grid)) {
		key, values, ok := strings.Cut(key, "=")
		if !ok {
			panic(fmt.Sprintf("%s: %s: grid: %q is not key=value,value", r.name, names[0], key))
		}
		var longer []string
		for _, name := range names {
			for _, value := range strings.Split(values, ",") {
				longer = append(longer, name+"/"+key+"="+value)
			}
		}
		names = longer
	}
	rows := make([]Row, 0, len(names))
	for _, name := range names {
		row := Row{
			Room: r.name, Name: name, Calls: C.GoString(k.calls), kernel: k,
			Threads: int(number(name, "threads", number(name, "procs", 1))),
			batch:   int(number(name, "batch", 0)),
			procs:   int(number(name, "procs", 0)),
			SameN:   k.flags&C.KERNEL_SAME_N != 0,
			Latency: k.flags&C.KERNEL_LATENCY != 0,
			Disk:    k.flags&C.KERNEL_DISK != 0,
			Control: k.flags&C.KERNEL_CONTROL != 0,
			Curve:   k.flags&C.KERNEL_CURVE != 0,
			Usual:   selects(k.usual, name),
			Plain:   value(name, "proc") == "plain",
			Quick:   selects(k.quick, name),
			Summary: selects(k.summary, name),
			Unit:    C.GoString(k.unit),
			About:   C.GoString(k.about),
			Source:  C.GoString(k.source),
		}
		if (row.Quick || row.Summary) && !row.Usual {
			panic(fmt.Sprintf("%s: row %s is in the quick set or in the summary, and not in the default set", r.name, name))
		}
		shape, free := newShape(row, 0, "")
		row.Need = uint64(C.gang_need(k, shape))
		free()
		if k.op != nil {
			row.Op = uint64(uintptr(C.gang_op_address(k)))
		}
		if k.flags&C.KERNEL_BYTES != 0 {
			row.bytes = number(name, "size", 0)
		}
		rows = append(rows, row)
	}
	return rows
}

// Value is the text that the row's name gives for a key, "" where it has none.
func (r Row) Value(key string) string { return value(r.Name, key) }

// Number is the number that the row's name gives for a key, or missing.
func (r Row) Number(key string, missing int64) int64 { return number(r.Name, key, missing) }

func value(row, key string) string {
	for _, part := range strings.Split(row, "/")[1:] {
		if v, ok := strings.CutPrefix(part, key+"="); ok {
			return v
		}
	}
	return ""
}

func number(row, key string, missing int64) int64 {
	v, err := strconv.ParseInt(value(row, key), 10, 64)
	if err != nil {
		return missing
	}
	return v
}

// selects says whether a selector, "size=64,4096 live=1 | size=8", takes a row.
func selects(selector *C.char, row string) bool {
	if selector == nil {
		return false
	}
	for _, all := range strings.Split(C.GoString(selector), "|") {
		if !slices.ContainsFunc(strings.Fields(all), func(key string) bool {
			key, values, _ := strings.Cut(key, "=")
			return !strings.Contains(","+values+",", ","+value(row, key)+",")
		}) {
			return true
		}
	}
	return false
}

// A Result is what the n ops of one sample took.
type Result struct {
	N          int      `json:"n"`
	ElapsedNS  int64    `json:"elapsed_ns"`
	CPUNS      int64    `json:"cpu_ns"`
	MinFlt     int64    `json:"minflt"`
	MajFlt     int64    `json:"majflt"`
	NVCSw      int64    `json:"nvcsw"`
	NIvCSw     int64    `json:"nivcsw"`
	RunDelayNS int64    `json:"run_delay_ns"` // -1 where the kernel does not say
	Digest     string   `json:"digest"`       // of the work done: equal N, equal digest
	Quantiles  []int64  `json:"quantiles_ns,omitempty"`
	MaxNS      int64    `json:"max_ns,omitempty"`
	Value      *float64 `json:"value,omitempty"` // in Row.Unit
	Calls      []int64  `json:"calls,omitempty"` // of each counted tracepoint; -1 where the counter was lost

	// The times of a latency row's ops: the longest that falls into a bucket,
	// in ns, and how many did. Empty buckets are left out.
	Histogram [][2]int64 `json:"histogram,omitempty"`
}

// Quantiles names the entries of Result.Quantiles. An entry is 0 where fewer
// than ten ops lie above it.
var Quantiles = [...]string{"p50", "p90", "p99", "p99.9"}

// A RunError says in which phase a row failed. errors.Is finds its errno.
type RunError struct {
	Room, Row, Phase, Dir string
	Errno                 syscall.Errno
	Lacks                 string // in words, where Errno says only that something is lacking
}

// wrong is what a kernel's check returns for a wrong result (GANG_EWRONG).
const wrong = syscall.EBADMSG

func (e *RunError) Error() string {
	cause := e.Errno.Error()
	if e.Phase == "check" && e.Errno == wrong {
		cause = "the ops did not do what they should have done"
	}
	if e.Lacks != "" && e.Lacking() {
		cause = e.Lacks
	}
	where := ""
	if e.Dir != "" {
		where = " in " + e.Dir
	}
	return fmt.Sprintf("%s: %s: %s%s: %s", e.Room, e.Row, e.Phase, where, cause)
}

func (e *RunError) Unwrap() error { return e.Errno }

// Lacking says that the machine lacks what the row needs (O_DIRECT, as many
// threads): the row can't be measured here, and nothing is wrong.
func (e *RunError) Lacking() bool {
	return e.Phase == "open a counter" || e.Phase == "start thread" && e.Errno == syscall.EAGAIN ||
		e.Phase == "set up" && errors.Is(e.Errno, errors.ErrUnsupported)
}

// Run runs n ops of a row, files in dir.
func (r *Room) Run(row Row, n int, dir string) (Result, error) {
	shape, free := newShape(row, n, dir)
	defer free()

	result := r.run(row, shape)
	if planted := shape.n != C.ulong(n); planted && result.err == 0 {
		// The digest tells the work that was asked for.
		shape.n = C.ulong(n)
		asked := r.run(row, shape)
		freeOps(asked.ops)
		result.err, result.phase, result.digest = asked.err, asked.phase, asked.digest
	}
	defer freeOps(result.ops)
	if result.err != 0 {
		e := &RunError{Room: r.name, Row: row.Name, Phase: C.GoString(result.phase), Errno: syscall.Errno(result.err), Lacks: C.GoString(row.kernel.lacks)}
		if row.Disk {
			e.Dir = dir
			e.Lacks = onFileSystem(e.Lacks, dir)
		}
		return Result{}, e
	}
	res := Result{
		N: n, ElapsedNS: int64(result.elapsed_ns), CPUNS: int64(result.cpu_ns),
		MinFlt: int64(result.minflt), MajFlt: int64(result.majflt),
		NVCSw: int64(result.nvcsw), NIvCSw: int64(result.nivcsw),
		RunDelayNS: int64(result.run_delay_ns), Digest: fmt.Sprintf("%016x", uint64(result.digest)),
	}
	if row.Latency {
		for _, q := range result.quantile_ns {
			res.Quantiles = append(res.Quantiles, int64(q))
		}
		res.MaxNS = int64(result.max_ns)
		res.Histogram = buckets(result.ops)
	}
	if row.Unit != "" {
		value := float64(result.value)
		res.Value = &value
	}
	for i := range r.counted {
		res.Calls = append(res.Calls, int64(result.calls[i]))
	}
	return res, nil
}

func (r *Room) run(row Row, shape *C.struct_shape) (result C.struct_gang_result) {
	if loop := r.loop(row); loop != nil {
		r.runLoop(row, shape, loop, &result)
	} else {
		here := C.int(row.kernel.flags & C.KERNEL_CALLER)
		C.gang_run(row.kernel, shape, here, &result)
	}
	return result
}

// Count makes every later Run count the system calls of these tracepoints,
// by their ids in tracefs. Such a Run is no timed one.
func (r *Room) Count(ids []uint64) error {
	if len(ids) > C.GANG_TRACEPOINTS {
		return fmt.Errorf("%s: count %d system calls: at most %d", r.name, len(ids), C.GANG_TRACEPOINTS)
	}
	list := make([]C.uint64_t, len(ids)+1)
	for i, id := range ids {
		list[i] = C.uint64_t(id)
	}
	if err := C.gang_count(&list[0], C.int(len(ids))); err != 0 {
		return &RunError{Room: r.name, Row: "count", Phase: "open a counter", Errno: syscall.Errno(err)}
	}
	r.counted = len(ids)
	return nil
}

// newShape makes the shape of a sample in C's memory, and what frees it.
func newShape(row Row, n int, dir string) (*C.struct_shape, func()) {
	name, where := C.CString(row.Name), C.CString(dir)
	shape := (*C.struct_shape)(C.malloc(C.sizeof_struct_shape))
	*shape = C.struct_shape{
		row: name, dir: where, threads: C.int(row.Threads), n: C.gang_ops(C.ulong(n)),
		l1: bytes(cpuid.CPU.Cache.L1D), l2: bytes(cpuid.CPU.Cache.L2), llc: bytes(cpuid.CPU.Cache.L3),
	}
	return shape, func() {
		C.free(unsafe.Pointer(name))
		C.free(unsafe.Pointer(where))
		C.free(unsafe.Pointer(shape))
	}
}

// bytes is a size that cpuid gives, 0 for one that it does not know (-1).
func bytes(size int) C.size_t { return C.size_t(max(0, size)) }

// buckets lists the buckets of a histogram that are not empty.
func buckets(h *C.struct_histogram) [][2]int64 {
	var list [][2]int64
	for i, n := range h.count {
		if n > 0 {
			list = append(list, [2]int64{int64(C.histogram_upper(C.int(i))), int64(n)})
		}
	}
	return list
}

func freeOps(h *C.struct_histogram) {
	if h != nil {
		C.gang_unmap(unsafe.Pointer(h), C.sizeof_struct_histogram)
	}
}

// loop is the Go loop of a row, if it has one: its room's own, or a C call for
// each batch of ops.
func (r *Room) loop(row Row) func(state unsafe.Pointer, n int) C.int {
	if own := r.loops[C.GoString(row.kernel.name)]; own != nil {
		return func(state unsafe.Pointer, n int) C.int { return C.int(own(row, state, n)) }
	}
	if row.batch == 0 {
		return nil
	}
	kernel := C.size_t(uintptr(unsafe.Pointer(row.kernel)))
	return func(p unsafe.Pointer, n int) (err C.int) {
		state := C.size_t(uintptr(p))
		for ; n > row.batch; n -= row.batch {
			err |= C.gang_op(kernel, state, C.ulong(row.batch))
		}
		return err | C.gang_op(kernel, state, C.ulong(n))
	}
}

// runLoop is gang_run for a loop in Go, on one thread that it keeps, or, with
// procs=, on all that Go's scheduler takes.
//
// Note: GOMAXPROCS is set here and not in the sample's environment, so that
// go test -bench measures what the row's name says, too, and puts no suffix of
// its own on the name.
func (r *Room) runLoop(row Row, shape *C.struct_shape, loop func(unsafe.Pointer, int) C.int, result *C.struct_gang_result) {
	if row.procs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(row.procs))
	} else {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	k := row.kernel
	var state unsafe.Pointer
	result.phase = phaseSetUp
	if result.err = C.gang_new(k, shape, &state); result.err != 0 {
		return
	}
	defer C.gang_free(k, state)

	var span C.struct_gang_span
	if row.procs > 0 {
		span.whole = 1
	}
	result.phase = phaseRun
	C.gang_begin(&span)
	result.err = loop(state, int(shape.n))
	C.gang_end(&span)
	if result.err != 0 {
		return
	}
	result.elapsed_ns = span.end_ns - span.start_ns
	result.cpu_ns, result.run_delay_ns = span.cpu_ns, span.run_delay_ns
	result.minflt, result.majflt = span.minflt, span.majflt
	result.nvcsw, result.nivcsw = span.nvcsw, span.nivcsw
	result.calls = span.calls
	result.phase = phaseCheck
	if result.err = C.gang_check(k, state, shape.n, &result.digest); result.err == 0 && k.value != nil {
		result.value = C.gang_value(k, state)
	}
}

var phaseSetUp, phaseRun, phaseCheck = C.CString("set up"), C.CString("run"), C.CString("check")
