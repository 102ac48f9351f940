package confidence

import (
	"bufio"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The reference values come from published code; the file states their provenance.
func TestOneRunReference(t *testing.T) {
	file, err := os.Open("testdata/one_run.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), ",")
		var x [8]float64
		for i, f := range fields[1:] {
			if x[i+1], err = strconv.ParseFloat(f, 64); err != nil {
				t.Fatal(err)
			}
		}
		g := Guesses{Canaries: int64(x[1]), Guessed: int64(x[2]), Right: int64(x[3])}
		alpha, delta, epsilon, want := x[4], x[5], x[6], x[7]
		var got float64
		switch fields[0] {
		case "epsilon":
			got, err = g.SteinkeLower(delta, alpha)
			ours, _ := g.EpsilonLower(delta, alpha)
			if ours < got {
				t.Errorf("%+v at δ = %v: %v, below the published %v", g, delta, ours, got)
			}
		case "mu":
			got, err = g.MuLower(alpha)
		case "p":
			got = g.SteinkeP(epsilon, delta)
		}
		if err != nil || !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("%s: %v, want %v (%v)", lines.Text(), got, want, err)
		}
		rows++
	}
	if rows != 232 {
		t.Errorf("%d rows were compared, want 232", rows)
	}
}

// tailOf returns P(W ≥ c) for independent guesses, each right with probability p.
func tailOf(c, k, p float64) float64 { return math.Exp(logBinomialUpper(c, k, p, 1-p)) }

// Randomized response attains the bound at δ = 0. No p-value may be below the probability of an actual mechanism.
// The mechanism reveals each coin by randomized response, or with probability δ all coins.
func TestOneRunBoundsAreAbove(t *testing.T) {
	for _, k := range []int64{1, 7, 60, 1000} {
		for _, epsilon := range []float64{0, 0.5, 2, 6} {
			for _, delta := range []float64{0, 1e-5, 0.01} {
				p := 1 / (1 + math.Exp(-epsilon))
				for c := int64(0); c <= k; c += max(1, k/9) {
					g := Guesses{Canaries: k, Guessed: k, Right: c}
					truth := tailOf(float64(c), float64(k), p)
					with := delta + (1-delta)*truth
					if got := g.EpsilonP(epsilon, delta); got < with*(1-1e-12) || delta == 0 && got > truth*(1+1e-9) {
						t.Errorf("%+v: p = %v at (%v, %v), and a mechanism has %v", g, got, epsilon, delta, with)
					}
					if got := g.TradeOffP(Lines{{epsilon, delta}}); got < with*(1-1e-9) {
						t.Errorf("%+v: trade-off p = %v at (%v, %v), and a mechanism has %v", g, got, epsilon, delta, with)
					}
				}
			}
		}
	}
}

// A guess from one Gaussian release for each canary is right with probability Φ(μ/2).
func TestOneRunGaussianIsAbove(t *testing.T) {
	for _, mu := range []float64{0, 0.5, 1, 3} {
		p := math.Erfc(-mu/2/math.Sqrt2) / 2
		for _, k := range []int64{5, 200, 3000} {
			for c := k / 2; c <= k; c += max(1, k/11) {
				g := Guesses{Canaries: k, Guessed: k, Right: c}
				if got, truth := g.TradeOffP(GaussianTradeOff(mu)), tailOf(float64(c), float64(k), p); got < truth {
					t.Errorf("%+v: p = %v at μ = %v, and a mechanism has %v", g, got, mu, truth)
				}
			}
		}
	}
}

// With inclusion probability p, a guess "included" is right with odds p/(1 − p)·e^ε under the worst mechanism,
// which answers for few canaries and is then almost certain.
func TestOneRunChance(t *testing.T) {
	const epsilon, k = 1.5, 400
	for _, chance := range []float64{0.02, 0.3, 0.5, 0.8} {
		odds := chance / (1 - chance) * math.Exp(epsilon)
		for c := int64(1); c <= k; c += 21 {
			truth := tailOf(float64(c), k, odds/(1+odds))
			g := Guesses{Canaries: 50 * k, Guessed: k, Right: c, Chance: chance}
			if got := g.EpsilonP(epsilon, 0); got < truth || got > truth*(1+1e-9) {
				t.Errorf("chance %v, %d right: p = %v, want %v", chance, c, got, truth)
			}
			if got := g.TradeOffP(Lines{{epsilon, 0}}); got < truth*(1-1e-9) {
				t.Errorf("chance %v, %d right: trade-off p = %v is below %v", chance, c, got, truth)
			}
			fair := Guesses{Canaries: 50 * k, Guessed: k, Right: c}.EpsilonP(epsilon, 1e-6)
			if chance == 0.5 && fair < 0.5 && g.EpsilonP(epsilon, 1e-6) > fair {
				t.Errorf("%d right: guesses of one kind have a larger p than guesses of both", c)
			}
		}
	}
}

// The p-values increase with the claimed value, so their inversion by bisection is a bound.
func TestOneRunIsMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 1))
	for range 60 {
		k := 1 + r.Int64N(3000)
		g := Guesses{Canaries: k + r.Int64N(5000), Guessed: k, Right: k/2 + r.Int64N(k-k/2+1)}
		delta := math.Pow(10, -6*r.Float64())
		last, lastMu := 0.0, false
		for x := 6.0; x > 0; x -= 0.3 {
			refuted := g.TradeOffRefuted(GaussianTradeOff(x), 0.05)
			if lastMu && !refuted {
				t.Errorf("%+v: μ above %v is refuted, and that is not", g, x)
			}
			lastMu = refuted
		}
		for x := 0.0; x < 12; x += 0.3 {
			p := g.EpsilonP(x, delta)
			if p < last*(1-1e-9) {
				t.Errorf("%+v at δ = %v: p falls from %v to %v at ε = %v", g, delta, last, p, x)
			}
			last = p
		}
	}
}

// Extreme and large counts give finite results quickly.
func TestOneRunExtremes(t *testing.T) {
	for _, c := range []struct {
		g       Guesses
		epsilon float64 // at least
		reason  string
	}{
		{Guesses{Canaries: 1_000_000, Guessed: 1_000_000, Right: 1_000_000}, 11, "all right of a million"},
		{Guesses{Canaries: 10_000_000, Guessed: 5_000_000, Right: 3_000_000}, 0.4, "p-values far below 1e-300"},
		{Guesses{Canaries: 1, Guessed: 1, Right: 1}, 0, "one canary shows nothing"},
		{Guesses{Canaries: 100, Guessed: 10, Right: 0}, 0, "no guess is right"},
	} {
		epsilon, err := c.g.EpsilonLower(1e-9, 0.05)
		mu, errMu := c.g.MuLower(0.05)
		if err != nil || errMu != nil || !(epsilon >= c.epsilon) || !(mu >= 0) || math.IsInf(epsilon, 0) {
			t.Errorf("%s: ε ≥ %v, μ ≥ %v (%v, %v)", c.reason, epsilon, mu, err, errMu)
		}
	}
	for _, g := range []Guesses{{}, {Canaries: 3, Guessed: 4}, {Canaries: 3, Guessed: 2, Right: 3},
		{Canaries: 3, Guessed: 2, Chance: 1}, {Canaries: 3, Guessed: 2, Chance: math.NaN()}} {
		if _, err := g.EpsilonLower(0, 0.05); err == nil {
			t.Errorf("%+v is taken", g)
		}
	}
	if _, err := (Guesses{Canaries: 3, Guessed: 2}).MuLower(math.NaN()); err == nil {
		t.Error("alpha NaN is taken")
	}
}

func BenchmarkOneRunMillion(b *testing.B) {
	g := Guesses{Canaries: 1_000_000, Guessed: 500_000, Right: 400_000}
	b.Run("epsilon", func(b *testing.B) {
		for b.Loop() {
			_, _ = g.EpsilonLower(1e-6, 0.05)
		}
	})
	b.Run("mu", func(b *testing.B) {
		for b.Loop() {
			_, _ = g.MuLower(0.05)
		}
	})
}
