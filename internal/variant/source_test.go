package variant

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A source tree like musl's: what is configured, made and installed is a
// compiler with its prefix in it.
const toyConfigure = `#!/bin/sh
for a do case $a in --prefix=*) prefix=${a#--prefix=} ;; esac done
cat >Makefile <<'END'
all:
	cp 'SOURCE/VERSION' made
install:
	mkdir -p '$(DESTDIR)PREFIX/bin'
	printf '#!/bin/sh\n# %s\nexec gcc "$$@"\n' "$$(cat made)" >'$(DESTDIR)PREFIX/bin/musl-gcc'
	chmod +x '$(DESTDIR)PREFIX/bin/musl-gcc'
END
sed -i "s|PREFIX|$prefix|; s|SOURCE|${0%/configure}|" Makefile
`

func toyMusl(t *testing.T) string {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "configure"), toyConfigure)
	require.NoError(t, os.Chmod(filepath.Join(dir, "configure"), 0o777))
	put(t, filepath.Join(dir, "VERSION"), "9.9.9\n")
	put(t, filepath.Join(dir, "src/malloc/malloc.c"), "")
	return dir
}

// A source tree is compiled once, outside of itself, and again when it changes.
func TestMuslFromSource(t *testing.T) {
	source := toyMusl(t)
	var said []string
	b := &Builder{Root: t.TempDir(), Say: func(line string) { said = append(said, line) }}
	v := Variant{Name: "musl-src", Libc: "musl", Static: true, Source: source}
	first, err := b.CC(v)
	require.NoError(t, err)
	assert.Contains(t, read(t, first), "# 9.9.9")
	assert.True(t, strings.HasPrefix(first, b.Root))
	again, err := b.CC(v)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Equal(t, []string{"build: musl from " + filepath.Base(source)}, said)
	entries, err := os.ReadDir(source)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "nothing is left in the source tree")

	put(t, filepath.Join(source, "VERSION"), "9.9.10\n")
	second, err := b.CC(v)
	require.NoError(t, err)
	assert.NotEqual(t, first, second)
	assert.Contains(t, read(t, second), "# 9.9.10")
}

func TestMuslFromSourceThatFails(t *testing.T) {
	b := &Builder{Root: t.TempDir()}
	_, err := b.CC(Variant{Name: "musl-src", Libc: "musl", Source: b.Root})
	assert.EqualError(t, err, "build musl-src: "+b.Root+" is no source tree of musl: it holds no configure (MUSL_SRC=an unpacked musl-1.2.5)")
	source := toyMusl(t)
	put(t, filepath.Join(source, "configure"), "#!/bin/sh\necho no compiler here\nexit 1\n")
	_, err = b.CC(Variant{Name: "musl-src", Libc: "musl", Source: source})
	var step *StepError
	require.ErrorAs(t, err, &step)
	assert.Contains(t, err.Error(), "no compiler here")
}
