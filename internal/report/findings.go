package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"libcost/internal/accept"
)

// Findings writes what accept judged, and says whether all of it holds.
func Findings(w io.Writer, findings []accept.Finding) (hold bool) {
	count := map[accept.Answer]int{}
	print := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(print, "\tcase\tmeasured\texpected\twhat")
	for _, f := range findings {
		count[f.Answer]++
		fmt.Fprintf(print, "%s\t%s\t%s\t%s\t%s\n", f.Answer, f.Case, Plain(f.Measured), f.Expected, Plain(f.What))
	}
	print.Flush()
	fmt.Fprintf(w, "%d hold, %d miss, %d not judged\n", count[accept.Holds], count[accept.Misses], count[accept.Unjudged])
	return count[accept.Misses] == 0
}
