package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// generating returns the generating function of the truncated negative binomial distribution, computed from its
// probabilities.
func generating(eta, gamma, x float64) (sum float64) {
	weight, total := 1-gamma, 0.0
	if eta != 0 {
		weight *= eta
	}
	power := x
	for k := 1.0; k < 1e4 && math.Abs(weight) > 1e-18*math.Abs(total); k++ {
		sum, total = sum+weight*power, total+weight
		weight *= (1 - gamma) * (k + eta) / (k + 1)
		power *= x
	}
	return sum / total
}

// mostSelected returns the largest loss of the selected output among runs of a table, over all rankings of its outputs.
func mostSelected(o outcomes, eta, gamma float64) (maxLoss float64) {
	var visit func(left outcomes, worse [2]float64, loss float64)
	visit = func(left outcomes, worse [2]float64, loss float64) {
		maxLoss = math.Max(maxLoss, loss)
		for i, row := range left {
			rest := append(append(outcomes{}, left[:i]...), left[i+1:]...)
			next := [2]float64{worse[0] + row[0], worse[1] + row[1]}
			var p [2]float64
			for c := range p {
				p[c] = generating(eta, gamma, next[c]) - generating(eta, gamma, worse[c])
			}
			visit(rest, next, math.Abs(math.Log(p[0]/p[1])))
		}
	}
	visit(o, [2]float64{}, 0)
	return maxLoss
}

// Among runs of a table, the upper end of ε at δ = 0 is at least the loss of every ranking of the outputs, and the
// lower end is at most that of the best one.
func TestSelectionAmongTablesWithoutDelta(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	tables := []outcomes{
		{{1 / (1 + math.E), math.E / (1 + math.E)}, {math.E / (1 + math.E), 1 / (1 + math.E)}},
		{{0.1, 0.25}, {0.5, 0.5}, {0.4, 0.25}},
	}
	for range 6 {
		o, sums := make(outcomes, 2+r.IntN(3)), [2]float64{}
		for i := range o {
			for c := range sums {
				o[i][c] = 0.1 + r.Float64()
				sums[c] += o[i][c]
			}
		}
		for i := range o {
			o[i] = [2]float64{o[i][0] / sums[0], o[i][1] / sums[1]}
		}
		tables = append(tables, o)
	}
	for i, o := range tables {
		for _, eta := range []float64{-0.5, 0, 1, 2.5} {
			gamma := []float64{0.05, 0.3, 0.9}[i%3]
			maxLoss := mostSelected(o, eta, gamma)
			b, err := Epsilons(event.RepeatAndSelect(eta, gamma, event.Table(o)), event.AddRemove, 0, Options{Methods: []string{"best"}})
			if err != nil || !(b[0].Upper >= maxLoss*(1-1e-6) && b[0].Lower <= maxLoss*(1+1e-6) && b[0].Lower > 0) {
				t.Errorf("%v, η = %v, γ = %v: %v, the best order has %v (%v)", o, eta, gamma, b, maxLoss, err)
			}
		}
	}
	two := event.RepeatAndSelect(1, 0.1, event.RandomizedResponse(1, 2))
	if b, err := LossEpsilon(two, event.ReplaceOne, 0, Precision{}); err != nil || !near(b.Lower, mostSelected(tables[0], 1, 0.1)) {
		t.Errorf("two outputs have two orders: %v, want %v (%v)", b, mostSelected(tables[0], 1, 0.1), err)
	}
}

// Among runs of noise, the largest loss belongs to outputs with the largest loss that rank after the outputs beyond
// some cut. All cuts are tried.
func TestSelectionWithoutDelta(t *testing.T) {
	const gamma = 0.1
	for _, eta := range []float64{-0.7, 0, 1, 4} {
		laplace := 0.0
		for cut := 0.0; cut <= 1; cut += 1e-4 { // better: above the cut, of Laplace(0) and Laplace(1)
			p, q := math.Exp(-cut)/2, 1-math.Exp(cut-1)/2
			laplace = math.Max(laplace, 1+(1+eta)*math.Log((gamma+(1-gamma)*q)/(gamma+(1-gamma)*p)))
		}
		any := 0.0
		for a := 0.0; a <= 1; a += 1e-6 { // every pair of probabilities that 1-DP allows
			b := math.Min(math.E*a, 1-(1-a)/math.E)
			any = math.Max(any, 1+(1+eta)*math.Log((gamma+(1-gamma)*b)/(gamma+(1-gamma)*a)))
		}
		for _, c := range []struct {
			base           event.Event
			lower, maxLoss float64
		}{
			{event.Laplace(1), laplace, any},
			{event.Pure(1), any, any},
			{event.Repeat(2, event.Pure(0.5)), 1, any},
			{event.DiscreteLaplace(1), 1, any},
		} {
			b, err := LossEpsilon(event.RepeatAndSelect(eta, gamma, c.base), event.AddRemove, 0, Precision{})
			if err != nil || !(b.Upper >= c.maxLoss*(1-1e-6) && b.Upper <= c.maxLoss*(1+1e-6) && b.Lower >= c.lower*(1-1e-3) && b.Lower <= any*(1+1e-6)) ||
				c.lower == laplace && !(b.Lower <= laplace*(1+1e-6)) {
				t.Errorf("η = %v, %s: [%v, %v], want [%v, %v] (%v)", eta, c.base, b.Lower, b.Upper, c.lower, c.maxLoss, err)
			}
		}
	}
	// The bound (2 + η)ε is its limit.
	if b := selectedPure(1, 1e-9, 1); !(b > 2.9999 && b < 3) {
		t.Errorf("η = 1, γ = 1e-9: %v", b)
	}
	if b := selectedPure(3, 0.999, 1e-12); !(b >= 1e-12 && b < 1.01e-12) {
		t.Errorf("a small ε: %v", b)
	}
}

// Selection on a Poisson sample: the outputs of the explicit score, mixed.
func TestSampledSelectionWithoutDelta(t *testing.T) {
	e := event.RepeatAndSelect(1, 0.1, event.Pure(1))
	for _, q := range []float64{0.2, 0.9} {
		b, err := LossEpsilon(event.Poisson(q, e), event.AddRemove, 0, Precision{})
		if want := math.Log1p(q * math.Expm1(2.5913440783)); err != nil || !(b.Lower <= want && b.Lower >= want*(1-1e-3) && b.Upper >= want*(1-1e-9)) {
			t.Errorf("q = %v: [%v, %v], want %v (%v)", q, b.Lower, b.Upper, want, err)
		}
		if b, err = LossEpsilon(event.Poisson(q, e), event.ReplaceOne, 0, Precision{}); err != nil || b.Lower > 0 {
			t.Errorf("q = %v, replaced: [%v, %v]: what an absent record does is not known (%v)", q, b.Lower, b.Upper, err)
		}
	}
}
