package privacy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// TestViewsShareTheError checks that the two views of an audit share alpha and that the single view of the low-order
// bits uses all of it. A short count of refutations would not detect a limit at twice its share.
func TestViewsShareTheError(t *testing.T) {
	s := verify.Settings{Budget: verify.Standard, Alpha: 1e-3, Seed: empirical.NewSeed(1)}
	audit := laplaceAudit(1, 2, 4000)
	trial, err := audit.Prepare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if a := trial.(*auditTrial[float64, float64]); float64(len(a.views))*a.alpha > s.Alpha || len(a.views) != 2 {
		t.Errorf("%d views with error %v each, of %v", len(a.views), a.alpha, s.Alpha)
	}
	bits := FloatingPoint[float64, float64]{Mechanism: audit.Mechanism, Pairs: audit.Pairs, Guarantee: audit.Guarantee, Samples: 4000}
	if trial, err = bits.Prepare(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if p := trial.(*precisionTrial[float64, float64]); float64(len(p.views))*p.alpha > s.Alpha || len(p.views) != 1 {
		t.Errorf("precision: %d views with error %v each, of %v", len(p.views), p.alpha, s.Alpha)
	}
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(x float64) func() any {
		return func() any { z, _ := laplaceNoise(0.5).Release(r, x); return z }
	}
	recorded := RecordedAudit{A: recordingOf("a", 4000, draw(0)), B: recordingOf("b", 4000, draw(1)), Guarantee: ApproximateDP(1, 0)}
	if trial, err = recorded.Prepare(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	e := trial.(verify.Decided)
	if want := fmt.Sprintf("with error %.2g each", s.Alpha/2); !strings.Contains(e.Method, want) {
		t.Errorf("recorded outputs: %q, want %q", e.Method, want)
	}
}

// TestSmallViolationAvoidsCertainEvents checks that the small violation is on the likeliest event that is not nearly
// certain under both inputs.
func TestSmallViolationAvoidsCertainEvents(t *testing.T) {
	of := &searchPower{Guarantee: ApproximateDP(1, 0)}
	for _, c := range []struct {
		reason string
		events []likelyEvent
		want   float64
	}{
		{"the likeliest of three", []likelyEvent{{Mass: 0.02}, {Mass: 0.3}, {Mass: 0.1}}, 0.3},
		{"one is nearly certain", []likelyEvent{{Mass: 0.995, NearlySure: true}, {Mass: 0.02}, {Mass: 0.3}}, 0.3},
		{"all are nearly certain", []likelyEvent{{Mass: 0.995, NearlySure: true}}, unknownProbability},
	} {
		if got, _, _ := (givenPower{searchPower: of, Events: c.events, Effect: 1.25}).Near(); got != c.want {
			t.Errorf("%s: event probability %v, want %v", c.reason, got, c.want)
		}
	}
}
