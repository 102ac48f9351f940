package verify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

func TestMissingDataIsNotRun(t *testing.T) {
	for _, c := range []struct{ reason, dir, want string }{
		{"no directory", "", "--data"},
		{"a directory without it", "somewhere", "not in the data directory"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			check := verify.CheckFunc(func(_ context.Context, s verify.Settings) (verify.Trial, error) {
				return nil, fmt.Errorf("loading: %w", &verify.MissingData{File: "a7a.train.libsvm.gz", Dir: s.Data})
			})
			e := verifytest.Judged(t, check, verify.Settings{Budget: verify.Quick, Alpha: 0.1, Data: c.dir})
			if e.Verdict != verify.NotRun || e.Data != "a7a.train.libsvm.gz" || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], c.want) {
				t.Errorf("evidence %+v", e)
			}
		})
	}
}
