package shims

import "testing"

func TestReport(t *testing.T) {
	r := Report{Rooms: []Room{
		{Name: "alloc", Builds: []string{"gnu", "musl"}, Rows: 3, Plain: 1, Calls: []string{"malloc", "free"}},
		{Name: "memops", Builds: []string{"gnu", "musl"}, Rows: 9, Calls: []string{"memcpy"}},
		{Name: "syscalls", Builds: []string{"gnu", "musl"}, Rows: 9, Calls: []string{"write"}},
		{Name: "fsync", Builds: []string{"gnu"}, Unread: "AARCH64"},
		{Name: "cgo", Builds: []string{"gnu"}, Rows: 1, Calls: []string{"*"}, GoRows: []string{"Call", "Nop/batch=1"}},
	}}
	r.add(
		Finding{"memops/copy.c", "memops_memcpy_op", "loop holds no call of memcpy", "gnu"},
		Finding{"memops/copy.c", "memops_memcpy_op", "loop holds no call of memcpy", "musl"},
		Finding{"memops/copy.c", "memops_mempcpy_op", "loop holds no call of memcpy", "musl"},
		Finding{"memops/copy.c", "", "includes /usr/include/string.h", "gcc"},
		Finding{"syscalls/write.c", "syscalls_write_op.part.0", "loop holds no call of write", "musl"},
	)
	const want = `alloc     gnu musl plain   3 rows reach malloc free
fsync     gnu   objects are equal; calls and copies are not checked on AARCH64
cgo       gnu   1 rows reach *
          not checked, the loop is in Go: Call Nop/batch=1
memops/copy.c: memops_memcpy_op: loop holds no call of memcpy (gnu, musl)
memops/copy.c: memops_mempcpy_op: loop holds no call of memcpy (musl)
memops/copy.c: includes /usr/include/string.h (gcc)
syscalls/write.c: syscalls_write_op.part.0: loop holds no call of write (musl)
`
	if got := r.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
