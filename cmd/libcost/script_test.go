package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"libcost": main})
}

// TestScript runs the command as a person does: arguments, both outputs, exit
// code. Scripts start outside the tree; $ROOT is the tree.
func TestScript(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			libcost, err := exec.LookPath("libcost")
			if err != nil {
				return err
			}
			env.Setenv("ROOT", root)
			env.Setenv("LIBCOST", libcost)
			// What the go command needs to build.
			for _, key := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOTOOLCHAIN"} {
				if value, ok := os.LookupEnv(key); ok {
					env.Setenv(key, value)
				}
			}
			return nil
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "musl-in-tree":
				_, err := os.Stat(filepath.Join(root, ".toolchain", "bin", "musl-gcc"))
				return err == nil, nil
			}
			return false, errors.New("unknown condition")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command that ends with this exit code: exits 2 libcost rnu
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [arg...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s", got, want, ts.ReadFile("stderr"))
	}
}
