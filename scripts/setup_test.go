// Package scripts tests the shell scripts of this directory.
package scripts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A machine is a tree with a copy of setup, and the only directory of PATH. The commands in it are real where they do
// not matter, and stubs that write to a log where they do. The tree's path holds a space.
type machine struct {
	t    *testing.T
	tree string
	bin  string
	etc  string
	log  string
	env  []string
}

// The commands that setup may take from the system as they are.
var asTheyAre = []string{
	"awk", "bash", "basename", "cat", "chmod", "cp", "dirname", "env", "find", "flock", "grep", "ln", "mkdir", "mv",
	"readlink", "rm", "rmdir", "sed", "sh", "stat", "tail", "tar", "timeout", "gzip", "touch",
}

// compiles stands for a compiler: it writes a program that ends well.
const compiles = `
while [ $# -gt 1 ]; do
	[ "$1" = -o ] && { printf '#!/bin/sh\nexit 0\n' >"$2"; chmod +x "$2"; }
	shift
done`

// unpacks stands for dpkg-deb -x and -f, with a musl that lies as the packages have it.
const unpacks = `
case $1 in
-f) echo 1.2.3-1 ;;
-x)
	mkdir -p "$3/usr/lib/any-linux-musl" "$3/lib/any-linux-musl" "$3/usr/include/any-linux-musl" "$3/usr/bin"
	echo >"$3/lib/any-linux-musl/libc.so"
	ln -sf any-linux-musl/libc.so "$3/lib/ld-musl-any.so.1"
	echo >"$3/usr/lib/any-linux-musl/libc.a"
	printf '%s\n' '-isystem /usr/include/any-linux-musl -L/usr/lib/any-linux-musl' \
		'-dynamic-linker /lib/ld-musl-any.so.1 %{static:-static}' >"$3/usr/lib/any-linux-musl/musl-gcc.specs"
	;;
esac`

// downloads stands for apt-get of a normal user whose lists are good.
const downloads = `
case "$*" in
*' download musl musl-dev musl-tools') touch musl_1_any.deb musl-dev_1_any.deb musl-tools_1_any.deb ;;
*) exit 100 ;;
esac`

const unresolved = `
echo "Err:1 somewhere"
echo "E: Failed to fetch it  Temporary failure resolving 'somewhere'"
exit 100`

// newMachine is a Debian with everything there, for a normal user.
func newMachine(t *testing.T) *machine {
	t.Helper()
	dir := t.TempDir()
	m := &machine{t: t, tree: dir + "/the tree", bin: dir + "/bin", etc: dir + "/etc", log: dir + "/log"}
	for _, d := range []string{m.tree + "/scripts", m.bin, m.etc + "/parts"} {
		require.NoError(t, os.MkdirAll(d, 0o755))
	}
	script, err := os.ReadFile("setup")
	require.NoError(t, err)
	m.write(m.tree+"/scripts/setup", string(script), 0o755)
	for _, name := range asTheyAre {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("no %s on this machine", name)
		}
		require.NoError(t, os.Symlink(path, m.bin+"/"+name))
	}
	for _, name := range []string{"make", "ld", "ar", "nm", "objdump", "sudo", "bzip2", "xz", "apt-cache", "apt-get", "dpkg"} {
		m.stub(name, "")
	}
	m.stub("gcc", `case $* in -print-file-name=libc.a) echo /usr/lib/libc.a ;; *) `+compiles+` ;; esac`)
	m.stub("musl-gcc", compiles)
	m.stub("go", `[ "$GOTOOLCHAIN" = local ] && echo go version go1.21.0 linux/amd64`)
	m.stub("id", `echo 1000`)
	m.stub("dpkg-query", `echo 4:1.2.3-1+b2`)
	m.stub("dpkg-deb", unpacks)
	m.stub("apt-config", fmt.Sprintf("echo \"list='%[1]s/sources.list'\nparts='%[1]s/parts/'\"", m.etc))
	m.write(m.etc+"/os-release", "ID=debian\nVERSION_CODENAME=bookworm\n", 0o644)
	m.write(m.etc+"/sources.list", "deb http://mirror/debian bookworm main\n", 0o644)
	m.env = []string{"PATH=" + m.bin, "LOG=" + m.log, "OS_RELEASE=" + m.etc + "/os-release"}
	return m
}

func (m *machine) write(path, text string, mode fs.FileMode) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(path, []byte(text), mode))
}

// stub writes a command that logs its call and then does what body says.
func (m *machine) stub(name, body string) {
	m.t.Helper()
	m.remove(name)
	m.write(m.bin+"/"+name, "#!/bin/sh\necho \""+name+" $*\" >>\"$LOG\"\n"+body+"\n", 0o755)
}

// body is a stub without its head.
func body(stub []byte) string {
	return strings.SplitN(string(stub), "\n", 3)[2]
}

func (m *machine) remove(names ...string) {
	m.t.Helper()
	for _, name := range names {
		if err := os.Remove(m.bin + "/" + name); !errors.Is(err, fs.ErrNotExist) {
			require.NoError(m.t, err)
		}
	}
}

// asRoot lets apt-get install provide musl-gcc.
func (m *machine) asRoot() {
	m.stub("id", "echo 0")
	m.remove("musl-gcc")
	m.write(m.bin+"/musl-gcc.new", "#!/bin/sh\n"+compiles, 0o755)
	m.stub("apt-get", `case "$*" in *' install '*musl-tools*) cp "`+m.bin+`/musl-gcc.new" "`+m.bin+`/musl-gcc" ;; esac`)
}

func (m *machine) run(args ...string) (code int, stdout, stderr string) {
	m.t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(m.tree+"/scripts/setup", args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = m.env, m.bin, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(m.t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// calls lists the logged calls of a command, without the options that apt-get always gets.
func (m *machine) calls(name string) []string {
	m.t.Helper()
	text, err := os.ReadFile(m.log)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(m.t, err)
	}
	var calls []string
	for line := range strings.Lines(string(text)) {
		if call, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			if name == "apt-get" {
				for _, option := range aptOptions {
					require.Contains(m.t, call, option)
					call = strings.Replace(call, option+" ", "", 1)
				}
			}
			calls = append(calls, call)
		}
	}
	return calls
}

var aptOptions = []string{
	"-q -y", "-o Acquire::http::Timeout=20", "-o Acquire::https::Timeout=20", "-o Acquire::Retries=1",
	"-o DPkg::Lock::Timeout=60",
}

// untouched: no package was asked for, and nothing lies about.
func (m *machine) untouched() {
	m.t.Helper()
	for _, name := range []string{"apt-get", "apt-cache", "sudo"} {
		require.Empty(m.t, m.calls(name), name)
	}
	require.NoDirExists(m.t, m.tree+"/.toolchain")
}

func TestNothingMissing(t *testing.T) {
	for _, setup := range []string{"", "yes", "no"} {
		m := newMachine(t)
		m.env = append(m.env, "SETUP="+setup)
		code, stdout, stderr := m.run()
		require.Zero(t, code)
		require.Empty(t, stdout+stderr)
		m.untouched()
	}
}

func TestSetupNo(t *testing.T) {
	for command, line := range map[string]string{
		"musl-gcc": "setup: musl-gcc not found (make setup)\n",
		"make":     "setup: make not found (make setup)\n",
		"objdump":  "setup: binutils (ld, ar, nm, objdump) not found (make setup)\n",
		"gcc":      "setup: gcc not found (make setup)\nsetup: static glibc (libc.a) not found (make setup)\n",
		"go":       "setup: go not found (install Go 1.21 or newer: https://go.dev/doc/install)\n",
	} {
		m := newMachine(t)
		m.env = append(m.env, "SETUP=no")
		m.remove(command)
		code, stdout, stderr := m.run()
		require.Equal(t, 1, code, command)
		require.Empty(t, stdout)
		require.Equal(t, line, stderr)
		m.untouched()
	}
}

func TestStaticGlibcMissing(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "SETUP=no")
	m.stub("gcc", "echo libc.a")
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Equal(t, "setup: static glibc (libc.a) not found (make setup)\n", stderr)
}

// A musl-gcc alone is not enough: its archive and its loader are other packages on some systems.
func TestMuslIncomplete(t *testing.T) {
	for _, lacks := range []string{"", "musl-gcc.specs", "libc.a", "ld-musl.so"} {
		m := newMachine(t)
		m.env = append(m.env, "SETUP=no")
		lib := m.etc + "/lib"
		require.NoError(t, os.Mkdir(lib, 0o755))
		m.write(lib+"/musl-gcc.specs", fmt.Sprintf("*link_libgcc:\n-L%[1]s -L .%%s\n\n*link:\n-dynamic-linker %[1]s/ld-musl.so -nostdlib\n", lib), 0o644)
		m.write(lib+"/libc.a", "", 0o644)
		m.write(lib+"/ld-musl.so", "", 0o755)
		m.write(m.bin+"/musl-gcc", "#!/bin/sh\nexec \"${REALGCC:-gcc}\" \"$@\" -specs \""+lib+"/musl-gcc.specs\"\n", 0o755)
		if lacks == "" {
			code, _, stderr := m.run()
			require.Zero(t, code, stderr)
			continue
		}
		require.NoError(t, os.Remove(lib+"/"+lacks))
		code, _, stderr := m.run()
		require.Equal(t, 1, code, lacks)
		require.Equal(t, "setup: static musl (libc.a, specs or loader of musl-gcc) not found (make setup)\n", stderr)
	}
}

func TestGoVersions(t *testing.T) {
	for said, want := range map[string]string{
		"go version go1.21.0 linux/amd64":                          "",
		"go version go1.26rc1 linux/amd64":                         "",
		"go version go2.0 linux/amd64":                             "",
		"go version devel go1.27-0fe3c2b Tue Jan 1 linux/amd64":    "",
		"go version go1.19.8 linux/amd64":                          "setup: go1.19.8 is too old",
		"go version go1.18 gccgo (Debian 12.2.0-14) 12 linux/arm":  "setup: go1.18 is too old",
		"sh: cannot execute binary file: Exec format error (stub)": "setup: go version answers 'sh: cannot execute",
	} {
		m := newMachine(t)
		m.stub("go", `[ "$GOTOOLCHAIN" = local ] && echo "`+said+`"`)
		code, _, stderr := m.run()
		if want == "" {
			require.Zero(t, code, said)
			require.Empty(t, stderr)
			continue
		}
		require.Equal(t, 1, code, said)
		require.True(t, strings.HasPrefix(stderr, want), stderr)
		require.Equal(t, 1, strings.Count(stderr, "\n"))
		m.untouched()
	}
}

func TestRootInstallsWhatIsMissing(t *testing.T) {
	m := newMachine(t)
	m.asRoot()
	code, stdout, stderr := m.run()
	require.Zero(t, code, stderr)
	require.Empty(t, stdout)
	require.Equal(t, "setup: musl-tools 1.2.3 installed\n", stderr)
	require.Equal(t, []string{"install --no-install-recommends musl-tools"}, m.calls("apt-get"))
	require.NoDirExists(t, m.tree+"/.toolchain")

	m = newMachine(t)
	m.asRoot()
	m.remove("make", "ar")
	code, _, stderr = m.run()
	require.Zero(t, code, stderr)
	require.Equal(t, "setup: make 1.2.3, binutils 1.2.3, musl-tools 1.2.3 installed\n", stderr)
	require.Equal(t, []string{"install --no-install-recommends make binutils musl-tools"}, m.calls("apt-get"))
}

// Without Go the rest is done, and the exit code tells.
func TestRootWithoutGo(t *testing.T) {
	m := newMachine(t)
	m.asRoot()
	m.remove("go")
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "setup: go not found")
	require.Contains(t, stderr, "setup: musl-tools 1.2.3 installed\n")
}

func TestRootUpdatesUnknownPackages(t *testing.T) {
	m := newMachine(t)
	m.asRoot()
	m.stub("apt-cache", "exit 100")
	// Of several archives one does not answer: what counts is whether the package comes.
	apt, err := os.ReadFile(m.bin + "/apt-get")
	require.NoError(t, err)
	m.stub("apt-get", "case \"$*\" in *' update') exit 100 ;; esac\n"+body(apt))
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)
	require.Equal(t, []string{"update", "install --no-install-recommends musl-tools"}, m.calls("apt-get"))
}

func TestRootUpdatesOldLists(t *testing.T) {
	m := newMachine(t)
	m.asRoot()
	m.stub("apt-get", `
case "$*" in
*' update') touch "$LOG.updated" ;;
*) [ -e "$LOG.updated" ] || { echo 'E: Failed to fetch it  404  Not Found'; exit 100; }
	cp "`+m.bin+`/musl-gcc.new" "`+m.bin+`/musl-gcc" ;;
esac`)
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)
	install := "install --no-install-recommends musl-tools"
	require.Equal(t, []string{install, "update", install}, m.calls("apt-get"))
}

func TestRootWithoutNetwork(t *testing.T) {
	m := newMachine(t)
	m.asRoot()
	m.stub("apt-get", unresolved)
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Equal(t, `setup: install musl-tools: apt-get failed (check the network, or as root: apt-get update && apt-get install musl-tools)
  E: Failed to fetch it  Temporary failure resolving 'somewhere'
`, stderr)
	require.Len(t, m.calls("apt-get"), 1)
	require.NoDirExists(t, m.tree+"/.toolchain")
}

func TestRootGetsCompilerThatDoesNotWork(t *testing.T) {
	m := newMachine(t)
	m.asRoot()
	m.write(m.bin+"/musl-gcc.new", "#!/bin/sh\necho no crt1.o >&2\nexit 1\n", 0o755)
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "musl-gcc -static: int main(void) { return 0; } does not compile or run\n  no crt1.o\n")
	require.NotContains(t, stderr, "installed")
}

// user is a machine without musl, whose user is nobody special.
func user(t *testing.T) *machine {
	m := newMachine(t)
	m.remove("musl-gcc")
	m.stub("apt-get", downloads)
	return m
}

func TestUserUnpacksMusl(t *testing.T) {
	m := user(t)
	code, stdout, stderr := m.run()
	require.Zero(t, code, stderr)
	require.Empty(t, stdout)
	require.Equal(t, "setup: musl-tools 1.2.3 unpacked in .toolchain\n", stderr)
	require.Equal(t, []string{"download musl musl-dev musl-tools"}, m.calls("apt-get"))
	require.Empty(t, m.calls("sudo"))
	require.Empty(t, m.calls("apt-config"))

	musl := m.tree + "/.toolchain/musl"
	specs, err := os.ReadFile(musl + "/musl-gcc.specs")
	require.NoError(t, err)
	require.Equal(t, `-isystem %:getenv(LIBCOST_MUSL /usr/include/any-linux-musl) -L%:getenv(LIBCOST_MUSL /usr/lib/any-linux-musl)
-dynamic-linker %:getenv(LIBCOST_MUSL /lib/ld-musl-any.so.1) %{static:-static}
`, string(specs))
	// One directory holds the archive and the shared library, as on a system whose /lib is /usr/lib.
	require.FileExists(t, musl+"/usr/lib/any-linux-musl/libc.so")
	require.FileExists(t, musl+"/usr/lib/any-linux-musl/libc.a")
	require.FileExists(t, musl+"/lib/ld-musl-any.so.1")
	require.NoDirExists(t, m.tree+"/.toolchain/tmp")

	m.stub("apt-get", "exit 1")
	before := len(m.calls("gcc"))
	code, _, stderr = m.run()
	require.Zero(t, code)
	require.Empty(t, stderr)
	require.Len(t, m.calls("gcc"), before+1, "the check of an install is made after an install only")
}

// The compiler in the tree comes before the one in PATH.
func TestTreeComesFirst(t *testing.T) {
	m := user(t)
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)
	m.stub("musl-gcc", compiles)
	require.NoError(t, os.RemoveAll(m.tree+"/.toolchain/musl"))
	m.env = append(m.env, "SETUP=no")
	code, _, _ = m.run()
	require.Equal(t, 1, code)
}

func TestUserWithoutLists(t *testing.T) {
	m := user(t)
	m.stub("apt-get", `
case "$*" in
*-c\ *' update') ;;
*-c\ *' download musl musl-dev musl-tools')`+strings.ReplaceAll(downloads, "esac", "esac;;")+`
*) echo 'E: Unable to locate package musl'; exit 100 ;;
esac`)
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)
	require.Equal(t, "setup: musl-tools 1.2.3 unpacked in .toolchain\n", stderr)
	conf := "-c " + m.tree + "/.toolchain/tmp/apt/apt.conf "
	require.Equal(t, []string{
		"download musl musl-dev musl-tools", conf + "update", conf + "download musl musl-dev musl-tools",
	}, m.calls("apt-get"))
	require.Empty(t, m.calls("sudo"))
}

func TestUserNeedsRootForTheCompiler(t *testing.T) {
	m := user(t)
	m.remove("gcc", "make")
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Equal(t, "setup: make, gcc, static glibc (libc.a) not found "+
		"(as root: apt-get install -y --no-install-recommends make gcc libc6-dev)\n", stderr)
	m.untouched()
}

func TestUserWithoutNetwork(t *testing.T) {
	m := user(t)
	m.stub("apt-get", unresolved)
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Equal(t, `setup: fetch musl musl-dev musl-tools: apt-get failed (check the network, or as root: apt-get install musl musl-dev musl-tools)
  E: Failed to fetch it  Temporary failure resolving 'somewhere'
`, stderr)
	require.Len(t, m.calls("apt-get"), 1)
	require.NoDirExists(t, m.tree+"/.toolchain")
}

func TestUserWithSilentMirror(t *testing.T) {
	m := user(t)
	m.stub("timeout", "exit 124")
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "E: connection timed out: no file within 60 s\n")
	require.Len(t, m.calls("timeout"), 1)
	require.NoDirExists(t, m.tree+"/.toolchain")
}

// What does not work, or came only in part, is not kept.
func TestUserKeepsNothingBroken(t *testing.T) {
	for name, stub := range map[string]string{
		"gcc":      "case $* in -print-file-name=libc.a) echo /usr/lib/libc.a ;; *) exit 1 ;; esac",
		"dpkg-deb": "exit 2",
	} {
		m := user(t)
		m.stub(name, stub)
		code, _, stderr := m.run()
		require.Equal(t, 1, code, name)
		require.NotEmpty(t, stderr)
		require.NoDirExists(t, m.tree+"/.toolchain", name)
	}
}

func TestTreeOfSomebodyElse(t *testing.T) {
	m := user(t)
	m.write(m.tree+"/.toolchain", "", 0o644) // root could write into any directory
	code, _, stderr := m.run()
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "/.toolchain can't be written by ")
	require.Empty(t, m.calls("apt-get"))
}

func TestWaitsForAnotherRun(t *testing.T) {
	m := user(t)
	m.stub("flock", `[ "$1" = -n ] && exit 1; [ "$1" = -w ]`)
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)
	require.Equal(t, []string{"-n 9", "-w 300 9"}, m.calls("flock"))
	require.Contains(t, stderr, "setup: waiting for another scripts/setup\n")

	m = user(t)
	m.stub("flock", `exit 1`)
	code, _, stderr = m.run()
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "setup: another scripts/setup has not ended in 5 minutes\n")
	require.NoDirExists(t, m.tree+"/.toolchain")

	// What the other run brought while this one waited is not fetched again.
	m = user(t)
	m.write(m.bin+"/musl-gcc.new", "#!/bin/sh\n", 0o755)
	m.stub("flock", `cp "`+m.bin+`/musl-gcc.new" "`+m.bin+`/musl-gcc"`)
	code, _, stderr = m.run()
	require.Zero(t, code, stderr)
	require.Empty(t, m.calls("apt-get"))

	m = newMachine(t)
	m.stub("flock", `mkdir -p "`+m.tree+`/.toolchain/src/jemalloc-5" && touch "`+m.tree+`/.toolchain/src/jemalloc-5/configure"`)
	code, stdout, _ := m.run("jemalloc")
	require.Zero(t, code)
	require.Equal(t, m.tree+"/.toolchain/src/jemalloc-5\n", stdout)
	require.Empty(t, m.calls("apt-get"))
}

func TestUserRepairsDamagedTree(t *testing.T) {
	m := user(t)
	for _, leftover := range []string{"bin", "tmp/new/musl", "musl/usr"} {
		require.NoError(t, os.MkdirAll(m.tree+"/.toolchain/"+leftover, 0o755))
	}
	m.write(m.tree+"/.toolchain/bin/musl-gcc", "#!/bin/sh\nexit 1\n", 0o755)
	m.write(m.tree+"/.toolchain/tmp/musl-old_1_any.deb", "half of it", 0o644)
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)
	require.Equal(t, "setup: musl-tools 1.2.3 unpacked in .toolchain\n", stderr)
	require.Equal(t, 3, len(m.calls("dpkg-deb"))-1, "three packages, and one question for a version")
	m.env = append(m.env, "SETUP=no")
	code, _, stderr = m.run()
	require.Zero(t, code, stderr)
}

func TestRootRepairsDamagedTree(t *testing.T) {
	m := newMachine(t)
	m.asRoot()
	require.NoError(t, os.MkdirAll(m.tree+"/.toolchain/bin", 0o755))
	m.write(m.tree+"/.toolchain/bin/musl-gcc", "#!/bin/sh\nexit 1\n", 0o755)
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)
	code, _, stderr = m.run()
	require.Zero(t, code)
	require.Empty(t, stderr)
}

func TestOtherSystems(t *testing.T) {
	for id, want := range map[string]string{
		"ID=fedora":                     "setup: make, static glibc (libc.a), musl-gcc not found (as root: dnf install make glibc-devel glibc-static musl-gcc musl-libc-static)\n",
		"ID=rocky\nID_LIKE='rhel rest'": "setup: make, static glibc (libc.a), musl-gcc not found (as root: dnf install make glibc-devel glibc-static musl-gcc musl-libc-static)\n",
		"ID=arch":                       "setup: make, static glibc (libc.a), musl-gcc not found (as root: pacman -S make glibc musl)\n",
		"ID=alpine":                     "setup: Alpine is not supported: it has no glibc to compare with (use Debian, Ubuntu, Fedora or Arch)\n",
		"ID=other":                      "setup: make, static glibc (libc.a), musl-gcc not found (install with your package manager)\n",
	} {
		m := newMachine(t)
		m.remove("apt-get", "dpkg", "make", "musl-gcc")
		m.stub("gcc", "echo libc.a")
		m.write(m.etc+"/os-release", id+"\n", 0o644)
		code, stdout, stderr := m.run()
		require.Equal(t, 1, code, id)
		require.Empty(t, stdout)
		require.Equal(t, want, stderr)
		m.untouched()

		code, _, stderr = m.run("mimalloc")
		require.Equal(t, 1, code, id)
		require.Equal(t, "setup: source of mimalloc: only fetched with apt (unpack it yourself and set MIMALLOC_SRC=dir)\n", stderr)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"tcmalloc"}, {"mimalloc", "jemalloc"}, {"-x"}} {
		m := newMachine(t)
		code, stdout, stderr := m.run(args...)
		require.Equal(t, 2, code, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "usage: scripts/setup [mimalloc|jemalloc]\n")
		m.untouched()
	}
	m := newMachine(t)
	m.env = append(m.env, "SETUP=0")
	code, _, stderr := m.run()
	require.Equal(t, 2, code)
	require.Equal(t, "setup: SETUP=0: no, yes or nothing\n", stderr)
}

func TestGivenSource(t *testing.T) {
	for name, mark := range map[string]string{"mimalloc": "src/static.c", "jemalloc": "autogen.sh"} {
		m := newMachine(t)
		dir := m.etc + "/a source"
		variable := strings.ToUpper(name) + "_SRC"
		m.env = append(m.env, variable+"="+dir)

		code, stdout, stderr := m.run(name)
		require.Equal(t, 1, code)
		require.Empty(t, stdout)
		require.Equal(t, "setup: "+variable+"="+dir+": not an unpacked source tree of "+name+"\n", stderr)

		require.NoError(t, os.MkdirAll(filepath.Dir(dir+"/"+mark), 0o755))
		m.write(dir+"/"+mark, "", 0o644)
		code, stdout, stderr = m.run(name)
		require.Zero(t, code)
		require.Equal(t, dir+"\n", stdout)
		require.Empty(t, stderr)
		m.untouched()
	}
}

func TestSourceThereAlready(t *testing.T) {
	m := newMachine(t)
	dir := m.tree + "/.toolchain/src/jemalloc-5.3.0"
	require.NoError(t, os.MkdirAll(dir, 0o755))
	m.write(dir+"/configure", "", 0o755)
	m.env = append(m.env, "SETUP=no")
	code, stdout, stderr := m.run("jemalloc")
	require.Zero(t, code)
	require.Equal(t, dir+"\n", stdout)
	require.Empty(t, stderr)
	require.Empty(t, m.calls("apt-get"))
}

func TestSourceSetupNo(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "SETUP=no")
	code, stdout, stderr := m.run("mimalloc")
	require.Equal(t, 1, code)
	require.Empty(t, stdout)
	require.Equal(t, "setup: source of mimalloc not found (scripts/setup mimalloc, or MIMALLOC_SRC=dir)\n", stderr)
	m.untouched()
}

// serve lets apt-get find the archive of a mimalloc whose files lie under dir.
func (m *machine) serve(dir string) {
	m.t.Helper()
	from := m.etc + "/archive"
	require.NoError(m.t, os.MkdirAll(from+"/"+dir+"/src", 0o755))
	m.write(from+"/"+dir+"/src/static.c", "", 0o644)
	m.write(from+"/"+dir+"/readme.md", "", 0o644)
	top := "."
	if dir != "" {
		top = dir
	}
	cmd := exec.Command("tar", "-C", from, "-czf", m.etc+"/it.tar.gz", top)
	out, err := cmd.CombinedOutput()
	require.NoError(m.t, err, string(out))
	m.stub("apt-get", `
case "$*" in
*' update') ;;
*' source --download-only --tar-only --only-source mimalloc') cp "`+m.etc+`/it.tar.gz" ./mimalloc_2.0.9.orig.tar.gz ;;
*) exit 100 ;;
esac`)
}

func TestFetchSource(t *testing.T) {
	for _, dir := range []string{"mimalloc-of-upstream", ""} {
		for _, id := range []string{"0", "1000"} {
			m := newMachine(t)
			m.stub("id", "echo "+id)
			m.serve(dir)
			// What a killed run left is not a source tree.
			require.NoError(t, os.MkdirAll(m.tree+"/.toolchain/tmp/tree/mimalloc-2.0.9/src", 0o755))
			m.write(m.tree+"/.toolchain/tmp/tree/mimalloc-2.0.9/src/static.c", "half", 0o644)

			code, stdout, stderr := m.run("mimalloc")
			require.Zero(t, code, stderr)
			want := m.tree + "/.toolchain/src/mimalloc-2.0.9"
			require.Equal(t, want+"\n", stdout)
			require.Equal(t, "setup: fetching the source of mimalloc\nsetup: mimalloc 2.0.9 unpacked in .toolchain/src\n", stderr)
			require.FileExists(t, want+"/src/static.c")
			require.FileExists(t, want+"/readme.md")
			require.NoDirExists(t, m.tree+"/.toolchain/tmp")
			conf := "-c " + m.tree + "/.toolchain/tmp/apt/apt.conf "
			require.Equal(t, []string{
				conf + "update", conf + "source --download-only --tar-only --only-source mimalloc",
			}, m.calls("apt-get"))

			code, again, stderr := m.run("mimalloc")
			require.Zero(t, code)
			require.Equal(t, stdout, again)
			require.Empty(t, stderr)
			require.Len(t, m.calls("apt-get"), 2)
		}
	}
}

// The private apt reads and writes nothing of the host's but its keys, its proxy and its pins.
func TestPrivateApt(t *testing.T) {
	m := newMachine(t)
	m.stub("apt-get", `cp "`+m.tree+`/.toolchain/tmp/apt/apt.conf" "$LOG.conf"; exit 100`)
	_, _, _ = m.run("mimalloc")
	conf, err := os.ReadFile(m.log + ".conf")
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(`Dir::State "TMP";
Dir::State::lists "TMP/lists";
Dir::State::status "TMP/status";
Dir::Cache "TMP/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "TMP/sources.d";
APT::Sandbox::User "root";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`, "TMP", m.tree+"/.toolchain/tmp/apt"), string(conf))
}

func TestFetchSourceFails(t *testing.T) {
	for name, c := range map[string]struct {
		apt  string
		want string
	}{
		"no network": {unresolved,
			"setup: fetch the source of mimalloc: apt-get failed (check the network, or unpack it yourself and set MIMALLOC_SRC=dir)\n" +
				"  E: Failed to fetch it  Temporary failure resolving 'somewhere'\n"},
		"torn archive": {`case "$*" in *' source '*) echo torn >mimalloc_2.0.9.orig.tar.gz ;; esac`,
			"setup: unpack mimalloc_2.0.9.orig.tar.gz: tar failed\n"},
		"another program": {`case "$*" in *' source '*) mkdir other; tar -czf mimalloc_2.0.9.orig.tar.gz other ;; esac`,
			"setup: mimalloc_2.0.9.orig.tar.gz holds no source tree of mimalloc (set MIMALLOC_SRC=dir)\n"},
	} {
		m := newMachine(t)
		m.stub("apt-get", c.apt)
		code, stdout, stderr := m.run("mimalloc")
		require.Equal(t, 1, code, name)
		require.Empty(t, stdout, name)
		require.Contains(t, stderr, c.want, name)
		require.NoDirExists(t, m.tree+"/.toolchain", name)
	}
}

// tar needs bzip2 and xz for the archives that distributions have.
func TestUnpackers(t *testing.T) {
	m := newMachine(t)
	m.serve("mimalloc")
	m.remove("bzip2", "xz")
	m.stub("id", "echo 0")
	apt, err := os.ReadFile(m.bin + "/apt-get")
	require.NoError(t, err)
	m.stub("apt-get", "case \"$*\" in *' install '*) exit 0 ;; esac\n"+body(apt))
	code, _, stderr := m.run("mimalloc")
	require.Zero(t, code, stderr)
	require.Equal(t, "install --no-install-recommends bzip2 xz-utils", m.calls("apt-get")[0])
	require.Contains(t, stderr, "setup: bzip2 1.2.3, xz-utils 1.2.3 installed\n")

	m = newMachine(t)
	m.serve("mimalloc")
	m.remove("xz")
	apt, err = os.ReadFile(m.bin + "/apt-get")
	require.NoError(t, err)
	m.stub("apt-get", "case \"$*\" in *' download bzip2 xz-utils') touch xz-utils_5_any.deb; exit 0 ;; esac\n"+
		body(apt))
	m.stub("dpkg-deb", `mkdir -p "$3/usr/bin" && touch "$3/usr/bin/xz" && chmod +x "$3/usr/bin/xz"`)
	code, _, stderr = m.run("mimalloc")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "setup: bzip2 and xz-utils unpacked in .toolchain\n")
	require.FileExists(t, m.tree+"/.toolchain/tools/usr/bin/xz")
	require.Empty(t, m.calls("sudo"))

	require.NoError(t, os.RemoveAll(m.tree+"/.toolchain/src"))
	code, _, stderr = m.run("mimalloc")
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "bzip2", "they are there by now")
}

// Sources of the host on the left, what the private apt gets of them on the right.
func TestDeriveSources(t *testing.T) {
	for name, c := range map[string]struct{ release, list, deb822, more, want string }{
		"one line": {
			list: "# a comment\n" +
				"deb http://mirror/debian bookworm main non-free-firmware # not universe\n" +
				"deb http://mirror/debian bookworm-updates main\n" +
				"deb http://mirror/debian trixie main\n" +
				"# deb http://mirror/off bookworm main\n" +
				"deb-src http://mirror/src bookworm main\n" +
				"deb cdrom:[Debian-12]/ bookworm main\n" +
				"deb http://browser/linux stable main\n",
			want: "Types: deb-src\nTargets: Sources\nSuites: bookworm\nComponents: main\nURIs: http://mirror/debian\n",
		},
		"one line with options": {
			list: "deb [arch=amd64,arm64 signed-by=/usr/share/keyrings/a.gpg lang=en] http://mirror/debian bookworm main\n",
			want: "Types: deb-src\nTargets: Sources\nSuites: bookworm\nComponents: main\nURIs: http://mirror/debian\n" +
				"Architectures: amd64 arm64\nsigned-by: /usr/share/keyrings/a.gpg\n",
		},
		"deb822": {
			deb822: "# a comment\nTypes: deb deb-src\nURIs: http://mirror/debian\n http://other/debian\n" +
				"Suites: bookworm bookworm-updates\nComponents: main contrib\nLanguages: none\n" +
				"Signed-By: /usr/share/keyrings/a.gpg\n\n" +
				"Types: deb\nURIs: http://mirror/security\nSuites: bookworm-security\nComponents: main\n\n" +
				"Types: deb-src\nURIs: http://mirror/src\nSuites: bookworm\nComponents: main\n\n" +
				"Enabled: no\nTypes: deb\nURIs: http://mirror/off\nSuites: bookworm\nComponents: main\n",
			want: "Types: deb-src\nTargets: Sources\nSuites: bookworm\nComponents: main\nURIs: http://mirror/debian\n" +
				" http://other/debian\nSigned-By: /usr/share/keyrings/a.gpg\n",
		},
		"deb822 with a key in it": {
			deb822: "types: deb\nuris: http://mirror/debian\nsuites:\n bookworm\ncomponents: main\nsigned-by:\n" +
				" -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBF\n -----END PGP PUBLIC KEY BLOCK-----\n",
			want: "Types: deb-src\nTargets: Sources\nSuites: bookworm\nComponents: main\nuris: http://mirror/debian\n" +
				"signed-by:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBF\n -----END PGP PUBLIC KEY BLOCK-----\n",
		},
		"several files": {
			list:   "deb http://mirror/one bookworm main",
			deb822: "Types: deb\nURIs: http://mirror/two\nSuites: bookworm\nComponents: main",
			more:   "Types: deb\nURIs: http://mirror/three\nSuites: bookworm\nComponents: main",
			want: "Types: deb-src\nTargets: Sources\nSuites: bookworm\nComponents: main\nURIs: http://mirror/one\n\n" +
				"Types: deb-src\nTargets: Sources\nSuites: bookworm\nComponents: main\nURIs: http://mirror/two\n\n" +
				"Types: deb-src\nTargets: Sources\nSuites: bookworm\nComponents: main\nURIs: http://mirror/three\n",
		},
		"Ubuntu has them in universe": {
			release: "ID=ubuntu\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n",
			list:    "deb http://mirror/ubuntu noble main restricted\ndeb http://mirror/ubuntu noble universe multiverse\n",
			want: "Types: deb-src\nTargets: Sources\nSuites: noble\nComponents: main\nURIs: http://mirror/ubuntu\n\n" +
				"Types: deb-src\nTargets: Sources\nSuites: noble\nComponents: universe\nURIs: http://mirror/ubuntu\n",
		},
		"a derivative is an Ubuntu underneath": {
			release: "ID=linuxmint\nID_LIKE='ubuntu debian'\nVERSION_CODENAME=xia\nUBUNTU_CODENAME=noble\n",
			list:    "deb http://mirror/mint xia upstream\ndeb http://mirror/ubuntu noble main\ndeb http://other/x any main\n",
			want:    "Types: deb-src\nTargets: Sources\nSuites: noble\nComponents: main\nURIs: http://mirror/ubuntu\n",
		},
		"sid is called forky by itself": {
			release: "ID=debian\nVERSION_CODENAME=forky\n",
			list:    "deb http://other/x any main\n",
			deb822:  "Types: deb\nURIs: http://mirror/debian\nSuites: sid\nComponents: main\n",
			want:    "Types: deb-src\nTargets: Sources\nSuites: sid\nComponents: main\nURIs: http://mirror/debian\n",
		},
		"no name that is known": {
			release: "ID=debian\n",
			list:    "deb http://mirror/debian snapshot main\n",
			want:    "Types: deb-src\nTargets: Sources\nSuites: snapshot\nComponents: main\nURIs: http://mirror/debian\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(m.etc+"/sources.list", c.list, 0o644)
			m.write(m.etc+"/parts/it.sources", c.deb822, 0o644)
			m.write(m.etc+"/parts/more.sources", c.more, 0o644)
			m.write(m.etc+"/parts/it.sources.disabled", "Types: deb\nURIs: http://mirror/no\nSuites: bookworm\nComponents: main\n", 0o644)
			if c.release != "" {
				m.write(m.etc+"/os-release", c.release, 0o644)
			}
			m.env = append(m.env, "UBUNTU_CODENAME=trixie") // of the caller, not of os-release
			m.stub("apt-get", `cp "`+m.tree+`/.toolchain/tmp/apt/sources.d/host.sources" "$LOG.derived"; exit 100`)
			_, _, stderr := m.run("jemalloc")
			got, err := os.ReadFile(m.log + ".derived")
			require.NoError(t, err, stderr)
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestNoSources(t *testing.T) {
	m := newMachine(t)
	require.NoError(t, os.Remove(m.etc+"/sources.list"))
	code, _, stderr := m.run("jemalloc")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "setup: no package sources in the apt configuration")

	m.write(m.etc+"/sources.list", "deb http://mirror/debian ./\n", 0o644)
	code, _, stderr = m.run("jemalloc")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "setup: no package sources with a component main in the apt configuration")
	require.Empty(t, m.calls("apt-get"))
}

// The rewritten compiler, with the real gcc and musl of this machine: programs run out of a path with a space in it, and
// the compiler does after a move.
func TestRewrittenCompiler(t *testing.T) {
	specs, err := filepath.Glob("/usr/lib/*-linux-musl/musl-gcc.specs")
	require.NoError(t, err)
	if len(specs) == 0 {
		t.Skip("no musl of a Debian or Ubuntu package on this machine")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc on this machine")
	}
	name := filepath.Base(filepath.Dir(specs[0]))
	loaders, err := filepath.Glob("/lib/ld-musl-*.so.1")
	require.NoError(t, err)
	require.NotEmpty(t, loaders)

	m := user(t)
	for _, tool := range []string{"gcc", "ld", "ar", "nm", "objdump"} {
		m.remove(tool)
	}
	m.env[0] = "PATH=" + m.bin + ":" + filepath.Dir(gcc)
	m.write(m.bin+"/musl-gcc", "#!/bin/sh\nexec gcc -specs \"/nowhere/musl-gcc.specs\"\n", 0o755) // hides the real one
	// As the packages have it: the shared library under lib, the rest under usr/lib.
	m.stub("dpkg-deb", `
[ "$1" = -x ] || { echo 1.2.3-1; exit 0; }
mkdir -p "$3/usr/lib" "$3/usr/include" "$3/lib/`+name+`"
cp -r "/usr/lib/`+name+`" "$3/usr/lib"
cp -r "/usr/include/`+name+`" "$3/usr/include"
rm -f "$3/usr/lib/`+name+`/libc.so"
cp "/usr/lib/`+name+`/libc.so" "$3/lib/`+name+`"
ln -sf "`+name+`/libc.so" "$3/lib/`+filepath.Base(loaders[0])+`"`)
	code, _, stderr := m.run()
	require.Zero(t, code, stderr)

	moved := filepath.Dir(m.tree) + "/moved to here"
	require.NoError(t, os.Rename(m.tree, moved))
	for _, flag := range []string{"-static", "-O2"} {
		program := moved + "/a program"
		m.write(moved+"/a.c", "#include <stdio.h>\nint main(void) { return puts(\"hello\") < 0; }\n", 0o644)
		cmd := exec.Command(moved+"/.toolchain/bin/musl-gcc", flag, "-o", program, moved+"/a.c")
		cmd.Env = append(m.env, "TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		out, err = exec.Command(program).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, "hello\n", string(out))
		binary, err := os.ReadFile(program)
		require.NoError(t, err)
		require.Equal(t, flag != "-static", strings.Contains(string(binary), moved+"/.toolchain/musl/lib/ld-musl"), flag)
		require.NotContains(t, string(binary), "/lib64/ld-linux")
	}
}
