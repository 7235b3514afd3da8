//go:build cgo

// Package sqlite drives SQLite through the driver itself, without database/sql:
// a pool, a context and a conversion of each value would be Go's time around
// calls that take a few microseconds.
package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// A DB is one connection.
type DB struct{ conn *sqlite3.SQLiteConn }

// Open opens a data source name as go-sqlite3 reads it; ":memory:" is one of
// them.
func Open(name string) (*DB, error) {
	conn, err := (&sqlite3.SQLiteDriver{}).Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return &DB{conn.(*sqlite3.SQLiteConn)}, nil
}

func (db *DB) Close() error { return db.conn.Close() }

// Exec runs statements that return nothing.
func (db *DB) Exec(query string, values ...driver.Value) error {
	if _, err := db.conn.ExecContext(context.Background(), query, Args(values...)); err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	return nil
}

// Query gives each row to take; the row is valid until take returns.
func (db *DB) Query(query string, take func(row []driver.Value) error) error {
	stmt, err := db.Prepare(query)
	if err != nil {
		return err
	}
	return errors.Join(stmt.Query(nil, take), stmt.Close())
}

// A Stmt is a prepared statement.
type Stmt struct {
	stmt  *sqlite3.SQLiteStmt
	query string
}

func (db *DB) Prepare(query string) (*Stmt, error) {
	stmt, err := db.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	return &Stmt{stmt.(*sqlite3.SQLiteStmt), query}, nil
}

func (s *Stmt) Close() error { return s.stmt.Close() }

// Args numbers values as the driver wants them. Who runs a statement many times
// makes them before.
func Args(values ...driver.Value) []driver.NamedValue {
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return args
}

func (s *Stmt) Exec(args []driver.NamedValue) error {
	if _, err := s.stmt.ExecContext(context.Background(), args); err != nil {
		return fmt.Errorf("%s: %w", s.query, err)
	}
	return nil
}

// Query gives each row to take; the row is valid until take returns.
func (s *Stmt) Query(args []driver.NamedValue, take func(row []driver.Value) error) (err error) {
	rows, err := s.stmt.QueryContext(context.Background(), args)
	if err != nil {
		return fmt.Errorf("%s: %w", s.query, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", s.query, err)
		}
		if err := take(row); err != nil {
			return err
		}
	}
}
