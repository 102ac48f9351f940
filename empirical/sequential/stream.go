package sequential

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// Stream tests claims on one stream of pairs of outputs, from which it also learns the bets. The wealth against
// each claim starts at 1. It is a mixture over experts, each with a score of the outputs and a prior of the log
// density ratio along it, and a share that is never bet. An expert's bet on a pair depends only on the earlier
// pairs.
type Stream struct {
	claims []*dominating
	tracks []*track
	event  eventBet
	n      int       // number of observed pairs
	refit  int       // number of pairs after which the bets are renewed
	wealth []float64 // log wealth against each claim
	peaks  []float64 // largest log wealth so far
}

const (
	cashShare  = 0.03 // share of the initial wealth that is never bet
	eventShare = 0.08 // share that bets on the event learned elsewhere
	// maxCells is the largest number of intervals of a score.
	maxCells = 16
	// pairsPerCell is the smallest number of pairs for each interval.
	pairsPerCell = 2
)

// ordered holds the priors of the log ratio along a score: small, smooth, and with jumps. classes holds the priors
// for a score without order.
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

// priors is the number of priors for each score.
const priors = 3

// Tracks is the number of scores that a stream follows simultaneously.
const Tracks = 3

// New returns a stream without observations. known states that the first score is the log density ratio.
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

// LogWealth returns the natural logarithm of the current wealth against the claim with the given index. Under the
// claim the wealth reaches 1/α at any time with probability at most α (Ville 1939).
func (s *Stream) LogWealth(claim int) float64 { return s.wealth[claim] }

// PeakLogWealth returns the largest log wealth against a claim so far. The peak is not an e-value.
func (s *Stream) PeakLogWealth(claim int) float64 { return s.peaks[claim] }

// Follow replaces the scores for the next pairs by at most Tracks new ones. They were chosen from the observed
// rows, a for the first input and b for the second. The wealth won so far is kept.
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

// Adopt follows an event that was learned from the observed pairs. Its believed probabilities are w.P for the more
// likely input and w.Q for the other input.
func (s *Stream) Adopt(w *distinguisher.Event) {
	s.event.event = w
	s.event.counts = [2]float64{w.P * float64(s.n), w.Q * float64(s.n)}
	s.event.n = float64(s.n)
	s.event.bet(s.claims)
}

// Observe bets on a pair: a row for the first input and a row for the second input. ties breaks ties of the event.
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

// imitate gives experts without a score the gains of the first score. before holds the first score's earlier log
// wealths.
func (s *Stream) imitate(before [priors][]float64) {
	for k := range before {
		for i := range s.claims {
			won := s.tracks[0].logs[k][i] - before[k][i]
			for _, t := range s.tracks[1:] {
				if t.score == nil {
					t.logs[k][i] += won
				}
			}
			if s.event.event == nil && k == 1 {
				s.event.wealth[i] += won
			}
		}
	}
}

// mixture returns the log wealth of the mixture of all experts against a claim.
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

// Logarithms of the initial shares: for each prior in the first track and in a later track.
var logCash, logEvent, logShares = math.Log(cashShare), math.Log(eventShare), func() (logs [2][priors]float64) {
	rest := math.Log((1 - cashShare - eventShare) / (1 + (Tracks-1)*laterTracks))
	for k, part := range priorShares {
		logs[0][k], logs[1][k] = rest+math.Log(part), rest+math.Log(laterTracks)+math.Log(part)
	}
	return logs
}()

// laterTracks is the share of each later score relative to the first score.
const laterTracks = 0.4

// refitFactor is the factor by which the number of pairs grows between renewals of the bets.
const refitFactor = 1.06

func (s *Stream) makeBets() {
	for _, t := range s.tracks {
		t.bet(s.claims, s.n)
	}
	s.event.bet(s.claims)
	s.refit = max(s.n+1, int(refitFactor*float64(s.n)))
}
