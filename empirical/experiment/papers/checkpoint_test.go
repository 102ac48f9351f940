package papers

import (
	"path/filepath"
	"strings"
	"testing"
)

// A checkpoint for other rows is rejected.
func TestCheckpointKnowsTheRows(t *testing.T) {
	o := small(t)
	o.Checkpoint = filepath.Join(t.TempDir(), "kept")
	runNamed(t, "prestige/fig-4", o)
	rows := []int{1}
	for i := 1; i < o.Train.Len(); i++ {
		rows = append(rows, i)
	}
	var err error
	if o.Train, err = o.Train.Subset(rows); err != nil {
		t.Fatal(err)
	}
	if _, err := runFig4(t, o); err == nil || !strings.Contains(err.Error(), "other data") {
		t.Errorf("error %v", err)
	}
}
