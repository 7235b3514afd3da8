//go:build cgo

// Sqlite-upsert keeps a key-value store in SQLite: one upsert is one
// transaction, in memory or, with -store wal, on disk.
package main

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"

	"libcost/e2e/internal/sample"
	"libcost/e2e/internal/sqlite"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("sqlite-upsert", flag.ContinueOnError)
	var s store
	flags.StringVar(&s.kind, "store", "memory", "`where` the table is: memory, or wal for a file with a write-ahead log")
	flags.StringVar(&s.synchronous, "synchronous", "FULL", "with -store wal: FULL syncs at each commit, OFF never")
	flags.StringVar(&s.dir, "dir", "", "with -store wal: the `directory` of the file")
	return sample.Main(flags, func() (sample.Workload, error) { return workload(s) }, args, stdout, stderr)
}

// A store is where the table is kept.
type store struct{ kind, synchronous, dir string }

func workload(s store) (sample.Workload, error) {
	w := sample.Workload{Op: "upsert"}
	switch {
	case s.kind == "memory" && s.dir == "":
		w.Name, w.N = "SqliteUpsert/store=memory", 12000
	case s.kind == "memory":
		return w, fmt.Errorf("-dir %s: nothing is written there with -store memory", s.dir)
	case s.kind != "wal":
		return w, fmt.Errorf("-store %s: neither memory nor wal", s.kind)
	case s.synchronous != "FULL" && s.synchronous != "OFF":
		return w, fmt.Errorf("-synchronous %s: neither FULL nor OFF", s.synchronous)
	case s.dir == "":
		return w, errors.New("-store wal: no directory (set -dir to one on a disk)")
	default:
		w.Name, w.N = "SqliteUpsert/store=wal/synchronous="+s.synchronous, 200
	}
	w.New = func(n int) (sample.Run, error) { return newUpserts(s, n) }
	return w, nil
}

const upsert = "INSERT INTO kv(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value"

type upserts struct {
	store store
	db    *sqlite.DB
	stmt  *sqlite.Stmt
	ops   [][]driver.NamedValue
	want  map[string][]byte
}

// newUpserts draws the ops: half of them a new key, increasing, the other half
// another value for a key that is there.
func newUpserts(s store, n int) (*upserts, error) {
	u := &upserts{store: s, want: map[string][]byte{}}
	random := rand.New(rand.NewPCG(1, 0))
	// Values are cut from it: drawing each would be a third of a sample.
	var noise []byte
	for range 8192 {
		noise = binary.LittleEndian.AppendUint64(noise, random.Uint64())
	}
	for range n {
		k := len(u.want)
		if k > 0 && random.IntN(2) == 0 {
			k = random.IntN(k)
		}
		key := fmt.Sprintf("session/%08d", k)
		size := 16 + random.IntN(240)
		at := random.IntN(len(noise) - size)
		value := noise[at : at+size]
		u.want[key] = value
		u.ops = append(u.ops, sqlite.Args(key, value))
	}
	if err := u.remove(); err != nil { // what a killed sample left
		return nil, err
	}
	if err := u.open(); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// files are what SQLite makes of a database with a write-ahead log.
func (s store) files() []string {
	if s.kind != "wal" {
		return nil
	}
	file := filepath.Join(s.dir, "sqlite-upsert.db")
	return []string{file, file + "-wal", file + "-shm"}
}

func (s store) name() string {
	if s.kind == "memory" {
		return ":memory:"
	}
	return "file:" + (&url.URL{Path: s.files()[0]}).EscapedPath()
}

func (u *upserts) remove() error {
	for _, file := range u.store.files() {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (u *upserts) open() (err error) {
	if u.db, err = sqlite.Open(u.store.name()); err != nil {
		return err
	}
	if u.store.kind == "wal" {
		if err := u.journal(); err != nil {
			return err
		}
	}
	if err := u.db.Exec("CREATE TABLE kv(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"); err != nil {
		return err
	}
	u.stmt, err = u.db.Prepare(upsert)
	return err
}

// journal asks for the log and sees that it is there: SQLite answers a refusal
// with the mode that it keeps.
func (u *upserts) journal() error {
	pragma := func(text, want string) error {
		var got string
		err := u.db.Query("PRAGMA "+text, func(row []driver.Value) error {
			got = fmt.Sprint(row[0])
			return nil
		})
		if err == nil && got != want {
			err = fmt.Errorf("PRAGMA %s: got %q, want %q", text, got, want)
		}
		return err
	}
	if err := pragma("journal_mode = WAL", "wal"); err != nil {
		return err
	}
	if err := u.db.Exec("PRAGMA synchronous = " + u.store.synchronous); err != nil {
		return err
	}
	return pragma("synchronous", map[string]string{"OFF": "0", "FULL": "2"}[u.store.synchronous])
}

func (u *upserts) Ops() error {
	for _, op := range u.ops {
		if err := u.stmt.Exec(op); err != nil {
			return err
		}
	}
	return nil
}

// Check reads the table back, on disk through a connection of its own, and
// compares it with a map that took the same upserts.
func (u *upserts) Check() (uint64, error) {
	if u.store.kind == "wal" {
		if err := u.reopen(); err != nil {
			return 0, err
		}
	}
	keys, last := 0, ""
	digest := fnv.New64a()
	err := u.db.Query("SELECT key, value FROM kv ORDER BY key", func(row []driver.Value) error {
		key, value := row[0].(string), row[1].([]byte)
		if want, ok := u.want[key]; !ok || !bytes.Equal(value, want) {
			return fmt.Errorf("key %q: got %x, want %x", key, value, want)
		}
		if key <= last {
			return fmt.Errorf("key %q: after %q, out of order", key, last)
		}
		keys, last = keys+1, key
		io.WriteString(digest, key)
		digest.Write(value)
		return nil
	})
	if err != nil {
		return 0, err
	}
	if keys != len(u.want) {
		return 0, fmt.Errorf("got %d keys, want %d", keys, len(u.want))
	}
	return digest.Sum64(), nil
}

func (u *upserts) reopen() (err error) {
	if err := u.close(); err != nil {
		return err
	}
	u.db, err = sqlite.Open(u.store.name())
	return err
}

func (u *upserts) close() error {
	var err error
	if u.stmt != nil {
		err = u.stmt.Close()
	}
	if u.db != nil {
		err = errors.Join(err, u.db.Close())
	}
	u.stmt, u.db = nil, nil
	return err
}

func (u *upserts) Close() error { return errors.Join(u.close(), u.remove()) }
