package compare

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"

	"libcost/internal/stats"
)

// A FileError is a line that can't be used.
type FileError struct {
	File string
	Line int
	What string
}

func (e *FileError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// FromFiles takes Go benchmark files, one for each variant; a variant is named
// as its file without the ending. Such a file has no rounds: the first line of
// a benchmark is taken for its first round, and so on.
func FromFiles(paths []string) (Input, error) {
	in := Input{Better: map[string]stats.Better{}, Side: map[string]bool{}, Control: map[string]bool{}}
	for _, path := range paths {
		variant := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		for _, v := range in.Variants {
			if v == variant {
				return Input{}, fmt.Errorf("%s: a second file for variant %s (rename one)", path, variant)
			}
		}
		in.Variants = append(in.Variants, variant)
		if err := in.readFile(path, variant); err != nil {
			return Input{}, err
		}
	}
	return in, nil
}

func (in *Input) readFile(path, variant string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	type key struct{ row, unit string }
	series := map[key]*Series{}
	var order []key
	r := benchfmt.NewReader(f, path)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return &FileError{path, rec.Line, rec.Msg}
		case *benchfmt.Result:
			for _, v := range rec.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				if !usable(value, unit) {
					_, line := rec.Pos()
					return &FileError{path, line, fmt.Sprintf("%v %s is no measurement", value, unit)}
				}
				k := key{rowOf(rec), unit}
				if series[k] == nil {
					series[k] = &Series{Row: k.row, Unit: unit, Variant: variant, Values: map[int]float64{}}
					order = append(order, k)
				}
				series[k].Values[len(series[k].Values)] = value
				in.Better[unit] = better(r.Units(), unit)
			}
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(order) == 0 {
		return fmt.Errorf("%s: holds no benchmark line", path)
	}
	for _, k := range order {
		in.Series = append(in.Series, *series[k])
	}
	return nil
}

// rowOf puts the package before the name, as a run does.
func rowOf(rec *benchfmt.Result) string {
	name := string(rec.Name)
	if pkg := rec.GetConfig("pkg"); pkg != "" {
		return filepath.Base(pkg) + "/" + name
	}
	return name
}

// better is the direction of a unit: as a Unit line says, else as Go's tools
// have it, else less is better.
func better(units benchfmt.UnitMetadataMap, unit string) stats.Better {
	if units.GetBetter(unit) > 0 {
		return stats.HigherIsBetter
	}
	return stats.LowerIsBetter
}

// usable says whether a value can be one of its unit. A count may be 0, a time
// or a throughput can't.
func usable(value float64, unit string) bool {
	count := strings.HasSuffix(unit, "/op") && unit != "ns/op"
	return value > 0 && !math.IsInf(value, 0) || count && value == 0
}
