package accountant

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// reference is one row of testdata/accounting; see its README.
type reference struct {
	ID        string
	Mechanism string
	Params    struct {
		Q, Sigma, Alpha, Epsilon, Delta, Sensitivity float64
		Rho, A                                       float64
		Epsilon0, Delta0                             float64
		Epsilons                                     []float64
		K, Steps                                     int64
		Buckets                                      int
		Adjacency                                    string
	}
	Quantity            string
	Value, Lower, Upper number
	LogDelta            *float64 `json:"log_delta"`
	Source              string
}

// number is a JSON number or the string "inf".
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == `"inf"` {
		*n = number(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

func loadReference(t testing.TB) []reference {
	t.Helper()
	file, err := os.Open("../../testdata/accounting/accounting.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []reference
	if err := json.NewDecoder(unzip).Decode(&rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 614 {
		t.Fatalf("%d rows, want 614", len(rows))
	}
	return rows
}

// near reports whether two values agree to a relative 1e-9, the accuracy required of exact entries.
func near(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-9*math.Abs(want)
}

// exactBracket checks an exact entry: the estimate to 1e-9, and that the bracket contains the value.
func exactBracket(t *testing.T, b Bracket, err error, want float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !near(b.Estimate, want) {
		t.Errorf("estimate %.17g, want %.17g (relative %.2g)", b.Estimate, want, b.Estimate/want-1)
	}
	if !(b.Lower <= want && want <= b.Upper) {
		t.Errorf("bracket [%.17g, %.17g] misses %.17g", b.Lower, b.Upper, want)
	}
}

func TestReferenceClosedForms(t *testing.T) {
	checked := 0
	for _, r := range loadReference(t) {
		p, want := r.Params, float64(r.Value)
		var check func(t *testing.T)
		switch r.Mechanism + "/" + r.Quantity {
		case "poisson_sampled_gaussian/rdp":
			check = func(t *testing.T) {
				got, err := Renyi(event.Poisson(p.Q, event.Gaussian(p.Sigma)), event.AddRemove, p.Alpha)
				if err != nil || !near(got.Upper, want) || !(got.Lower <= want*(1+1e-12) && got.Lower >= want*(1-1e-9)) {
					t.Errorf("RDP %.17g, %v, want %.17g (relative %.2g)", got, err, want, got.Upper/want-1)
				}
			}
		case "gaussian/delta":
			check = func(t *testing.T) {
				g := GDP{p.Sensitivity / p.Sigma}
				b, err := g.Delta(p.Epsilon)
				exactBracket(t, b, err, want)
				if l := g.LogDelta(p.Epsilon); !near(l, *r.LogDelta) {
					t.Errorf("log δ %.17g, want %.17g (relative %.2g)", l, *r.LogDelta, l / *r.LogDelta - 1)
				}
			}
		case "gaussian/epsilon":
			check = func(t *testing.T) {
				k := float64(max(1, p.K, p.Steps))
				b, err := GDP{math.Sqrt(k) * math.Max(1, p.Sensitivity) / p.Sigma}.Epsilon(p.Delta)
				exactBracket(t, b, err, want)
			}
		case "gaussian/sigma":
			check = func(t *testing.T) {
				b, err := GaussianSigma(p.Epsilon, p.Delta, p.Sensitivity)
				exactBracket(t, b, err, want)
				if d, _ := (GDP{p.Sensitivity / b.Upper}).Delta(p.Epsilon); !(d.Upper <= p.Delta*(1+1e-9)) {
					t.Errorf("the private side has δ = %v > %v", d.Upper, p.Delta)
				}
			}
		case "pure_dp_optimal_composition/delta":
			check = func(t *testing.T) {
				b, err := OptimalComposition{Epsilon0: p.Epsilon0, K: p.K}.Delta(p.Epsilon)
				exactBracket(t, b, err, want)
			}
		case "pure_dp_optimal_composition/epsilon", "approx_dp_optimal_composition/epsilon":
			check = func(t *testing.T) {
				b, err := OptimalComposition{Epsilon0: p.Epsilon0, Delta0: p.Delta0, K: p.K}.Epsilon(p.Delta)
				exactBracket(t, b, err, want)
			}
		case "pure_dp_heterogeneous_optimal_composition/delta":
			check = func(t *testing.T) {
				h, err := NewHeterogeneousComposition(p.Epsilons, nil)
				if err != nil {
					t.Fatal(err)
				}
				b, err := h.Delta(p.Epsilon)
				exactBracket(t, b, err, want)
			}
		case "pure_dp_heterogeneous_optimal_composition/epsilon":
			check = func(t *testing.T) {
				h, err := NewHeterogeneousComposition(p.Epsilons, nil)
				if err != nil {
					t.Fatal(err)
				}
				b, err := h.Epsilon(p.Delta)
				exactBracket(t, b, err, want)
			}
		case "zcdp/epsilon_classical":
			check = func(t *testing.T) {
				if got := (ZCDP{p.Rho}).EpsilonClassical(p.Delta); !near(got, want) {
					t.Errorf("ε %.17g, want %.17g", got, want)
				}
			}
		case "zcdp/epsilon_tight_CKS":
			check = func(t *testing.T) {
				b, err := ZCDP{p.Rho}.Epsilon(p.Delta)
				exactBracket(t, b, err, want)
				if !near(b.Lower, float64(r.Lower)) {
					t.Errorf("lower end %.17g, want the Gaussian's %.17g", b.Lower, float64(r.Lower))
				}
			}
		case "zcdp/delta_tight_CKS":
			check = func(t *testing.T) {
				b, err := ZCDP{p.Rho}.Delta(p.Epsilon)
				exactBracket(t, b, err, want)
				if l := (ZCDP{p.Rho}).LogDelta(p.Epsilon); !near(l, *r.LogDelta) {
					t.Errorf("log δ %.17g, want %.17g", l, *r.LogDelta)
				}
			}
		default:
			if !strings.HasSuffix(r.Quantity, "epsilon") {
				t.Errorf("%s: quantity %q of %q is not tested", r.ID, r.Quantity, r.Mechanism)
			}
			continue
		}
		checked++
		t.Run(r.ID, check)
	}
	// The other entries are privacy-loss distributions, see TestReferenceDistributions.
	if checked != 614-29-22-32-26 {
		t.Errorf("%d entries checked", checked)
	}
}
