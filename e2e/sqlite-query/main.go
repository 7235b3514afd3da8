//go:build cgo

// Sqlite-query asks an SQLite table in memory the question of a search page:
// LIKE over a text column, grouped, ordered by a sum.
package main

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"libcost/e2e/internal/sample"
	"libcost/e2e/internal/sqlite"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("sqlite-query", flag.ContinueOnError)
	return sample.Main(flags, func() (sample.Workload, error) { return workload(), nil }, args, stdout, stderr)
}

const rows = 2000

func workload() sample.Workload {
	return sample.Workload{
		Name: fmt.Sprintf("SqliteQuery/rows=%d", rows),
		Op:   "query",
		N:    100,
		New:  func(n int) (sample.Run, error) { return newQueries(n) },
	}
}

const query = "SELECT city, count(*), sum(cents) FROM sale WHERE item LIKE ? GROUP BY city ORDER BY 3 DESC, city"

var (
	cities = strings.Fields("Aberdeen Bergen Cardiff Dresden Esbjerg Florence Geneva Hamburg Inverness Jena " +
		"Kiel Lisbon Malmo Nantes Odense Porto Rotterdam Seville Turin Utrecht Vienna Warsaw York Zagreb")
	words = strings.Fields("amber anchor apple basket beaver bottle bridge bronze button candle canvas carbon " +
		"cedar chalk cherry copper cotton crystal dragon ember falcon feather forest garden ginger granite " +
		"hammer harbor hazel indigo ivory jasmine juniper kettle lantern lemon linen magnet maple marble " +
		"meadow mirror mosaic nickel olive onyx orange oyster paper pepper pewter pillow quartz ribbon " +
		"saddle saffron silver spruce timber topaz velvet walnut willow window")
)

// A sale is a row of the table.
type sale struct {
	city, item string
	cents      int64
}

// A group is a row of an answer.
type group struct {
	city         string
	count, cents int64
}

type queries struct {
	db      *sqlite.DB
	stmt    *sqlite.Stmt
	sales   []sale
	terms   [][]driver.NamedValue // the patterns, as the driver takes them
	answers [][]group             // of each op
}

func newQueries(n int) (*queries, error) {
	db, err := sqlite.Open(":memory:")
	if err != nil {
		return nil, err
	}
	q := &queries{db: db, answers: make([][]group, n)}
	if err := q.fill(); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	for _, word := range words {
		q.terms = append(q.terms, sqlite.Args("%"+word+"%"))
	}
	for i := range q.answers {
		q.answers[i] = make([]group, 0, len(cities))
	}
	return q, nil
}

func (q *queries) fill() error {
	if err := q.db.Exec("CREATE TABLE sale(id INTEGER PRIMARY KEY, city TEXT NOT NULL, item TEXT NOT NULL, cents INTEGER NOT NULL); BEGIN"); err != nil {
		return err
	}
	insert, err := q.db.Prepare("INSERT INTO sale(city, item, cents) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 0))
	for range rows {
		item := make([]string, 3+random.IntN(6))
		for i := range item {
			item[i] = words[random.IntN(len(words))]
		}
		s := sale{cities[random.IntN(len(cities))], strings.Join(item, " "), random.Int64N(100_000)}
		q.sales = append(q.sales, s)
		if err := insert.Exec(sqlite.Args(s.city, s.item, s.cents)); err != nil {
			return errors.Join(err, insert.Close())
		}
	}
	if err := insert.Close(); err != nil {
		return err
	}
	if err := q.db.Exec("COMMIT"); err != nil {
		return err
	}
	q.stmt, err = q.db.Prepare(query)
	return err
}

func (q *queries) Ops() error {
	for i := range q.answers {
		err := q.stmt.Query(q.terms[i%len(q.terms)], func(row []driver.Value) error {
			q.answers[i] = append(q.answers[i], group{row[0].(string), row[1].(int64), row[2].(int64)})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Check answers each question from the sales themselves.
func (q *queries) Check() (uint64, error) {
	want := make([][]group, min(len(words), len(q.answers)))
	for i := range want {
		want[i] = answer(q.sales, words[i])
	}
	digest := fnv.New64a()
	for i, got := range q.answers {
		if !slices.Equal(got, want[i%len(words)]) {
			return 0, fmt.Errorf("op %d, items with %q: got %v, want %v", i, words[i%len(words)], got, want[i%len(words)])
		}
		fmt.Fprintln(digest, got)
	}
	return digest.Sum64(), nil
}

func answer(sales []sale, word string) []group {
	of := map[string]*group{}
	for _, s := range sales {
		if !strings.Contains(s.item, word) {
			continue
		}
		if of[s.city] == nil {
			of[s.city] = &group{city: s.city}
		}
		of[s.city].count++
		of[s.city].cents += s.cents
	}
	var groups []group
	for _, g := range of {
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.cents, a.cents), cmp.Compare(a.city, b.city))
	})
	return groups
}

func (q *queries) Close() error {
	var err error
	if q.stmt != nil {
		err = q.stmt.Close()
	}
	return errors.Join(err, q.db.Close())
}
