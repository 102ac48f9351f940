package training

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// The limits below show the same scores under stronger assumptions, and without coins. No verdict uses them. All are
// for ε at error usualAlpha, so that audits with different alpha can be compared.

// assumedDelta returns the δ of these limits: the claim's δ, or 1e-5 for a claim about μ.
func (f oneRunStatistics) assumedDelta() float64 {
	if _, gaussian := f.Guarantee.Gaussian(); gaussian {
		return 1e-5
	}
	return f.Guarantee.Delta()
}

// assumedCounts holds the statistics of the limits that need more than guesses. Scores are negated if small scores are
// evidence for inclusion. The thresholds are the scores of fixed ranks; see attackRanks. Equal scores are in random
// order.
type assumedCounts struct {
	Above []int64 `json:"above"` // included scores above the i-th largest excluded score
	Below []int64 `json:"below"` // excluded scores below the i-th smallest included score
	// Moments of the scores; nil if they overflow, or at δ = 0, at which normal scores have no limit.
	In  *confidence.Moments `json:"included_moments,omitempty"`
	Out *confidence.Moments `json:"excluded_moments,omitempty"`
}

// attackRanks returns the ranks of the thresholds among n scores. They depend only on n.
func attackRanks(n int) (list []int) {
	const apart = 4
	for i := 1; len(list) == 0 || i <= n/apart; i *= apart {
		list = append(list, i)
	}
	return list
}

// assumed counts the scores at the thresholds. in and out are sorted.
func (f oneRunStatistics) assumed(r *rand.Rand, in, out []float64) *assumedCounts {
	if f.low() {
		in, out = negated(in), negated(out)
	}
	a := &assumedCounts{In: moments(in), Out: moments(out)}
	if a.In == nil || a.Out == nil || f.assumedDelta() == 0 {
		a.In, a.Out = nil, nil
	}
	included, excluded := ordered(r, in), ordered(r, out)
	for _, i := range attackRanks(len(out)) {
		a.Above = append(a.Above, int64(len(in)-included.below(excluded[len(out)-i])))
	}
	for _, i := range attackRanks(len(in)) {
		a.Below = append(a.Below, int64(excluded.below(included[i-1])))
	}
	return a
}

// orderedScores are scores in increasing order, each with a random number that orders equal scores.
type orderedScores [][2]float64

// ordered returns sorted scores with equal scores in random order.
func ordered(r *rand.Rand, sorted []float64) orderedScores {
	list := make(orderedScores, len(sorted))
	for i, x := range sorted {
		list[i] = [2]float64{x, r.Float64()}
	}
	slices.SortFunc(list, compareOrdered)
	return list
}

func compareOrdered(a, b [2]float64) int { return slices.Compare(a[:], b[:]) }

// below returns the number of scores below x.
func (o orderedScores) below(x [2]float64) int {
	i, _ := slices.BinarySearchFunc(o, x, compareOrdered)
	return i
}

// negated returns the negated values in increasing order.
func negated(sorted []float64) []float64 {
	out := make([]float64, len(sorted))
	for i, x := range sorted {
		out[len(sorted)-1-i] = -x
	}
	return out
}

// moments returns the moments of values, or nil if they overflow.
func moments(values []float64) *confidence.Moments {
	m := new(confidence.Moments)
	for _, x := range values {
		_ = m.Add(x) // scores are finite
	}
	if deviation := m.StdDev(); m.Mean()-m.Mean() != 0 || m.N() > 1 && deviation-deviation != 0 {
		return nil
	}
	return m
}

// checkAssumed returns an error if the counts are impossible for the numbers of canaries.
func (f oneRunStatistics) checkAssumed() error {
	a, included, excluded := f.Assumed, f.Reached.Included, f.Reached.Excluded
	if a == nil {
		return nil
	}
	possible := func(counts []int64, thresholds, scores int) bool {
		return len(counts) == len(attackRanks(thresholds)) && slices.IsSorted(counts) && counts[0] >= 0 &&
			counts[len(counts)-1] <= int64(scores)
	}
	if !possible(a.Above, excluded, included) || !possible(a.Below, included, excluded) {
		return fmt.Errorf("%v included and %v excluded scores beyond thresholds, of %d and %d: want increasing counts, "+
			"one for each rank", a.Above, a.Below, included, excluded)
	}
	if (a.In == nil) != (a.Out == nil) || a.In != nil && (f.assumedDelta() == 0 || a.In.N() != int64(included) ||
		a.Out.N() != int64(excluded)) {
		return fmt.Errorf("the moments are not of %d included and %d excluded scores: want both, or none; none at δ = 0",
			included,
			excluded)
	}
	return nil
}

// independent returns the largest limit of ε for independent scores. The thresholds of both sides share alpha equally.
func (a *assumedCounts) independent(included, excluded int, delta, alpha float64) (lowest float64, err error) {
	share := alpha / float64(len(a.Above)+len(a.Below))
	try := func(hits []int64, thresholds, scores int) {
		for i, rank := range attackRanks(thresholds) {
			a := confidence.RankAttack{Rank: int64(rank), Others: int64(thresholds), Hits: hits[i], Runs: int64(scores)}
			if err == nil {
				lowest, err = a.EpsilonLower(lowest, delta, share)
			}
		}
	}
	try(a.Above, excluded, included)
	try(a.Below, included, excluded)
	return lowest, err
}

// Names of the assumptions, in reports.
const (
	assumedCoins       = "coins"
	assumedTradeOff    = "f-DP"
	assumedIndependent = "independent scores"
	assumedGaussian    = "Gaussian scores"
	assumedNothing     = "no coins"
)

// assumedLimits returns the lower limits of ε under each assumption, or nothing if a report of an older version lacks
// the counts.
func (j oneRunJudge) assumedLimits() (list []verify.AssumedLimit, err error) {
	if j.Assumed == nil {
		return nil, nil
	}
	delta := j.assumedDelta()
	add := func(name, words string, epsilon float64, failed error) {
		err = cmp.Or(err, failed)
		list = append(list, verify.AssumedLimit{Name: name, Assumption: words, Delta: delta, Alpha: usualAlpha,
			Lower: verify.Num(epsilon)})
	}
	coins, failed := j.byCoins(delta)
	add(assumedCoins, "an independent coin included each canary", coins, failed)
	if delta > 0 {
		mu, _, failed := j.byTradeOff().lower(usualAlpha, gaussianNull.lower)
		words := "coins, and a training with a Gaussian trade-off function"
		if j.Event != (Event{}) && !j.curved() {
			words += "; a number of guesses fixed beforehand"
		}
		add(assumedTradeOff, words, confidence.GaussianTradeOff(mu).Epsilon(delta), failed)
	}
	c := j.Reached
	epsilon, failed := j.Assumed.independent(c.Included, c.Excluded, delta, usualAlpha)
	add(assumedIndependent, "independent scores, with one distribution for included and one for excluded canaries",
		epsilon, failed)
	if j.Assumed.In != nil {
		mu, failed := confidence.StandardizedLower(j.Assumed.In, j.Assumed.Out, usualAlpha)
		if failed == nil { // there is no limit if the scores of each kind are all equal
			add(assumedGaussian, "independent scores, normal with equal variances",
				confidence.GaussianTradeOff(mu).Epsilon(delta), nil)
		}
	}
	last, failed := j.withoutCoins()
	return append(list, last), cmp.Or(err, failed)
}

// withoutCoins returns the limit for records that nobody included at random. Under (ε, 0)-DP the odds that a guess is
// right are at most Γe^ε times the base odds, so the limit is the limit by coins at δ = 0 minus log Γ.
func (j oneRunJudge) withoutCoins() (verify.AssumedLimit, error) {
	pure, err := j.byCoins(0)
	l := verify.AssumedLimit{Name: assumedNothing, Assumption: "membership was not randomized; given a record and all " +
		"others, its odds of membership are within [1/Γ, Γ] of the base odds", Alpha: usualAlpha, Lower: verify.Num(pure),
		GammaZero: verify.Num(math.Exp(pure))}
	claimed := j.Guarantee.Value()
	if _, gaussian := j.Guarantee.Gaussian(); !gaussian && pure > claimed {
		l.GammaClaim = verify.Num(math.Exp(pure - claimed))
	}
	return l, err
}

// byCoins returns the lower limit of ε at delta for any training. It allows a number of guesses that depends on the
// scores.
func (j oneRunJudge) byCoins(delta float64) (float64, error) {
	n := approximateNull(delta, confidence.Guesses.EpsilonLower, confidence.Guesses.EpsilonP)
	if j.Event != (Event{}) {
		n = approximateNull(delta, confidence.Guesses.SelectedLower, confidence.Guesses.SelectedP)
	}
	epsilon, _, err := j.own.lower(usualAlpha, n.lower)
	return epsilon, err
}

// byTradeOff returns the guesses that test a trade-off function.
func (j oneRunJudge) byTradeOff() test {
	if j.curved() {
		return j.fixed
	}
	return j.own
}
