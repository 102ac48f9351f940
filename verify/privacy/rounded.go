package privacy

import (
	"fmt"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// The search rounds numbers, so it does not detect leaks in their low-order bits; [FloatingPoint] checks these. The
// audit's own samples may show that the frequency of one unrounded number contradicts the claim. The verdict is
// then inconclusive instead of consistent, whether or not the precision is checked.

// roundedError is the probability that such a number makes the verdict on a true claim inconclusive.
const roundedError = 1e-6

// seeRounded searches every pair for such a number.
func (t *auditTrial[D, O]) seeRounded() {
	if t.LogLikelihood != nil {
		return
	}
	alpha := roundedError / float64(len(t.Pairs))
	apart := func(x, nx, y, ny int64, tests int) bool {
		if t.Guarantee.FromProbabilities(float64(x)/float64(nx), float64(y)/float64(ny)) <= t.Guarantee.Value() {
			return false // skip the limit, which takes longer to compute and is not above the claim either
		}
		return diagnosis.LowerLimit(t.Guarantee, x, nx, y, ny, alpha/float64(tests)) > t.Guarantee.Value()
	}
	for i := range t.shown.Pairs {
		a, b := t.atoms(inputPlace{Pair: i}), t.atoms(inputPlace{Pair: i, AtB: true})
		if words := diagnosis.AtomDifference(a, b, apart); words != "" {
			t.roundedAtom = fmt.Sprintf("%s, %s", t.Pairs[i].Name, words)
			return
		}
	}
}

// atoms returns the numbers in the search sample at a place, which may belong to another pair with the same input.
func (t *auditTrial[D, O]) atoms(at inputPlace) *diagnosis.Atoms {
	own := &t.shown.Pairs[at.Pair].Examples[at.Side()].Atoms
	if at = t.sharing.Input(at); own.Outputs() == 0 {
		own = &t.shown.Pairs[at.Pair].Examples[at.Side()].Atoms
	}
	return own
}

// withdrawRounded makes the verdict inconclusive if such a number contradicts the claim.
func (t *auditTrial[D, O]) withdrawRounded(e *verify.Evidence) {
	if t.roundedAtom == "" || e.Verdict == verify.Refuted {
		return
	}
	e.Verdict, e.Attempt = verify.Inconclusive, ""
	e.Power = fmt.Sprintf("%s: this contradicts the claim, but the number differs from others in its low-order bits, "+
		"which this audit rounds", t.roundedAtom)
	e.Needed = "the precision check of this claim, which judges low-order bits; more samples of the audit do not help"
}
