package shims

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Finding is one way in which a kernel is not what its row says.
type Finding struct {
	File  string // the kernel's
	Func  string // "" where the file itself is meant
	What  string
	Build string // where it was seen: variants, compilers
}

func (f Finding) String() string {
	s := f.File + ": "
	if f.Func != "" {
		s += f.Func + ": "
	}
	return fmt.Sprintf("%s%s (%s)", s, f.What, f.Build)
}

// A Room is what was looked at in one room.
type Room struct {
	Name   string
	Builds []string // the variants
	Rows   int      // whose calls were looked for
	Plain  int      // of them in the plain worker as well
	Calls  []string // that they name, in the table's order
	GoRows []string // whose loop is Go's, and was not looked at
	Unread string   // the machine, where its code can't be read
}

// A Report is what the check saw.
type Report struct {
	Rooms    []Room
	Findings []Finding
}

// add puts what is found in several builds into one finding.
func (r *Report) add(findings ...Finding) {
	for _, f := range findings {
		i := slices.IndexFunc(r.Findings, func(g Finding) bool {
			return f.File == g.File && f.Func == g.Func && f.What == g.What
		})
		if i >= 0 {
			r.Findings[i].Build += ", " + f.Build
		} else {
			r.Findings = append(r.Findings, f)
		}
	}
}

// String has a line for each room in which all is well, and for each finding.
func (r *Report) String() string {
	var b strings.Builder
	for _, room := range r.Rooms {
		if r.failed(room.Name) {
			continue
		}
		fmt.Fprintf(&b, "%-9s %s", room.Name, strings.Join(room.Builds, " "))
		if room.Plain > 0 {
			fmt.Fprint(&b, " plain")
		}
		if room.Unread != "" {
			fmt.Fprintf(&b, "   objects are equal; calls and copies are not checked on %s\n", room.Unread)
			continue
		}
		fmt.Fprintf(&b, "   %d rows reach %s\n", room.Rows, strings.Join(room.Calls, " "))
		if len(room.GoRows) > 0 {
			fmt.Fprintf(&b, "%-9s not checked, the loop is in Go: %s\n", "", strings.Join(room.GoRows, " "))
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

func (r *Report) failed(room string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return path.Dir(f.File) == room
	})
}
