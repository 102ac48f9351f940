package training

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// A verdict of consistent needs an attack that the run would have refuted with probability nearPower. The calculation
// is conditional on the scores. They determine which canaries are guessed, so ties and class sizes are those in the
// file. Given the scores, the coins of an attack are independent, with a probability that follows from the rank of the
// score. The number of right guesses is then a sum of independent coins. Its lower tail is at most the tail of a
// binomial distribution with the same mean (Hoeffding 1956, for counts up to 1 below the mean).

// nearFactor is the factor by which the attack exceeds the claim.
const nearFactor = 1.25

// nearPower is the probability of a refutation that a verdict of consistent needs.
const nearPower = 0.99

// rankMiss bounds the probability that the ranks of the scores differ from their expectation by more than the allowed
// margin. It applies once to the scores of the file and once to the scores drawn to compute a distribution.
const rankMiss = 1e-3

// pick describes the guessed scores at one end: all of the Beyond most extreme scores, and Chosen of the Tied equal
// scores that follow.
type pick struct {
	Beyond int64 `json:"beyond"`
	Tied   int64 `json:"tied"`
	Chosen int64 `json:"chosen"`
}

// picked holds the guesses of one rung: canaries guessed to be included, and canaries guessed to be excluded.
type picked struct {
	In  pick `json:"in"`
	Out pick `json:"out"`
}

func (p picked) guesses() int64 { return p.In.Beyond + p.In.Chosen + p.Out.Beyond + p.Out.Chosen }

// possible reports whether the counts fit this many guesses on this many canaries.
func (p picked) possible(guesses, canaries int64) bool {
	for _, side := range []pick{p.In, p.Out} {
		if side.Beyond < 0 || side.Chosen < 0 || side.Chosen > side.Tied || side.Beyond+side.Tied > canaries {
			return false
		}
	}
	return p.guesses() == guesses
}

// picks describes the guesses of each rung by the ranks of their scores; sorted has all scores in increasing order.
// Canaries are guessed to be included from the end with the largest scores, or from the other end if low is true.
func (s *Scores) picks(g guessed, list []rung, sorted []float64, low bool) []picked {
	out := make([]picked, len(list))
	for i, r := range list {
		least, most := math.Inf(1), math.Inf(-1) // the least extreme guessed scores of the two ends
		for _, row := range g.order[:r.guesses] {
			if x := s.values[row]; g.in[row] != low {
				least = min(least, x)
			} else {
				most = max(most, x)
			}
		}
		var top, bottom pick
		for _, row := range g.order[:r.guesses] {
			x, to, edge := s.values[row], &bottom, most
			if g.in[row] != low {
				to, edge = &top, least
			}
			if x == edge {
				to.Chosen++
			} else {
				to.Beyond++
			}
		}
		for to, edge := range map[*pick]float64{&top: least, &bottom: most} {
			if to.Chosen > 0 {
				to.Tied = int64(lowerBound(sorted, math.Nextafter(edge, math.Inf(1))) - lowerBound(sorted, edge))
			}
		}
		if out[i] = (picked{In: top, Out: bottom}); low {
			out[i] = picked{In: bottom, Out: top}
		}
	}
	return out
}

// response is randomized response for each canary's coin: an answer is right with probability right. The Cut canaries
// with the most extreme scores have the answer "in".
type response struct{ chance, right float64 }

// near returns the randomized response that attains nearFactor times the claimed ε. ok is false for another guarantee,
// and for claims that no attack exceeds.
func (f oneRunStatistics) near() (r response, ok bool) {
	epsilon, _, ok := f.Guarantee.Approximate()
	right := 1 / (1 + math.Exp(-nearFactor*epsilon))
	return response{f.chance(), right}, ok && right > 0.5 && right < 1
}

// answers returns the probability that an answer is "in".
func (r response) answers() float64 { return r.chance*r.right + (1-r.chance)*(1-r.right) }

// cuts returns the smallest and the largest number of answers "in" that the scores allow. A cut does not divide equal
// scores. Randomized response has a number outside the range with probability at most rankMiss. cuts returns nil if
// there is no such number.
func (r response) cuts(sorted []float64, low bool) []int64 {
	m := int64(len(sorted))
	least, most := confidence.BinomialRange(m, r.answers(), rankMiss/2)
	first, last := m-most, m-least // numbers of scores below a cut
	if low {
		first, last = least, most
	}
	first, last = max(first, 1), min(last, m-1)
	if first > last {
		return nil
	}
	if sorted[first-1] == sorted[first] {
		first = int64(lowerBound(sorted, math.Nextafter(sorted[first], math.Inf(1))))
	}
	if sorted[last-1] == sorted[last] {
		last = int64(lowerBound(sorted, sorted[last]))
	}
	switch {
	case first > last:
		return nil
	case low:
		return []int64{first, last}
	}
	return []int64{m - last, m - first}
}

// mean returns the smallest mean probability of a right guess at the cuts. Guesses "in" gain from a larger number of
// answers "in", and guesses "out" lose. As the two are from opposite ends, no number between the cuts has a smaller
// mean.
func (r response) mean(p picked, cuts []int64, canaries int64) float64 {
	least := 1.0
	in := r.chance * r.right / r.answers()
	out := (1 - r.chance) * r.right / (1 - r.answers())
	for _, cut := range cuts {
		agreeIn, agreeOut := p.In.among(cut), p.Out.among(canaries-cut)
		allIn, allOut := float64(p.In.Beyond+p.In.Chosen), float64(p.Out.Beyond+p.Out.Chosen)
		right := agreeIn*in + (allIn-agreeIn)*(1-out) + agreeOut*out + (allOut-agreeOut)*(1-in)
		least = min(least, right/(allIn+allOut))
	}
	return least
}

// among returns the number of guesses among the given number of most extreme scores.
func (p pick) among(most int64) float64 {
	n := float64(min(p.Beyond, most))
	if p.Tied > 0 {
		n += float64(p.Chosen) * float64(min(max(most-p.Beyond, 0), p.Tied)) / float64(p.Tied)
	}
	return n
}

// shows reports whether the number of right guesses is least or more with probability at least nearPower. Guesses are
// right with the given mean probability. The result is conditional on an event with probability given, which can make
// few right guesses more probable by the factor 1/given.
func shows(least, guesses int64, mean, given float64) bool {
	if !(float64(least) <= float64(guesses)*mean) {
		return false
	}
	tails, err := confidence.BinomialTest(least, guesses, mean)
	return err == nil && 1-tails.Greater <= (1-nearPower-2*rankMiss)*given
}

// leastRight returns the smallest number of right guesses that refutes a value, by bisection, or one more than the
// number of guesses if none does.
func (t test) leastRight(g confidence.Guesses, value, alpha float64) int64 {
	low, high := int64(-1), g.Guessed+1 // not refuted, refuted
	for high-low > 1 {
		if g.Right = (low + high) / 2; t.null.refuted(g, value, alpha) {
			high = g.Right
		} else {
			low = g.Right
		}
	}
	return high
}

// ideal returns guesses of the most extreme scores without ties.
func (f oneRunStatistics) ideal(list []rung) []picked {
	out := make([]picked, len(list))
	for i, r := range list {
		switch {
		case f.Event != (Event{}) || f.Chance != 0 && f.Chance <= 0.5:
			out[i] = picked{In: pick{Beyond: r.guesses}}
		case f.Chance == 0:
			out[i] = picked{In: pick{Beyond: r.guesses / 2}, Out: pick{Beyond: r.guesses - r.guesses/2}}
		default:
			out[i] = picked{Out: pick{Beyond: r.guesses}}
		}
	}
	return out
}

// sortedValues returns the scores in increasing order.
func (s *Scores) sortedValues() []float64 { return slices.Sorted(slices.Values(s.values)) }

// attack is a training that exceeds the claim, with a score of known distribution.
type attack struct {
	name   string
	needed bool // the verdict of consistent needs it
	// right returns a lower bound of the mean probability of a right guess; 0 if the distribution cannot have such
	// scores.
	right func(p picked, canaries int64) float64
}

// known returns the attacks whose power the report states.
func (j oneRunJudge) known() []attack {
	s := j.Score
	switch {
	case s.Kind == "" && j.Described != nil, j.low() && s.Kind != "" && s.Kind != ResponseScore, j.loose():
		return nil // no distribution is known, or canaries with small scores are guessed to be included
	case s.Kind == "" || s.Kind == ResponseScore:
		if r, ok := j.near(); ok {
			return []attack{{"", true, func(p picked, canaries int64) float64 {
				cuts := j.Cuts
				if canaries != int64(j.canaries()) {
					cuts = []int64{int64(r.answers() * float64(canaries))}
				}
				if len(cuts) == 0 {
					return 0
				}
				return r.mean(p, cuts, canaries)
			}}}
		}
	case s.Kind == GaussianScore:
		if mu, gaussian := j.Guarantee.Gaussian(); gaussian && mu > 0 && mu < maxNearMu {
			const places = 10_000
			law := rank(j.chance(), places, func(i int, in bool) float64 {
				x := normalQuantile((float64(i) + 0.5) / places)
				if in {
					x += nearFactor * mu
				}
				return x
			})
			return []attack{{"", true, law.right}}
		}
	default:
		return j.faulty()
	}
	return nil
}

// loose reports whether the audit has an event, a score with a stated distribution and no account. The scores then
// determine how many canaries have the event. A faulty training changes this number, so the number in the score file
// says nothing about the power against that fault.
// Answers of randomized response have the same number under each attack: see response.cuts.
func (j oneRunJudge) loose() bool {
	return j.Event != (Event{}) && j.Described == nil && j.Score.Kind != "" && j.Score.Kind != ResponseScore
}

// maxNearMu is a value of μ so large that scores do not show a violation of it.
const maxNearMu = 30

// faulty returns the named faults of a training, with the distribution of its score.
func (j oneRunJudge) faulty() (list []attack) {
	if j.Score.Steps > maxSimulated {
		return nil
	}
	needed, untested := j.Score.faults()
	if told := j.Described; told != nil && told.Steps != nil && told.Steps.Rate == 1 { // the account allows a known order
		needed = slices.DeleteFunc(needed, func(f fault) bool { return f == knownOrders })
	}
	for i, f := range needed {
		r := rand.New(rand.NewPCG(uint64(i), 45)) // a fixed seed: the distribution is the same in all runs
		law := rank(j.chance(), j.Score.simulated(), func(i int, in bool) float64 {
			return j.Score.draw(r, f, i, in)
		})
		list = append(list, attack{string(f), true, law.right})
	}
	for _, f := range untested {
		list = append(list, attack{string(f), false, func(picked, int64) float64 { return 0 }})
	}
	return list
}

// sees reports for each attack whether this many canaries would have refuted it with probability at least nearPower,
// with these picks. The test depends on whether the number of included canaries is the expected number. The
// probability is therefore conditional on the answer in this run.
func (j oneRunJudge) sees(by test, canaries int64) []bool {
	out := make([]bool, len(j.attacks))
	all, given := expected(int(canaries), j.chance())
	condition := given
	if j.own.given == 1 {
		condition, given = 1-all, 1
	}
	alpha := j.whole * given
	for i, r := range by.rungs {
		g := confidence.Guesses{Canaries: canaries, Guessed: r.guesses, Chance: j.own.tallies[0].Chance}
		least := by.leastRight(g, j.Guarantee.Value(), alpha*r.alpha)
		for a, attack := range j.attacks {
			out[a] = out[a] || shows(least, r.guesses, attack.right(by.picks[i], canaries), condition)
		}
	}
	return out
}

// all reports whether there is a needed attack and every needed attack is seen.
func all(list []attack, seen []bool) bool {
	some := false
	for i, a := range list {
		if a.needed && !seen[i] {
			return false
		}
		some = some || a.needed
	}
	return some
}

// maxCanaries is the largest number of canaries that a report requests. With an account it is maxDescribed, since the
// account's trade-off function takes longer to test.
const (
	maxCanaries  = 10_000_000
	maxDescribed = 200_000
)

// enough returns the smallest number of canaries that would have detected all needed attacks if no scores were tied. It
// tries the canaries of this run times powers of two, up to the largest number requested, and returns 0 if none is
// enough.
func (j oneRunJudge) enough() int64 {
	by, wanted := j.decidedBy(), maxCanaries
	if j.Described != nil {
		wanted = maxDescribed
	}
	for more := 1; len(j.attacks) > 0 && j.canaries()*more <= wanted; more *= 2 {
		n := j.canaries() * more
		by.rungs, _, _ = j.numbers(n)
		if j.Event != (Event{}) {
			by.rungs = []rung{{j.own.tallies[0].Guessed * int64(more), 1}}
			if j.curved() {
				by.rungs = halves(n)
			}
		}
		by.picks = j.ideal(by.rungs)
		if all(j.attacks, j.sees(by, int64(n))) {
			return int64(n)
		}
	}
	return 0
}
