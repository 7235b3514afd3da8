// Package accept judges a run by what people met in public: cases with rows,
// values and bands, kept as data.
package accept

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A Case is one public report.
type Case struct {
	Number  int      `toml:"number"`
	Title   string   `toml:"title"`
	Expects []Expect `toml:"expect"`
}

// An Expect is one number of a case.
type Expect struct {
	Row      string   `toml:"row"`
	Value    string   `toml:"value"` // ratio, per, count or same; level and apart of floors
	Per      string   `toml:"per"`
	Unit     string   `toml:"unit"`    // ns/op if empty
	Variant  string   `toml:"variant"` // of per and count
	Expected string   `toml:"expected"`
	Min      *float64 `toml:"min"`
	Max      *float64 `toml:"max"`
	Margin   float64  `toml:"margin"` // of same in %, of apart in ns
	Rounds   int      `toml:"rounds"` // 20 if 0
}

const defaultRounds = 20

// ReadCases reads a file of cases.
func ReadCases(file string) ([]Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read cases: %w", err)
	}
	var all struct {
		Cases []Case `toml:"case"`
	}
	meta, err := toml.Decode(string(text), &all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return nil, fmt.Errorf("%s: unknown key %s", file, extra[0])
	}
	for _, c := range all.Cases {
		for i := range c.Expects {
			if err := c.Expects[i].complete(); err != nil {
				return nil, fmt.Errorf("%s: case %d: %w", file, c.Number, err)
			}
		}
	}
	return all.Cases, nil
}

// complete fills what may be left out and refuses what can't be judged.
func (e *Expect) complete() error {
	if e.Unit == "" {
		e.Unit = "ns/op"
	}
	if e.Rounds == 0 {
		e.Rounds = defaultRounds
	}
	wrong := ""
	switch {
	case !slices.Contains([]string{"ratio", "per", "count", "same"}, e.Value):
		wrong = fmt.Sprintf("value %q is none of ratio, per, count, same", e.Value)
	case e.Value == "same" && e.Margin <= 0:
		wrong = "same needs a margin"
	case e.Value != "same" && e.Min == nil && e.Max == nil:
		wrong = "no min and no max: nothing could miss"
	case e.Value == "per" && e.Per == "":
		wrong = "per needs the other row"
	case (e.Value == "per" || e.Value == "count") && e.Variant == "":
		wrong = e.Value + " needs a variant"
	}
	if wrong != "" {
		return fmt.Errorf("%s: %s", e.Row, wrong)
	}
	return nil
}

// Band is what holds, in words: "at least 15", "0.7 to 1.6", "within 5 %".
func (e Expect) Band() string {
	switch {
	case e.Value == "same":
		return fmt.Sprintf("within %g %%", e.Margin)
	case e.Value == "apart":
		return fmt.Sprintf("within %g ns", e.Margin)
	case e.Min != nil && e.Max != nil:
		return fmt.Sprintf("%g to %g", *e.Min, *e.Max)
	case e.Min != nil:
		return fmt.Sprintf("at least %g", *e.Min)
	default:
		return fmt.Sprintf("at most %g", *e.Max)
	}
}

// What says what is judged: the row, and in which sense.
func (e Expect) What() string {
	switch e.Value {
	case "per":
		return fmt.Sprintf("%s / %s, %s", e.Row, strings.TrimPrefix(e.Per, commonRoom(e.Row, e.Per)), e.Variant)
	case "count", "level":
		return fmt.Sprintf("%s, %s, %s", e.Row, e.Unit, e.Variant)
	default:
		return e.Row
	}
}

func commonRoom(a, b string) string {
	room, _, _ := strings.Cut(a, "/")
	if strings.HasPrefix(b, room+"/") {
		return room + "/"
	}
	return ""
}

// Rows are the rows that cases need, each with the rounds that it needs.
func Rows(cases []Case) map[string]int {
	rounds := map[string]int{}
	for _, c := range cases {
		for _, e := range c.Expects {
			rounds[e.Row] = max(rounds[e.Row], e.Rounds)
			if e.Per != "" {
				rounds[e.Per] = max(rounds[e.Per], e.Rounds)
			}
		}
	}
	return rounds
}

// Floors are what the harness costs by itself: low, and the same in both
// builds, or no other row means anything.
func Floors() []Case {
	low := func(row string, ns float64) Expect {
		return Expect{Row: row, Value: "level", Unit: "ns/op", Variant: "gnu", Expected: "the loop alone", Max: &ns, Rounds: defaultRounds}
	}
	equal := func(row string) Expect {
		return Expect{Row: row, Value: "apart", Unit: "ns/op", Expected: "the same", Margin: 0.1, Rounds: defaultRounds}
	}
	return []Case{{Title: "floors", Expects: []Expect{
		low("cgo/Empty", 1), low("cgo/Call", 2), equal("cgo/Empty"), equal("cgo/Call"),
	}}}
}
