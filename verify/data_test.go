package verify

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

func TestMissingDataIsNotRun(t *testing.T) {
	for _, c := range []struct{ reason, dir, want string }{
		{"no directory", "", "--data"},
		{"a directory without it", "somewhere", "not in the data directory"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			check := CheckFunc(func(_ context.Context, s Settings) (Trial, error) {
				return nil, fmt.Errorf("loading: %w", &MissingData{File: "a7a.train.libsvm.gz", Dir: s.Data})
			})
			e, err := Judge(context.Background(), check, Settings{Budget: Quick, Alpha: 0.1, Data: c.dir}, empirical.NewPool(1), nil)
			if err != nil {
				t.Fatal(err)
			}
			if e.Verdict != NotRun || e.Data != "a7a.train.libsvm.gz" || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], c.want) {
				t.Errorf("evidence %+v", e)
			}
		})
	}
}
