package kv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The ways through the program that share the least.
var ways = []string{
	"-nodes 3 -snapshot 100 -clients 16", "-thread-a-client -reads 50 -filled -order hot -keys 200 -snapshot 200",
	"-commit serial -workers 0 -order uniform", "-commit serial -workers 3 -nodes 3", "-workers 0 -reads 50 -filled -value 30000 -keys 50 -n 200",
	"-rate 20000 -threads 3 -wait-us 100", "-echo",
}

func TestSanitizers(t *testing.T) {
	for _, s := range []string{"address,undefined", "thread"} {
		t.Run(s, func(t *testing.T) {
			flags := "-O1 -g -fno-omit-frame-pointer -fsanitize=" + s + " -fno-sanitize-recover=all"
			probe := filepath.Join(t.TempDir(), "probe.c")
			require.NoError(t, os.WriteFile(probe, []byte("int main(void) { return 0; }\n"), 0o666))
			args := append(strings.Fields(flags), "-o", probe+".out", probe)
			if said, err := exec.Command(compiler(t, "gcc"), args...).CombinedOutput(); err != nil {
				t.Skipf("gcc has no such sanitizer: %s", said)
			}
			// The thread sanitizer of gcc 12 does not know the address space of newer kernels.
			var before []string
			if exec.Command(probe+".out").Run() != nil {
				before = []string{"setarch", "-R"}
				if said, err := exec.Command("setarch", "-R", probe+".out").CombinedOutput(); err != nil {
					t.Skipf("it does not run here: %v: %s", err, said)
				}
			}
			server := build{name: "server-" + s, cc: compiler(t, "gcc"), cflags: flags, ldflags: "-fsanitize=" + s}.make(t)
			load := build{name: "client-" + s, cflags: flags, client: true}.make(t)
			for _, w := range ways {
				args := append(before, load, "-server", server, "-dir", t.TempDir(), "-json", filepath.Join(t.TempDir(), "json"), "-n", "600")
				args = append(args, strings.Fields(w)...)
				e := run(t, args[0], args[1:]...)
				metrics(t, e)
				require.Empty(t, e.stderr, w)
			}
			dir := t.TempDir()
			args = append(before, load, "-server", server, "-dir", dir, "-keep", "-acked", dir+"/acked", "-n", "300", "-snapshot", "90")
			metrics(t, run(t, args[0], args[1:]...))
			args = append(before, server, "-replay", "-dir", node(dir, 1), "-acked", dir+"/acked")
			e := run(t, args[0], args[1:]...)
			require.Zero(t, e.code, e.stderr)
			require.Empty(t, e.stderr)
		})
	}
}

func TestValgrind(t *testing.T) {
	path, err := exec.LookPath("valgrind")
	if err != nil {
		t.Skip("valgrind is not installed")
	}
	wrapper := filepath.Join(t.TempDir(), "server")
	server := build{name: "gnu-debug", cc: compiler(t, "gcc"), cflags: "-O1 -g"}.make(t)
	script := "#!/bin/sh\nexec " + path + " -q --error-exitcode=9 --leak-check=full --show-leak-kinds=all " + server + " \"$@\"\n"
	require.NoError(t, os.WriteFile(wrapper, []byte(script), 0o777))
	if said, err := exec.Command(wrapper, "-h").CombinedOutput(); err != nil {
		t.Skipf("valgrind does not run here: %v: %s", err, said)
	}
	for _, w := range ways {
		e := load(t, wrapper, "-n 200 "+w)
		metrics(t, e)
		require.Empty(t, e.stderr, w)
	}
}
