package calibration

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
)

// drawnLosses returns for both inputs n releases of the repaired mechanism: the loss, and whether the output is in the
// known event.
func (f grossOf[O]) drawnLosses(r *rand.Rand, n int) (losses [2][]float64, known [2][]bool) {
	for input := range losses {
		for range n {
			o := f.repaired(r, input)
			losses[input], known[input] = append(losses[input], f.loss(o)), append(known[input], f.event(o))
		}
	}
	return losses, known
}

// simulated is a grossFault whose mechanisms can be sampled.
type simulated interface {
	drawnLosses(r *rand.Rand, n int) ([2][]float64, [2][]bool)
	share(input, samples int) float64
}

// The known events have a privacy loss above 1.5. Their probabilities agree with their frequencies, within five
// standard errors (false alarms below 1e-6 each).
func TestGrossEvents(t *testing.T) {
	const n = 40_000
	for _, f := range grossFaults() {
		name, _ := f.label()
		p, q := f.probabilities()
		if !(p > 0 && q >= 0 && math.Log(p/q) > 1.5) {
			t.Errorf("%s: the event has probabilities %v and %v", name, p, q)
		}
		s := f.(simulated)
		if !shareAgrees(p, q, s.share(0, n), s.share(1, n), n) && !shareAgrees(q, p, s.share(0, n), s.share(1, n), n) {
			t.Errorf("%s: the event has probabilities %v and %v, but frequencies %v and %v", name, p, q, s.share(0, n), s.share(1, n))
		}
	}
}

func shareAgrees(p, q, found, other, n float64) bool {
	near := func(p, found float64) bool { return math.Abs(p-found) <= 5*math.Sqrt(p*(1-p)/n)+1/n }
	return near(p, found) && near(q, other)
}

// The repaired mechanisms hold ε = 1: no sampled loss exceeds 1, and the losses match the samples:
// for every event A, the mean of e^loss · 1[A] at input 1 is P₀(A). The events are all outputs, the known event and the
// losses above 0. The tolerance is five standard errors (false alarms below 1e-6 each).
func TestGrossControls(t *testing.T) {
	for i, f := range grossFaults() {
		name, _ := f.label()
		losses, known := f.(simulated).drawnLosses(rand.New(rand.NewPCG(1, uint64(i))), 20_000)
		if problem := controlProblem(losses, known); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

func controlProblem(losses [2][]float64, known [2][]bool) string {
	for input := range losses {
		for _, loss := range losses[input] {
			if !(math.Abs(loss) <= grossEpsilon+1e-9) {
				return "an output has a loss above 1"
			}
		}
	}
	for event, contains := range map[string]func(input, i int) bool{
		"all outputs":     func(int, int) bool { return true },
		"the known event": func(input, i int) bool { return known[input][i] },
		"losses above 0":  func(input, i int) bool { return losses[input][i] > 0 },
	} {
		var mean, square [2]float64
		n := float64(len(losses[0]))
		for input := range losses {
			for i, loss := range losses[input] {
				if contains(input, i) {
					v := math.Exp(float64(input) * loss)
					mean[input] += v / n
					square[input] += v * v / n
				}
			}
		}
		variance := (square[0] - mean[0]*mean[0] + square[1] - mean[1]*mean[1]) / n
		if !(math.Abs(mean[0]-mean[1]) <= 5*math.Sqrt(math.Max(0, variance))+1e-9) {
			return "the loss is not the one of the outputs, in " + event
		}
	}
	return ""
}

// The number of samples for the known event is the one at which exact sums over all counts first reach the power.
func TestKnownEventSamples(t *testing.T) {
	for _, c := range []struct{ p, q float64 }{{0.5, 0}, {0.7, 0.05}} {
		n := knownEventSamples(c.p, c.q, 0.05)
		if n > 200 {
			t.Fatalf("p = %v, q = %v: %d samples", c.p, c.q, n)
		}
		if at, below := summedPower(n, c.p, c.q), summedPower(n-1, c.p, c.q); !(at >= grossPower-1e-5 && below < grossPower) {
			t.Errorf("p = %v, q = %v: %d samples have power %v, one less %v", c.p, c.q, n, at, below)
		}
	}
}

func summedPower(n int64, p, q float64) (power float64) {
	chance := func(p float64, k int64) float64 {
		all, _ := math.Lgamma(float64(n + 1))
		some, _ := math.Lgamma(float64(k + 1))
		rest, _ := math.Lgamma(float64(n - k + 1))
		return math.Exp(all-some-rest) * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
	}
	for x := range n + 1 {
		for y := range n + 1 {
			if confidence.EpsilonLower(x, n, y, n, 0, 0.05) > grossEpsilon {
				power += chance(p, x) * chance(q, y)
			}
		}
	}
	return power
}

// The search for the first step returns it from every start.
func TestFirstStep(t *testing.T) {
	for start := range grossSizes {
		for first := range grossSizes + 1 {
			tries := 0
			got, err := firstStep(start, func(k int) (bool, error) { tries++; return k >= first, nil })
			if got != first || err != nil || tries > 14 {
				t.Errorf("from %d: %d after %d tries, want %d (%v)", start, got, tries, first, err)
			}
		}
	}
	failure := errors.New("fails")
	if _, err := firstStep(3, func(int) (bool, error) { return false, failure }); err != failure {
		t.Errorf("error %v, want %v", err, failure)
	}
}

// A row of a fast fault is the same on one worker and on two. The audit needs at least as many samples as the known
// event and at most 16 times as many. It refutes the control in at most one of five runs, which has probability at
// least 0.97.
func TestGrossRow(t *testing.T) {
	f := branchFault()
	var rows [2]any
	for k := range rows {
		o := Options{Alpha: 0.05, Runs: 5, Seed: empirical.NewSeed(1), Pool: empirical.NewPool(k + 1)}
		row, err := measureGross(context.Background(), f, o)
		if err != nil {
			t.Fatal(err)
		}
		rows[k] = row
		if !(float64(row.Known) <= row.Audit.X && row.Audit.X <= 16*float64(row.Known)) || row.Control > 1 {
			t.Errorf("%+v", row)
		}
	}
	if diff := cmp.Diff(rows[0], rows[1]); diff != "" {
		t.Errorf("the row depends on the workers: %s", diff)
	}
	for runs, want := range map[int]int{1: 1, 5: 5, 19: 19, 20: 19, 100: 95} {
		if got := neededRuns(runs); got != want {
			t.Errorf("%d runs: %d must refute, want %d", runs, got, want)
		}
	}
}
