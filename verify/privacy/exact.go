package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// Exact checks (ε, δ) claims by computation, where the output distributions of a mechanism are
// known on pairs of neighbouring inputs.
type Exact struct {
	Domain string // the pairs, in words
	Proof  string // why they decide all neighbouring inputs; "" where the verdict is about these alone
	Pairs  func() ([]DistributionPair, error)
}

// DistributionPair is the pair of output distributions of a mechanism at two neighbouring inputs: the
// probabilities of the same outcomes under each. A region of outcomes on which the density
// ratio is constant counts as one outcome.
type DistributionPair struct {
	Place          string    // the inputs, in words
	P, Q           []float64 // probabilities, of equal length, each summing to 1
	Epsilon, Delta float64   // the claim: ε ≥ 0 and finite, δ in [0, 1)
}

// lawError is the relative error granted to masses that were computed in
// floating point. It moves a privacy loss by at most twice as much.
const lawError = 1e-12

// Check returns an error where P and Q are not two distributions on the same outcomes, or the
// claim is out of its domain.
func (l DistributionPair) Check() error {
	if len(l.P) == 0 || len(l.P) != len(l.Q) {
		return fmt.Errorf("laws of %d and %d outcomes", len(l.P), len(l.Q))
	}
	if err := checkClaim(l.Epsilon, l.Delta); err != nil {
		return err
	}
	var p, q float64
	for i := range l.P {
		if !isMass(l.P[i]) || !isMass(l.Q[i]) {
			return fmt.Errorf("outcome %d has masses %v and %v: want 0, or numbers of at least 2^-1022", i, l.P[i], l.Q[i])
		}
		p, q = p+l.P[i], q+l.Q[i]
	}
	if math.Abs(p-1) > 1e-9 || math.Abs(q-1) > 1e-9 {
		return fmt.Errorf("masses sum to %v and %v", p, q)
	}
	return nil
}

// isMass refuses what is below the normal range: such numbers have lost their
// relative precision, and math.Log is wrong there on some processors.
func isMass(x float64) bool { return x == 0 || x >= 0x1p-1022 }

// checkClaim refuses an (ε, δ) that claims nothing, or is none.
func checkClaim(epsilon, delta float64) error {
	if !(epsilon >= 0 && epsilon <= math.MaxFloat64) || !(delta >= 0 && delta < 1) {
		return fmt.Errorf("claim ε = %v, δ = %v: want a finite ε ≥ 0 and δ in [0, 1)", epsilon, delta)
	}
	return nil
}

// Prepare computes the least ε of every pair and decides: there is nothing to sample.
func (x Exact) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
	pairs, err := x.Pairs()
	if err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, errors.New("no pairs of inputs")
	}
	e := verify.Evidence{Exact: true, Quantity: "privacy loss ε", Sense: verify.AtMost, Verdict: verify.Holds,
		Method: formula.Check{Domain: x.Domain, Proof: x.Proof}.Method()}
	look := lawsLook{cases: verify.Cases[verify.Cell]{Noun: "pair"}}
	worst, worstBroken := math.Inf(-1), false
	for _, l := range pairs {
		if err := l.Check(); err != nil {
			return nil, fmt.Errorf("at %s: %w", l.Place, err)
		}
		// Masses p(1−η) and q(1+η) are granted too. They lower the divergence to
		// (1−η) times its value at ε + 2η: the one is granted to δ, the other to ε.
		loss := bounds.MinEpsilon(l.P, l.Q, l.Delta*(1+lawError))
		c := verify.Cell{Label: l.Place, Claimed: verify.Num(l.Epsilon), Measured: verify.Num(loss), Lower: verify.Num(loss),
			Upper: verify.Num(loss), ExactValue: verify.Num(loss)}
		if len(e.Cells) < verify.MaxCells {
			e.Cells = append(e.Cells, c)
		}
		broken := loss > l.Epsilon+2*lawError*math.Max(1, l.Epsilon)
		if broken {
			e.Verdict = verify.Refuted
		}
		look.cases.See(c, broken)
		excess := loss / math.Max(l.Epsilon, 1e-300)
		if broken && !worstBroken || broken == worstBroken && tolerance.Above(excess, worst) {
			worst, worstBroken = excess, broken
			look.worst = c
		}
	}
	e.WorstCell(look.worst, len(e.Cells)) // it is beyond the last one shown, if anywhere
	e.LookAgain(&look)
	return verify.Decided(e), nil
}

// lawsLook is what a second look at known laws needs.
type lawsLook struct {
	cases verify.Cases[verify.Cell]
	worst verify.Cell
}

func (l *lawsLook) Tried() verify.Tried { return l.cases.Tried(verify.Cell.Place, l.worst) }

func (l *lawsLook) Attempt() string {
	return fmt.Sprintf("%s, every event in both directions; %s needs ε = %.4g, where %.4g is claimed",
		l.cases.InWords(verify.Cell.Place), l.cases.Nearest(l.worst.Label), l.worst.Measured.X, l.worst.Claimed.X)
}

func (l *lawsLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

// Needed is never asked: known laws leave nothing open.
func (l *lawsLook) Needed() string { return "" }
