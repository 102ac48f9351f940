package training

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/decimal"
)

// The scores, together with coins of this program, determine which canaries are guessed and how. The bounds allow
// this choice without a correction. Only the numbers of guesses must be fixed beforehand; a few numbers share alpha.
// A threshold chosen by the number of right guesses would need a correction.

// rung is a number of guesses with its share of alpha.
type rung struct {
	guesses int64
	alpha   float64
}

const (
	// At most half of the canaries are guessed. Each further rung has a fifth of the guesses, as long as a bound is
	// possible. A few extreme scores detect most weak attacks on many canaries; a large ε needs many guesses.
	maxGuessed, lessGuessed, minGuessed = 0.5, 5, 100
	// Fewer guesses need more of alpha: each rung has twice the alpha of the rung above.
	lessAlpha = 2
	// The number of guesses of one kind is below the number of canaries of that kind. The margin is this many standard
	// deviations of that number, or half of the number if that is less. With more guesses, some would be wrong even for
	// an attack that knows all coins.
	rarerSpread = 3
	// The last rung has a quarter of the fewest guesses and a tenth of alpha. It detects trainings that reveal a few
	// records completely.
	fewest, fewestAlpha = 4, 0.1
)

// rungs returns the numbers of guesses. They depend only on the number of canaries and on the inclusion probability.
// If all guesses are of one kind, the number of canaries of that kind limits the right ones.
func rungs(canaries int, chance, alpha float64) []rung {
	all := float64(canaries)
	top := maxGuessed * all
	if share := min(chance, 1-chance); chance != 0 {
		top = min(top, max(share*all-rarerSpread*math.Sqrt(share*(1-share)*all), share*all/2))
	}
	var list []rung
	for k := top; len(list) == 0 || k >= minGuessed; k /= lessGuessed {
		list = append(list, rung{guesses: max(1, int64(k))})
	}
	few := list[len(list)-1].guesses / fewest
	if few > 0 {
		alpha *= 1 - fewestAlpha
	}
	weight, weights := 1.0, math.Ldexp(1, len(list))-1
	for i := range list {
		list[i].alpha = alpha * weight / weights
		weight *= lessAlpha
	}
	if few > 0 {
		list = append(list, rung{few, alpha * fewestAlpha / (1 - fewestAlpha)})
	}
	return list
}

// guessed orders the canaries by the distance of their scores from the median, the furthest first, with a guess for
// each: in if the score is above a threshold, out if it is below. The threshold is between distinct scores, so
// canaries with equal scores have equal guesses. Canaries at equal distance are in random order, since the order of the
// rows may show which were included.
type guessed struct {
	order []int32
	in    []bool // by row
}

// guess makes guesses of both kinds. The threshold is next to the median. Scores that equal the median are on the side
// with fewer other scores. sorted has all scores in increasing order.
func (s *Scores) guess(r *rand.Rand, sorted []float64) guessed {
	n := len(s.values)
	g, ties := shuffled(r, n)
	centre := sorted[(n-1)/2]/2 + sorted[n/2]/2
	below := lowerBound(sorted, centre)
	above := n - lowerBound(sorted, math.Nextafter(centre, math.Inf(1)))
	for i, x := range s.values {
		g.in[i] = x > centre || x == centre && above <= below
	}
	slices.SortFunc(g.order, func(a, b int32) int {
		if c := cmp.Compare(math.Abs(s.values[b]-centre), math.Abs(s.values[a]-centre)); c != 0 {
			return c
		}
		return cmp.Compare(ties[a], ties[b])
	})
	return g
}

// shuffled returns the rows in random order, and the place of each row in it.
func shuffled(r *rand.Rand, n int) (g guessed, places []int32) {
	g, places = guessed{order: make([]int32, n), in: make([]bool, n)}, make([]int32, n)
	for i, j := range r.Perm(n) {
		g.order[i], places[j] = int32(j), int32(i)
	}
	return g, places
}

// guessOne returns guesses of one kind, ordered by score. The largest comes first if canaries are guessed to be
// included.
func (s *Scores) guessOne(r *rand.Rand, in bool) guessed {
	g, ties := shuffled(r, len(s.values))
	for i := range g.in {
		g.in[i] = in
	}
	slices.SortFunc(g.order, func(a, b int32) int {
		c := cmp.Compare(s.values[a], s.values[b])
		switch {
		case c == 0:
			return cmp.Compare(ties[a], ties[b])
		case in:
			return -c
		}
		return c
	})
	return g
}

// guessEvent returns guesses of inclusion, ordered by score from the end at which the event is.
func (s *Scores) guessEvent(r *rand.Rand, e Event) guessed {
	g := s.guessOne(r, e.Holds(math.Inf(1)))
	for i := range g.in {
		g.in[i] = true
	}
	return g
}

// halves returns numbers of guesses of one kind: a half, a quarter, and so on of the canaries, with equal shares of
// alpha.
func halves(canaries int) (list []rung) {
	const fewestOfEvent = 8
	for k := max(1, canaries/2); len(list) == 0 || k >= fewestOfEvent; k /= 2 {
		list = append(list, rung{guesses: int64(k)})
	}
	for i := range list {
		list[i].alpha = 1 / float64(len(list))
	}
	return list
}

// right counts the right guesses among the first ones, for each rung.
func (s *Scores) right(g guessed, list []rung, chance float64) []confidence.Guesses {
	out := make([]confidence.Guesses, len(list))
	for i, r := range list {
		out[i] = confidence.Guesses{Canaries: int64(len(s.values)), Guessed: r.guesses, Chance: chance}
		for _, row := range g.order[:r.guesses] {
			if g.in[row] == s.included[row] {
				out[i].Right++
			}
		}
	}
	return out
}

// Event selects the canaries that are guessed to be included by a bound on their score, fixed before the scores are
// read. The others are not guessed. The zero value means no event. The number of guesses depends on the scores.
type Event struct {
	relation  string
	threshold float64
}

var eventForm = regexp.MustCompile(`^\s*score\s*(>=|<=|>|<|≥|≤)\s*(\S+)\s*$`)

// ParseEvent reads an event such as score >= 0.3.
func ParseEvent(text string) (Event, error) {
	parts := eventForm.FindStringSubmatch(text)
	if parts == nil {
		return Event{}, fmt.Errorf("event %q: want a bound of the score, as in 'score >= 0.3'", text)
	}
	x, err := decimal.Float(parts[2])
	if err != nil {
		return Event{}, fmt.Errorf("event %q: %w", text, err)
	}
	relation := map[string]string{"≥": ">=", "≤": "<="}[parts[1]]
	return Event{cmp.Or(relation, parts[1]), x}, nil
}

// ScoresAtLeast returns the event score >= threshold.
func ScoresAtLeast(threshold float64) Event { return Event{">=", threshold} }

// String formats the event as [ParseEvent] reads it.
func (e Event) String() string {
	if e == (Event{}) {
		return ""
	}
	return fmt.Sprintf("score %s %v", e.relation, e.threshold)
}

// Holds reports whether a score satisfies the event.
func (e Event) Holds(score float64) bool {
	switch e.relation {
	case ">=":
		return score >= e.threshold
	case "<=":
		return score <= e.threshold
	case ">":
		return score > e.threshold
	}
	return score < e.threshold
}

// count counts the right guesses for each rung and adds the ranks of their scores; see picks.
func (s *Scores) count(g guessed, list []rung, sorted []float64, low bool) (out []guesses) {
	picks := s.picks(g, list, sorted, low)
	for i, c := range s.right(g, list, 0) {
		out = append(out, guesses{c.Guessed, c.Right, picks[i]})
	}
	return out
}

// rightOf counts the canaries with the event and how many of them were included.
func (s *Scores) rightOf(e Event) (out guesses) {
	for i, x := range s.values {
		if e.Holds(x) {
			out.Guessed++
			if s.included[i] {
				out.Right++
			}
		}
	}
	out.In.Beyond = out.Guessed
	return out
}
