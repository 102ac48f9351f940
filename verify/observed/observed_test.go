package observed

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/premises"
)

const (
	records, coordinates, steps = 200, 8, 300
	delta, epsilon              = 1e-5, 4.5
	alpha                       = 0.001
)

var claimed = premises.Training{Sampling: premises.Poisson, Rate: 0.1, ClippingNorm: 1, NoiseMultiplier: 2, Divisor: 20,
	Steps: steps, Tolerance: 1e-6}

// run simulates a training with one fault on the given number of records.
type run struct {
	fault   string
	rate    float64
	scale   float64 // of the noise, in units of the claimed one
	steps   int
	records int
}

func (c run) batch(r *rand.Rand, step int, order *[]int) (batch []int) {
	const size = records / 10
	switch c.fault {
	case "shuffled":
		if step%10 == 0 {
			*order = r.Perm(records)
		}
		return (*order)[step%10*size : step%10*size+size]
	case "fixed":
		for i := range size {
			batch = append(batch, step%10*size+i)
		}
		return batch
	case "without replacement":
		return r.Perm(records)[:size]
	}
	for i := range c.records {
		rate := c.rate
		if c.fault == "weighted" && i%2 == 0 {
			rate *= 2
		}
		if r.Float64() < rate {
			batch = append(batch, i)
		}
	}
	return batch
}

// log returns the log of the training.
func (c run) log(t *testing.T, seed uint64) *premises.Log {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 17))
	l := premises.NewLog(c.records, []int{0, 1, 2, 3, 4, 5, 6, 7})
	var order []int
	kept, before := make([]float64, coordinates), make([]float64, coordinates)
	for step := range c.steps {
		batch := c.batch(r, step, &order)
		var contributions [][]float64
		sum := make([]float64, coordinates)
		for range batch {
			g, length := make([]float64, coordinates), 0.0
			for j := range g {
				g[j] = rng.Normal(r)
				length = math.Hypot(length, g[j])
			}
			norm := 1.0
			if c.fault == "no clipping" || c.fault == "one step without clipping" && step == 7 {
				norm = 1.5
			}
			for j := range g {
				g[j] *= norm / length
				sum[j] += g[j]
			}
			contributions = append(contributions, g)
		}
		noise, released, divisor := make([]float64, coordinates), make([]float64, coordinates), claimed.Divisor
		switch c.fault {
		case "divisor drawn":
			divisor = float64(max(1, len(batch)))
		case "divisor n":
			divisor = float64(c.records) / 10
		case "another divisor":
			divisor = 25
		}
		for j := range noise {
			noise[j] = 2 * c.scale * rng.Normal(r)
			if c.fault == "laplace" {
				noise[j] = 2 * c.scale / math.Sqrt2 * (rng.Exponential(r) - rng.Exponential(r))
			}
			if c.fault == "key twice" && step == 100 {
				noise[j] = before[j]
			}
			if c.fault == "kept" {
				kept[j] += sum[j]
				released[j] = (kept[j] + noise[j]) / divisor
				continue
			}
			released[j] = (sum[j] + noise[j]) / divisor
		}
		before = noise
		if err := l.Add(batch, contributions, noise, released, divisor); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func bracket(t *testing.T, e event.Event) accountant.Bracket {
	t.Helper()
	b, err := accounting.Release{Event: e}.Bracket(accounting.EpsilonAt(delta), accountant.Precision{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sgd(q, sigma float64, n int64) event.Event {
	return event.Repeat(n, event.Poisson(q, event.Gaussian(sigma)))
}

// judged returns the evidence on the claimed ε, and fails unless its stored statistics give the same account.
func judged(t *testing.T, l Logged) verify.Evidence {
	t.Helper()
	s := verify.Settings{Alpha: alpha, Budget: verify.Standard}
	check := accounting.Release{Event: sgd(claimed.Rate, claimed.NoiseMultiplier, steps)}.AtMost(
		accounting.EpsilonAt(delta), epsilon)
	trial, err := l.Account(check, event.AddRemove, epsilon, delta).Prepare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := trial.Judge(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Statistics.Judge(s)
	if err != nil || again.Observed == nil || len(again.Observed.Numbers) != len(e.Observed.Numbers) ||
		again.Observed.Reason != e.Observed.Reason || again.Verdict != e.Verdict {
		t.Fatalf("recomputed as %+v, %v; want %+v", again.Observed, err, e.Observed)
	}
	for i, n := range e.Observed.Numbers {
		if again.Observed.Numbers[i] != n {
			t.Errorf("recomputed %+v, want %+v", again.Observed.Numbers[i], n)
		}
	}
	return e
}

func number(a *verify.ObservedAccount, quantity string) (n verify.ObservedNumber) {
	for _, n := range a.Numbers {
		if n.Quantity == quantity {
			return n
		}
	}
	return n
}

// TestTrainings accounts for trainings with one fault each. The true ε is that of the simulated training. The limits
// miss it with probability 0.001 at most, for fixed seeds.
func TestTrainings(t *testing.T) {
	for seed, c := range []struct {
		run
		sampling string
		truth    event.Event // the simulated training
		reason   string      // or why there is no account
		lower    bool        // only a lower end is known
	}{
		{run: run{fault: "none"}, sampling: "poisson", truth: sgd(0.1, 2, steps)},
		{run: run{fault: "double rate", rate: 0.2}, sampling: "poisson", truth: sgd(0.2, 2, steps)},
		{run: run{fault: "half the rate", rate: 0.05}, sampling: "poisson", truth: sgd(0.05, 2, steps)},
		{run: run{fault: "half the noise", scale: 0.5}, sampling: "poisson", truth: sgd(0.1, 1, steps)},
		{run: run{fault: "double noise", scale: 2}, sampling: "poisson", truth: sgd(0.1, 4, steps)},
		{run: run{fault: "rate and noise", rate: 0.15, scale: 0.7}, sampling: "poisson", truth: sgd(0.15, 1.4, steps)},
		{run: run{fault: "shuffled"}, sampling: "shuffled, batches of 20 records",
			truth: event.Repeat(steps/10, event.ShuffledBatches(10, event.Gaussian(2)))},
		{run: run{fault: "fixed"}, sampling: "fixed, batches of 20 records",
			truth: event.Repeat(steps/10, event.Gaussian(2))},
		{run: run{fault: "without replacement"}, sampling: "without-replacement, batches of 20 records",
			truth: event.Repeat(steps, event.WithoutReplacement(20, records, event.Gaussian(2)))},
		{run: run{fault: "full batch", rate: 1}, sampling: "all records in each step",
			truth: event.Repeat(steps, event.Gaussian(2))},
		{run: run{fault: "more steps", steps: 400}, sampling: "poisson", truth: sgd(0.1, 2, 400)},
		{run: run{fault: "interrupted", steps: 200}, sampling: "poisson", truth: sgd(0.1, 2, 200), lower: true},
		{run: run{fault: "one step without clipping"}, sampling: "poisson", lower: true, truth: event.Compose(
			sgd(0.1, 2, steps-1), event.Poisson(0.1, event.Gaussian(2).WithSensitivity(1.5)))},
		{run: run{fault: "no clipping"}, sampling: "poisson", truth: sgd(0.1, 2/1.5, steps), lower: true},
		{run: run{fault: "another divisor"}, sampling: "poisson", truth: sgd(0.1, 2, steps)},
		{run: run{fault: "kept"}, reason: "update: step 2, coordinate"},
		{run: run{fault: "key twice"}, reason: "noise: steps 100 and 101 have equal noise"},
		{run: run{fault: "laplace"}, reason: "noise: "},
		{run: run{fault: "laplace", scale: 0.5}, reason: "noise: "},
		{run: run{fault: "no noise", scale: 1e-300}, reason: "noise: "},
		{run: run{fault: "weighted"}, reason: "membership: "},
		{run: run{fault: "divisor drawn"}, reason: "divisor: step "},
	} {
		if c.rate == 0 {
			c.rate = claimed.Rate
		}
		if c.scale == 0 {
			c.scale = 1
		}
		if c.steps == 0 {
			c.steps = steps
		}
		c.records = records
		e := judged(t, Logged{Log: c.log(t, uint64(seed)), Claimed: claimed})
		a, n := e.Observed, number(e.Observed, verify.ObservedEpsilon)
		if e.Verdict != verify.Holds {
			t.Errorf("%s: the claimed ε is %s, want holds: a refuted premise is not a refuted ε", c.fault, e.Verdict)
		}
		if c.reason != "" {
			if !strings.HasPrefix(a.Reason, c.reason) || n != (verify.ObservedNumber{}) {
				t.Errorf("%s: reason %q, %+v; want no account because of %q", c.fault, a.Reason, n, c.reason)
			}
			continue
		}
		b := bracket(t, c.truth)
		if a.Reason != "" || a.Observed != c.sampling || !(n.Lower.X <= b.Lower*(1+1e-9)) || n.Upper.Set == c.lower ||
			n.Upper.Set && !(n.Upper.X >= b.Upper*(1-1e-9)) {
			t.Errorf("%s: %q, %s, [%+v, %+v]; want %s and an interval around [%v, %v], only a lower end: %v", c.fault,
				a.Reason, a.Observed, n.Lower, n.Upper, c.sampling, b.Lower, b.Upper, c.lower)
		}
		width := 0.4 // limits of a rate or a scale
		if a.Alpha == 0 {
			width = 1e-4
		}
		if !(n.Lower.X >= (1-width)*b.Lower) || n.Upper.Set && !(n.Upper.X <= (1+width)*b.Upper) {
			t.Errorf("%s: [%v, %v] is far from [%v, %v]", c.fault, n.Lower.X, n.Upper.X, b.Lower, b.Upper)
		}
		if c.fault == "none" && (a.Alpha != 0 || n.Lower != number(a, verify.ClaimedEpsilon).Lower) {
			t.Errorf("a sound training has limits: %+v", a)
		}
	}
}

// The divisors of two neighboring runs show a divisor that depends on the number of records, and one that does not.
func TestNeighbor(t *testing.T) {
	for _, c := range []struct{ fault, reason string }{
		{"none", ""}, {"divisor n", "divisor: step 1 on 201 records: the divisor depends on the data"},
	} {
		r := run{fault: c.fault, rate: 0.1, scale: 1, steps: steps, records: records}
		l := r.log(t, 1)
		r.records++
		e := judged(t, Logged{Log: l, Neighbor: r.log(t, 2), Claimed: claimed})
		if !strings.HasPrefix(e.Observed.Reason, c.reason) || (e.Observed.Reason == "") != (c.reason == "") {
			t.Errorf("%s: reason %q, want %q", c.fault, e.Observed.Reason, c.reason)
		}
		if c.reason == "" && len(e.Observed.Conditions) > 0 {
			t.Errorf("two equal divisors leave conditions: %q", e.Observed.Conditions)
		}
	}
}
