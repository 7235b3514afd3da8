package gang

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nothing is planted that a variant does not ask for.
func TestPlantedOps(t *testing.T) {
	for flag, ops := range map[string]string{"-DNDEBUG": "1000\n", "-DLIBCOST_PLANT=5": "1050\n", "-DLIBCOST_PLANT=0": "1000\n"} {
		bin := filepath.Join(t.TempDir(), "plant")
		out, err := exec.Command("gcc", "-O2", "-Wall", "-I.", flag, "testdata/plant.c", "-o", bin).CombinedOutput()
		require.NoError(t, err, "%s", out)
		out, err = exec.Command(bin).Output()
		require.NoError(t, err)
		assert.Equal(t, ops, string(out), flag)
	}
}
