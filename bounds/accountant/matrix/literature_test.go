package matrix

import (
	"fmt"
	"math"
	"testing"
)

// Published sums of squares over trees. separation is the distance of steps: one more than the number of steps between
// them.
func TestTreeFigures(t *testing.T) {
	for _, c := range []struct {
		steps, restart int
		p              Participation
		square         float64
		source         string
	}{
		{1024, 0, Participation{}, 11, "Kairouz et al. 2021: ⌈lg(n+1)⌉ nodes"},
		{1023, 0, Participation{}, 10, "the same: no root is completed"},
		{1000, 0, Participation{}, 10, "the same"},
		{1600, 0, Participation{}, 11, "the same, the rounds of their StackOverflow experiment"},
		{1600, 400, Participation{Times: 4, Every: 400}, 4 * 9, "their restart in every epoch: the sum over trees"},
		{1600, 800, Participation{Times: 2, Separation: 800}, 2 * 10, "a restart every two epochs"},
		{100, 1, Participation{Times: 100, Separation: 1}, 100, "a restart in every step is no tree: TensorFlow Privacy, test_no_tree_no_sampling"},
		{8, 0, Participation{Times: 1, Separation: 8}, 4, "TensorFlow Privacy, tree_aggregation_accountant_test, toy 1"},
		{9, 0, Participation{Times: 3, Separation: 4}, 11, "toy 2"},
		{7, 0, Participation{Times: 3, Separation: 3}, 9, "toy 3"},
		{24, 0, Participation{Times: 8, Separation: 3}, 88, "toy 4: more than evenly spaced steps give"},
		{8, 0, Participation{Times: 8, Separation: 1}, 120, "the same file, every step"},
		{11, 0, Participation{Times: 11, Separation: 1}, 8*15 + 2*3 + 1, "the same file, every step: Σ 2^d(2^(d+1) − 1) over the trees"},
		{19, 0, Participation{Times: 19, Separation: 1}, 16*31 + 2*3 + 1, "the same"},
		{19, 0, Participation{Times: 2, Separation: 1}, 2 + 4*4, "the same file, two participations: 2 + 4·depth"},
	} {
		s, err := Tree(c.steps, c.restart)
		got, err := must(t, s, err).Sensitivity(c.p)
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Sqrt(c.square); !(got.Lower <= want && want <= got.Upper && got.Exact && got.Upper-got.Lower < 1e-14*want) {
			t.Errorf("%s, %s: [%v, %v], want √%v (%s)", s, c.p, got.Lower, got.Upper, c.square, c.source)
		}
	}
}

// The ε that Kairouz et al. 2021 report for 1600 rounds at δ = 1e-6 (repeated in tests of TensorFlow Privacy) follow
// from the sensitivity by ρ + 2√(ρ log(1/δ)) with ρ = μ²/2.
func TestPrintedEpsilon(t *testing.T) {
	s, err := Honaker(1600, 0)
	got, err := must(t, s, err).Sensitivity(Participation{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		noise float64
		want  string
	}{{1.13, "19.74"}, {8.83, "2.04"}} {
		lower, upper, err := got.Mu(c.noise)
		if err != nil || !(lower < upper && upper < lower*(1+1e-15)) {
			t.Fatalf("μ in [%v, %v], %v", lower, upper, err)
		}
		rho := upper * upper / 2
		if eps := fmt.Sprintf("%.2f", rho+2*math.Sqrt(rho*math.Log(1e6))); eps != c.want {
			t.Errorf("σ = %v: ε = %s, printed %s", c.noise, eps, c.want)
		}
	}
}

// The square root without truncation: Σ c_m² are Landau's constants, (log n + γ + 4 log 2)/π + O(1/n) for n terms
// (Watson 1930).
func TestSquareRootFigures(t *testing.T) {
	for _, n := range []int{16, 1024, 1 << 14, MaxSteps} {
		s, err := Banded(n, n)
		got, err := must(t, s, err).Sensitivity(Participation{})
		if err != nil {
			t.Fatal(err)
		}
		l := math.Log(float64(n))
		near := (l + 0.5772156649015329 + 4*math.Ln2) / math.Pi
		if square := got.Upper * got.Upper; !(math.Abs(square-near) < 1/float64(n)) {
			t.Errorf("n = %d: Σc² = %v, not near %v", n, square, near)
		}
		if !(got.Upper < got.Lower*(1+1e-14)) {
			t.Errorf("n = %d: [%v, %v]", n, got.Lower, got.Upper)
		}
	}
}

// Closed forms: the sensitivity of prefix sums is √n for a single participation and √Σi² for all.
func TestClosedForms(t *testing.T) {
	for _, c := range []struct {
		new    func() (*Strategy, error)
		p      Participation
		square float64
		reason string
	}{
		{func() (*Strategy, error) { return Identity(100) }, Participation{Times: 16, Separation: 5}, 16, "orthogonal columns"},
		{func() (*Strategy, error) { return Identity(100) }, Participation{Times: 100, Separation: 9}, 12, "room for ⌈100/9⌉"},
		{func() (*Strategy, error) { return Prefix(900) }, Participation{}, 900, "the first step is in all sums"},
		{func() (*Strategy, error) { return Prefix(24) }, Participation{Times: 24, Separation: 1}, 4900, "24·25·49/6 is a square: 70²"},
		{func() (*Strategy, error) { return Banded(64, 4) }, Participation{Times: 4, Every: 8}, 4 * (1 + 1./4 + 9./64 + 25./256), "orthogonal columns"},
		{func() (*Strategy, error) { return Tree(1024, 0) }, Participation{Times: 4, Separation: 256}, 4*9 + 2*4 + 16, "nine levels apart, two pairs, the root"},
	} {
		s, err := c.new()
		got, err := must(t, s, err).Sensitivity(c.p)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Sqrt(c.square)
		if !(got.Lower <= want && want <= got.Upper && got.Upper <= got.Lower*(1+1e-14)) {
			t.Errorf("%s, %s: [%v, %v], want %v: %s", s, c.p, got.Lower, got.Upper, want, c.reason)
		}
		if want == math.Trunc(want) && got.Lower != got.Upper {
			t.Errorf("%s, %s: [%v, %v], want %v without rounding", s, c.p, got.Lower, got.Upper, want)
		}
	}
}
