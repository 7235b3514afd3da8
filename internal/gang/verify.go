package gang

// #include "run.h"
import "C"

import (
	"errors"
	"syscall"
	"testing"
)

// Verify tests each row of the room in the libc that the binary holds: after n
// ops the kernel's own check agrees, and it refuses a state in which the ops
// never ran. Equal work has an equal digest. With -short it leaves out rows that
// are one of many on a curve, and those that take much memory.
func (r *Room) Verify(t *testing.T) {
	dir := t.TempDir()
	for _, row := range r.rows {
		if testing.Short() && (row.Curve || row.Need > 0) {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			n := 100
			if row.Disk {
				n = 12
			}
			first, err := r.Run(row, n, dir)
			var run *RunError
			if errors.As(err, &run) && run.Lacking() {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if first.ElapsedNS <= 0 {
				t.Errorf("%d ops took %d ns", n, first.ElapsedNS)
			}
			second, err := r.Run(row, n, dir)
			if err != nil {
				t.Fatal(err)
			}
			if first.Digest != second.Digest {
				t.Errorf("the same %d ops: digest %s, then %s", n, first.Digest, second.Digest)
			}
			if said := r.checkIdle(t, row, n, dir); said != wrong {
				t.Errorf("no op ran, and check said %d (%v), want %d (%v)", said, said, wrong, wrong)
			}
		})
	}
}

// checkIdle is what a row's check says after n ops of which none ran.
func (r *Room) checkIdle(t *testing.T, row Row, n int, dir string) syscall.Errno {
	shape, free := newShape(row, n, dir)
	defer free()
	var said C.int
	if err := C.gang_check_idle(row.kernel, shape, &said); err != 0 {
		t.Fatalf("set up: %v", syscall.Errno(err))
	}
	return syscall.Errno(said)
}
