package gang

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHistogram(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "histogram")
	out, err := exec.Command("gcc", "-O2", "-Wall", "-fsanitize=undefined", "-fno-sanitize-recover", "-I.", "testdata/histogram.c", "histogram.c", "-o", bin).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(bin).CombinedOutput()
	assert.NoError(t, err, "%s", out)
}
