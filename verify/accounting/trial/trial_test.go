package trial

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// accounted returns the bracket of the account under test. It is much narrower than the margin.
func accounted(e event.Event, adj event.Adjacency, epsilon float64) (lower, upper float64, err error) {
	all, err := accountant.Deltas(e, adj, epsilon, accountant.Options{Methods: []string{"best"},
		Precision: accountant.Precision{Width: 0.01, MaxPoints: 1 << 14}})
	if err != nil {
		return 0, 0, err
	}
	return all[0].Lower, all[0].Upper, nil
}

// listed is the number of descriptions of the long trial.
const listed = 1100

// descriptions returns the fixed list of the long trial, or one description of each cell that needs few samples.
func descriptions() (all []Description) {
	if !testutil.Asked() {
		for _, number := range quick {
			all = append(all, Generate(number))
		}
		return all
	}
	for number := range listed {
		all = append(all, Generate(number))
	}
	return all
}

func TestAccountPassesTheTrial(t *testing.T) {
	all := descriptions()
	results := Run(accounted, all)
	t.Logf("outcomes:\n%s", Table(results))
	for _, r := range results {
		if r.Outcome.Failed() {
			t.Errorf("%s\nsmallest: %s", r, Shrink(accounted, r, Alpha/float64(len(all))))
		}
	}
}

func TestQuickListHasEveryCell(t *testing.T) {
	missing := map[Cell]bool{}
	for _, c := range Cells() {
		missing[c] = true
	}
	for _, number := range quick {
		delete(missing, Generate(number).Cell)
	}
	for c := range missing {
		t.Error("no description of", c)
	}
}

// mapped applies f to every part of an event, leaves first.
func mapped(e event.Event, f func(event.Event) event.Event) event.Event {
	parts := make([]event.Event, len(e.Parts))
	for i, p := range e.Parts {
		parts[i] = mapped(p, f)
	}
	e.Parts = parts
	return f(e)
}

// moved returns an account with a wrong sensitivity, except for integer noise.
func moved(factor float64) Account {
	return func(e event.Event, adj event.Adjacency, epsilon float64) (float64, float64, error) {
		return accounted(mapped(e, func(e event.Event) event.Event {
			if e.Kind != event.KindDiscreteGaussian && e.Kind != event.KindDiscreteLaplace {
				e.Sensitivity *= factor
			}
			return e
		}), adj, epsilon)
	}
}

func TestTrialFindsFaultsOfAccounts(t *testing.T) {
	const share = Alpha / listed
	for _, c := range []struct {
		fault   string
		from    int // the first description to try; its failure is shrunk unless from is 0
		account Account
		want    Outcome
	}{
		{"amplification by sampling is applied twice", 0,
			func(e event.Event, adj event.Adjacency, epsilon float64) (float64, float64, error) {
				return accounted(mapped(e, func(e event.Event) event.Event {
					if e.Kind == event.KindPoisson {
						return event.Poisson(e.A, e)
					}
					return e
				}), adj, epsilon)
			}, UpperRefuted},
		{"the upper end is the lower one as well", 0,
			func(e event.Event, adj event.Adjacency, epsilon float64) (float64, float64, error) {
				_, upper, err := accounted(e, adj, epsilon)
				return upper, upper, err
			}, LowerMissed},
		{"the sensitivity is too small by √2", 1 + 2*len(Cells()), moved(1 / math.Sqrt2), UpperRefuted},
		{"the sensitivity is too large by √2", 0, moved(math.Sqrt2), LowerMissed},
	} {
		found := Result{}
		for number := c.from; number < listed && found.Outcome != c.want; number++ {
			found = Audit(c.account, Generate(number), share)
		}
		if found.Outcome != c.want {
			t.Errorf("%s: not found", c.fault)
			continue
		}
		t.Logf("%s: %s", c.fault, found)
		if c.from == 0 {
			continue
		}
		small := Shrink(c.account, found, share)
		t.Logf("smallest: %s", small)
		if small.Outcome != c.want || small.Description.Seed != found.Description.Seed ||
			len(small.Description.Event.Parts) > 0 || small.Description.Event.Sensitivity != 1 {
			t.Errorf("%s: shrunk to %s, want one mechanism of sensitivity 1", c.fault, small)
		}
	}
}

// The draws and the density of a simulator describe the same two distributions: E_A[q/(p+q)] = ∫ pq/(p+q) =
// E_B[p/(p+q)].
func TestDrawsFollowDensities(t *testing.T) {
	const n = 4000
	for number := range Cells() {
		d := Generate(number)
		pairs, err := Simulate(d.Event, d.Adjacency, 0.5)
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		for i, p := range pairs {
			if d.Cell.Kind == "repeat-and-select" && i == 1 {
				continue // its score is the likelihood ratio of one run
			}
			r := rand.New(rand.NewPCG(uint64(number), uint64(i)))
			a, b := 0.0, 0.0
			for range n {
				a += odds(-p.Score(p.DrawA(r, nil))) / n
				b += odds(p.Score(p.DrawB(r, nil))) / n
			}
			if math.Abs(a-b) > 6*math.Sqrt(0.5/n)/2 {
				t.Errorf("%s, pair %d: means %.4f and %.4f of what should be equal", d, i, a, b)
			}
		}
	}
}

func TestDescriptionsAreReproducible(t *testing.T) {
	for _, number := range []int{0, 57, 500} {
		x, y := Generate(number), Generate(number)
		if x.String() != y.String() || x.Seed != uint64(number) {
			t.Errorf("description %d is %s and then %s", number, x, y)
		}
	}
	d := Generate(0)
	if x, y := Audit(accounted, d, 1e-9), Audit(accounted, d, 1e-9); x.String() != y.String() {
		t.Errorf("audits of one description differ: %s and %s", x, y)
	}
}

// The best event attains δ(ε) for simulated events whose δ has a formula.
func TestSimulatorsAttainFormulas(t *testing.T) {
	for _, c := range []struct {
		event event.Event
		adj   event.Adjacency
		at    float64
		want  float64
	}{
		// TV of N(0, σ²) and N(2, σ²) is 2Φ(1/σ) − 1; on a sample, q times that.
		{event.Gaussian(2), event.ReplaceOne, 0, math.Erf(0.5 / math.Sqrt2)},
		{event.Poisson(0.5, event.Gaussian(2)), event.AddRemove, 0, 0.5 * math.Erf(0.25/math.Sqrt2)},
		{event.Laplace(1), event.AddRemove, 0.5, 1 - math.Exp(-0.25)},
		{event.WithoutReplacement(1, 4, event.Laplace(2)), event.ReplaceOne, 0, (1 - math.Exp(-0.5)) / 4},
		{event.Uniform(4), event.AddRemove, 0.3, 0.125},
		// P(false) = 1/(e + 1) each; the absent record reports the other category.
		{event.RandomizedResponse(1, 2), event.AddRemove, 0, math.Tanh(0.5)},
		{event.Approximate(1, 0.1), event.AddRemove, 1, 0.1},
		{event.NoisyArgmax(1), event.ReplaceOne, 0, math.Erf(0.5)},
		// The total variation of one draw is the probability of the record times that of N(0, σ²) and N(2, σ²).
		{event.WithReplacement(1, 4, event.Gaussian(2)), event.ReplaceOne, 0, math.Erf(0.5/math.Sqrt2) / 4},
		// A false report has probability p = 1/(e + 1). The other user has the replacement's value. The probabilities of two
		// reports of that value are (1 − p)² and p(1 − p), and no other output is likelier on the second data set.
		{event.ShuffledReports(2, event.RandomizedResponse(1, 2)), event.ReplaceOne, 0, odds(1) * math.Tanh(0.5)},
		{event.PermuteAndFlip(1), event.AddRemove, 0, 1 - math.Exp(-0.5)},
		{event.PermuteAndFlip(1), event.AddRemove, 0.5, 1 - math.Exp(-0.25)},
	} {
		pairs, err := Simulate(c.event, c.adj, c.at)
		if err != nil {
			t.Fatal(err)
		}
		p := pairs[0]
		const n = 20_000
		r := rand.New(rand.NewPCG(1, 2))
		x, y := 0, 0
		for range n {
			if p.Score(p.DrawA(r, nil)) > c.at {
				x++
			}
			if p.Score(p.DrawB(r, nil)) > c.at {
				y++
			}
		}
		got := (float64(x) - math.Exp(c.at)*float64(y)) / n
		if math.Abs(got-c.want) > 0.025 {
			t.Errorf("%s under %s: δ(%g) = %.4f, want %.4f", c.event, c.adj, c.at, got, c.want)
		}
	}
}
