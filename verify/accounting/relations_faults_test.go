package accounting_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// inconsistencies lists accounts with faults that contradict a relation or a consequence.
var inconsistencies = map[string]account{
	"pure ε amplified twice": func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
		if q == accounting.EpsilonAt(0) {
			return faults["amplified twice"](r, q)
		}
		return trueAccount(r, q)
	},
	"upper end as lower end": faults["upper end as lower end"],
	"replaced records at half the sensitivity": func(r accounting.Release, q accounting.Quantity) (accountant.Bracket,
		error) {
		if r.Adjacency == event.ReplaceOne {
			r.Event = changed(r.Event, func(e *event.Event) {
				if e.Kind == event.KindGaussian || e.Kind == event.KindLaplace {
					e.Sensitivity /= 4
				}
			})
		}
		return trueAccount(r, q)
	},
	"sensitivity over √2 on samples": func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
		if r.Event.Kind != event.KindPoisson {
			r.Event = changed(r.Event, func(e *event.Event) {
				if e.Kind == event.KindGaussian || e.Kind == event.KindLaplace {
					e.Sensitivity /= math.Sqrt2
				}
			})
		}
		return trueAccount(r, q)
	},
}

func TestRelationsFindFaults(t *testing.T) {
	for name, fault := range inconsistencies {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(45, 6))
			for i := range 2000 {
				violation := ""
				if x := relations[i/2%len(relations)]; i%2 == 0 && x.draw != nil {
					violation, _ = x.violation(fault, r)
				} else if i%2 == 1 {
					violation, _ = consequences[i/2%len(consequences)].violation(fault, drawnRelease(r), r)
				}
				if violation != "" {
					t.Logf("after %d: %s", i, violation)
					return
				}
			}
			t.Error("no relation is violated")
		})
	}
}

// An implied is a claim about a quantity, and a weaker claim that follows from it.
type implied struct {
	quantity, weaker accounting.Quantity
	follows          func(value float64) float64
}

func drawnImplied(r *rand.Rand) implied {
	same := func(v float64) float64 { return v }
	grow := 1 + float64(r.IntN(2))*r.Float64()
	grown := func(v float64) float64 { return v * grow }
	alpha, epsilon, delta := between(r, 1.1, 8), between(r, 0.05, 2), between(r, 0.001, 0.3)
	switch r.IntN(7) {
	case 0:
		return implied{accounting.DeltaAt(epsilon), accounting.DeltaAt(epsilon * grow), same}
	case 1:
		return implied{accounting.EpsilonAt(delta), accounting.EpsilonAt(delta * grow), grown}
	case 2:
		return implied{accounting.RenyiAt(alpha * grow), accounting.RenyiAt(alpha), same}
	case 3:
		return implied{accounting.Rho(), accounting.RenyiAt(alpha), func(v float64) float64 { return v * alpha }}
	case 4:
		return implied{accounting.Mu(), accounting.Rho(), func(v float64) float64 { return v * v / 2 }}
	case 5:
		return implied{accounting.EpsilonAt(0), accounting.RenyiAt(alpha), same}
	default:
		return implied{accounting.RenyiAt(alpha), accounting.EpsilonAt(delta), func(v float64) float64 {
			return v + math.Log(1/delta)/(alpha-1)
		}}
	}
}

func judged(t *testing.T, c verify.Check) verify.Verdict {
	t.Helper()
	return verifytest.Judged(t, c, verify.Settings{Budget: verify.Quick, Alpha: 0.01}).Verdict
}

// Claims that follow from a true claim are not refuted. Values are drawn near the upper ends of brackets.
func TestImpliedClaimsAreNotRefuted(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 8))
	holds := 0
	for range testutil.Size(30, 200) {
		release, x := drawnRelease(r), drawnImplied(r)
		b, err := trueAccount(release, x.quantity)
		if err != nil {
			t.Fatal(err)
		}
		value := b.Upper * []float64{1.001, 1.05}[r.IntN(2)]
		weaker := x.follows(value) * (1 + 1e-12)
		if !(weaker < 1e6) || x.quantity == x.weaker && value == 0 {
			continue
		}
		if judged(t, release.AtMost(x.quantity, value)) != verify.Holds {
			continue
		}
		holds++
		if judged(t, release.AtMost(x.weaker, weaker)) == verify.Refuted {
			t.Errorf("%v: %v ≤ %v holds, and %v ≤ %v is refuted", release, x.quantity, value, x.weaker, weaker)
		}
	}
	if holds < 15 {
		t.Errorf("only %d claims hold", holds)
	}
	t.Logf("%d claims hold", holds)
}
