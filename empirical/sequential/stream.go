package sequential

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// Stream tests claims by one stream of pairs of outputs, which teaches the bets and is bet on. The
// wealth against each claim starts at 1 and is a mixture over experts, each with a score of the
// outputs and a law of the densities' ratio along it, and a share that is never bet. An expert's
// bet on a pair is made from the pairs before.
type Stream struct {
	claims []*dominating
	tracks []*track
	event  eventBet
	n      int       // pairs observed
	refit  int       // pairs after which the bets are made anew
	wealth []float64 // log wealth against each claim
	peaks  []float64 // the largest so far
}

const (
	cashShare  = 0.03 // of the wealth at the start is never bet
	eventShare = 0.08 // follows the event that was learned elsewhere
	// maxCells are the most intervals of a score.
	maxCells = 16
	// pairsPerCell are the fewest pairs that an interval more is made for.
	pairsPerCell = 2
)

// The priors of the log ratio along a score: of one that is small, of one that bends little, and of
// one that jumps. A score without order has the others.
var (
	ordered = [priors]prior{
		{level: 0.1, trend: 0.15, height: 0.15, length: 1.5},
		{level: 0.5, trend: 0.6, height: 1.2, length: 1.2, bow: 0.5},
		{level: 0.3, trend: 0.5, height: 1.5, length: 0.5, nugget: 0.3},
	}
	classes = [priors]prior{
		{level: 0.1, length: 1, nugget: 0.2},
		{level: 0.3, length: 1, nugget: 1},
		{level: 0.3, length: 1, nugget: 2},
	}
	priorShares = [priors]float64{0.15, 0.6, 0.25}
)

// priors of each score.
const priors = 3

// Tracks is the number of scores that a stream follows at a time.
const Tracks = 3

// New is a stream that has seen nothing. The first score is known to be the logarithm of the
// densities' ratio, or it is not.
func New(claims []Claim, known bool) *Stream {
	s := &Stream{refit: 2, wealth: make([]float64, len(claims)), peaks: make([]float64, len(claims))}
	for _, c := range claims {
		s.claims = append(s.claims, newDominating(c))
	}
	s.event.wealth = make([]float64, len(claims))
	for range Tracks {
		s.tracks = append(s.tracks, newTrack(len(claims)))
	}
	s.tracks[0].known = known
	return s
}

// LogWealth is the logarithm of the current wealth against a claim, by its place. Under the claim
// the probability that the wealth ever reaches 1/α is at most α (Ville 1939).
func (s *Stream) LogWealth(claim int) float64 { return s.wealth[claim] }

// PeakLogWealth is the largest logarithm of the wealth against a claim so far. It is no e-value.
func (s *Stream) PeakLogWealth(claim int) float64 { return s.peaks[claim] }

// Follow replaces the scores that are followed from here on, at most Tracks, by ones that were
// chosen from the rows observed, a under the first input and b under the second. The wealth that
// was won with those before is kept.
func (s *Stream) Follow(scores []distinguisher.Score, a, b *distinguisher.Rows) {
	for i, t := range s.tracks {
		if i >= len(scores) {
			*t = track{logs: t.logs, known: t.known}
			continue
		}
		t.follow(scores[i], a, b)
	}
	s.refit = s.n
	s.makeBets()
}

// Adopt follows an event that was learned from the pairs observed, with the probabilities that
// it is believed to have under the input where it is likelier and under the other.
func (s *Stream) Adopt(w *distinguisher.Event) {
	s.event.witness = w
	s.event.counts = [2]float64{w.P * float64(s.n), w.Q * float64(s.n)}
	s.event.n = float64(s.n)
	s.event.bet(s.claims)
}

// Observe bets on a pair, a row of an output under the first input and one under the second.
func (s *Stream) Observe(ties *rand.Rand, a, b []float64) {
	before := s.tracks[0].clone()
	for _, t := range s.tracks {
		t.observe(a, b)
	}
	s.event.observe(ties, a, b)
	s.imitate(before)
	s.n++
	for i := range s.wealth {
		s.wealth[i] = s.mixture(i)
		s.peaks[i] = math.Max(s.peaks[i], s.wealth[i])
	}
	if s.n >= s.refit {
		s.makeBets()
	}
}

// imitate lets the experts that have nothing of their own yet bet as the first score's do, whose
// log wealths before are given.
func (s *Stream) imitate(before [priors][]float64) {
	for k := range before {
		for i := range s.claims {
			won := s.tracks[0].logs[k][i] - before[k][i]
			for _, t := range s.tracks[1:] {
				if t.score == nil {
					t.logs[k][i] += won
				}
			}
			if s.event.witness == nil && k == 1 {
				s.event.wealth[i] += won
			}
		}
	}
}

// mixture of the wealths of all experts against a claim.
func (s *Stream) mixture(claim int) float64 {
	var logs [2 + Tracks*priors]float64
	logs[0], logs[1] = logCash, logEvent+s.event.wealth[claim]
	n := 2
	for i, t := range s.tracks {
		for k, share := range logShares[min(i, 1)] {
			logs[n] = share + t.logs[k][claim]
			n++
		}
	}
	top := slices.Max(logs[:n])
	sum := 0.0
	for _, l := range logs[:n] {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum)
}

// The logarithms of the shares: of each prior in the first track, and in a later one.
var logCash, logEvent, logShares = math.Log(cashShare), math.Log(eventShare), func() (logs [2][priors]float64) {
	rest := math.Log((1 - cashShare - eventShare) / (1 + (Tracks-1)*laterTracks))
	for k, part := range priorShares {
		logs[0][k], logs[1][k] = rest+math.Log(part), rest+math.Log(laterTracks)+math.Log(part)
	}
	return logs
}()

// laterTracks is the share of each score after the first, over that of the first.
const laterTracks = 0.4

// refitFactor is by what the pairs grow from one making of bets to the next.
const refitFactor = 1.06

func (s *Stream) makeBets() {
	for _, t := range s.tracks {
		t.bet(s.claims, s.n)
	}
	s.event.bet(s.claims)
	s.refit = max(s.n+1, int(refitFactor*float64(s.n)))
}
