package report

import (
	"fmt"
	"io"

	"libcost/internal/compare"
)

// Null writes what a null run came to.
func Null(w io.Writer, variant string, n compare.Null) {
	fmt.Fprintf(w, "%s against a second copy of itself: whatever differs is the machine's doing, or the method's\n", variant)
	fmt.Fprintf(w, "  %d of %d intervals leave out 1 (%.1f %%; by chance 5 %%, at most %d in 99 of 100 runs): %s\n",
		n.Outside, n.Lines, 100*float64(n.Outside)/float64(max(1, n.Lines)), n.Bound, map[bool]string{true: "holds", false: "MISSES"}[n.Holds()])
	fmt.Fprintf(w, "  %d false %s\n", len(n.False), plural(len(n.False), "verdict"))
	for _, l := range n.False {
		c := l.Cells[0]
		fmt.Fprintf(w, "    %s %s: %s %s\n", Plain(l.Row), l.Unit, Verdict(l, c), Interval(c.Paired.Interval))
	}
	for _, f := range n.Families {
		fmt.Fprintf(w, "  %-10s %3d rows, the median row sees about %.1f %%\n", f.Room, f.Rows, f.Sees)
	}
}
