package workload

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"libcost/internal/variant"
)

// Each function that can be wrapped compiles, and its calls are counted: a
// program that calls each of them once counts one in its slot.
func TestWrappersCount(t *testing.T) {
	b := &Builder{Dir: t.TempDir(), Variants: &variant.Builder{Root: root(t)}}
	functions, err := b.Wrappable()
	require.NoError(t, err)
	require.Greater(t, len(functions), 20)
	dir := t.TempDir()
	source := filepath.Join(dir, "main.c")
	require.NoError(t, os.WriteFile(source, []byte(`
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <fcntl.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
char a[64] = "text", c[64];
int main(void)
{
	int fd = open("/dev/null", O_RDWR);
	void *p = malloc(9), *q = calloc(3, 3);
	p = realloc(p, 900);
	free(p);
	memcpy(c, a, 9), memmove(c, a, 9), memset(c, 0, 9);
	int n = memcmp(a, c, 9) + bcmp(a, c, 9) + strcmp(a, c) + strncmp(a, c, 3);
	n += memchr(a, 'x', 9) != 0, n += strlen(a) + strcspn(a, "x") + strspn(a, "t");
	n += strchr(a, 'x') != 0, n += strrchr(a, 't') != 0;
	pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
	n += write(fd, a, 1) + pwrite(fd, a, 1, 0) + read(fd, c, 1) + pread(fd, c, 1, 0) + fsync(fd) + fdatasync(fd);
	return n == 12345 && q;
}`), 0o666))
	args := []string{"-O0", "-fno-builtin", source, "-o", filepath.Join(dir, "main"), "-pthread"}
	for slot, f := range functions {
		object, flag, err := b.Wrap(Wrapper{Function: f, Slot: slot}, variant.Variant{Name: "gnu", Libc: "gnu"})
		require.NoError(t, err)
		args = append(args, object, flag)
	}
	out, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	file := filepath.Join(dir, "counts")
	require.NoError(t, os.WriteFile(file, make([]byte, CountsSize), 0o666))
	cmd := exec.Command(filepath.Join(dir, "main"))
	cmd.Env = []string{CountsEnv + "=" + file}
	require.NoError(t, cmd.Run())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for slot, f := range functions {
		assert.Equal(t, uint64(1), binary.NativeEndian.Uint64(text[8*slot:]), f)
	}
	_, _, err = b.Wrap(Wrapper{Function: "no_such"}, variant.Variant{Name: "gnu", Libc: "gnu"})
	assert.ErrorContains(t, err, "wrap no_such")
	assert.True(t, slices.Contains(functions, "pthread_mutex_lock"))
}
