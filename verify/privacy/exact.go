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

// Exact checks (ε, δ) claims by computation for known output distributions on pairs of neighboring inputs.
type Exact struct {
	Domain string // description of the pairs
	Proof  string // why these pairs decide for all neighbors; "" if the verdict applies only to them
	Pairs  func() ([]DistributionPair, error)
}

// DistributionPair holds the output distributions of a mechanism at two neighboring inputs: the probabilities of
// the same outcomes under each. A region with a constant density ratio counts as one outcome.
type DistributionPair struct {
	Place          string    // description of the inputs
	P, Q           []float64 // probabilities of equal length, each summing to 1
	Epsilon, Delta float64   // the claim: ε ≥ 0 and finite, δ in [0, 1)
}

// lawError is the permitted relative error of probabilities computed in floating point. It changes a privacy loss
// by at most twice as much.
const lawError = 1e-12

// Check returns an error if P and Q are not distributions on the same outcomes or the claim is outside its domain.
func (l DistributionPair) Check() error {
	if len(l.P) == 0 || len(l.P) != len(l.Q) {
		return fmt.Errorf("distributions of %d and %d outcomes: want equal numbers of at least 1", len(l.P), len(l.Q))
	}
	if err := checkClaim(l.Epsilon, l.Delta); err != nil {
		return err
	}
	var p, q float64
	for i := range l.P {
		if !isMass(l.P[i]) || !isMass(l.Q[i]) {
			return fmt.Errorf("outcome %d has probabilities %v and %v: want 0, or numbers of at least 2^-1022", i, l.P[i],
				l.Q[i])
		}
		p, q = p+l.P[i], q+l.Q[i]
	}
	if math.Abs(p-1) > 1e-9 || math.Abs(q-1) > 1e-9 {
		return fmt.Errorf("probabilities sum to %v and %v: want 1", p, q)
	}
	return nil
}

// isMass rejects numbers below the normal range. They have lost their relative precision, and math.Log is
// inaccurate for them on some processors.
func isMass(x float64) bool { return x == 0 || x >= 0x1p-1022 }

// checkClaim returns an error if (ε, δ) is outside its domain.
func checkClaim(epsilon, delta float64) error {
	if !(epsilon >= 0 && epsilon <= math.MaxFloat64) || !(delta >= 0 && delta < 1) {
		return fmt.Errorf("claim ε = %v, δ = %v: want a finite ε ≥ 0 and δ in [0, 1)", epsilon, delta)
	}
	return nil
}

// Prepare computes the smallest ε of every pair and decides without sampling.
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
		// Allow for probabilities p(1−η) and q(1+η). They lower the divergence to (1−η) times its value
		// at ε + 2η; the first factor is granted to δ and the second to ε.
		loss := bounds.MinEpsilon(l.P, l.Q, l.Delta*(1+lawError))
		c := verify.Cell{Label: l.Place, Claimed: verify.Num(l.Epsilon), Measured: verify.Num(loss),
			Lower: verify.Num(loss),
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
	e.WorstCell(look.worst, len(e.Cells)) // the worst cell may not be among the listed ones
	e.LookAgain(&look)
	return verify.Decided(e), nil
}

// lawsLook describes the strongest attempt of an [Exact] check to refute its claim.
type lawsLook struct {
	cases verify.Cases[verify.Cell]
	worst verify.Cell
}

func (l *lawsLook) Tried() verify.Tried { return l.cases.Tried(verify.Cell.Place, l.worst) }

func (l *lawsLook) Attempt() string {
	return fmt.Sprintf("%s, every event in both directions; %s needs ε = %.4g, the claim is %.4g",
		l.cases.InWords(verify.Cell.Place), l.cases.Nearest(l.worst.Label), l.worst.Measured.X, l.worst.Claimed.X)
}

func (l *lawsLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

// Needed returns "": a computed verdict is never inconclusive.
func (l *lawsLook) Needed() string { return "" }
