package training

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
)

const (
	// firstLook is after how many runs of each world what to bet on is chosen first; the runs grow by a quarter from one
	// choice to the next.
	firstLook = 4
	// mostLoss is the largest claim that a bet can be lost on.
	mostLoss = 300
)

// bets go against a claim, what is described beside it, and smaller and larger values of its parameter, by a run of
// either world at a time. Each bet follows from the runs before: the wealth after some runs is the same however many
// follow.
type bets struct {
	multiRunStatistics
	rungs     []float64
	claim     int // its place among the rungs
	described int // its place behind them; −1 where there is none
	stream    *sequential.Stream
	ties      *rand.Rand
	rows      [2]*distinguisher.Rows
	n, next   int
	passed    sequential.Passed
	refutes   bool
	of        [2]bool // by the claim, and by what is described
	need      float64 // of the log wealth
}

func (f multiRunStatistics) newBets(s verify.Settings) (*bets, error) {
	b := &bets{multiRunStatistics: f, described: -1, ties: s.Stream("ties"), next: firstLook,
		need: -math.Log(f.Described.share(s.Alpha))}
	b.passed.Family = 1
	value := f.Guarantee.Value()
	for _, factor := range []float64{0, 0.1, 0.25, 0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 3, 4} {
		if rung := factor * math.Max(value, 0); factor == 1 || rung < mostLoss && !slices.Contains(b.rungs, rung) {
			b.rungs = append(b.rungs, rung)
		}
	}
	if value == 0 {
		b.rungs = append(b.rungs[:1], 0.05, 0.1, 0.2, 0.5, 1, 2)
	}
	b.claim = slices.Index(b.rungs, value)
	var claims []sequential.Claim
	for _, rung := range b.rungs {
		claims = append(claims, curve(f.Guarantee.With(rung)))
	}
	if f.Described != nil {
		described, ok := describedCurve(f.Described.Null)
		if !ok {
			return nil, errors.New("no curve of the description is known to bet against")
		}
		b.described = len(claims)
		claims = append(claims, described)
		b.passed.Family = 2
	}
	b.stream = sequential.New(claims, false)
	b.rows = [2]*distinguisher.Rows{distinguisher.NewRows(1, 0), distinguisher.NewRows(1, 0)}
	return b, nil
}

// row is what is bet on of a score.
func (b *bets) row(score float64) []float64 {
	if b.Event == (Event{}) {
		return []float64{score}
	}
	if b.Event.Holds(score) {
		return []float64{1}
	}
	return []float64{0}
}

// follow bets on all runs that both worlds have, from where it stands, until the claim is refuted.
func (b *bets) follow(s scores) {
	for b.n < min(len(s[0]), len(s[1])) && !b.refutes {
		with, without := b.row(s[0][b.n]), b.row(s[1][b.n])
		b.stream.Observe(b.ties, with, without)
		b.rows[0].Append(with)
		b.rows[1].Append(without)
		b.n++
		b.passed.See(b.stream.LogWealth(b.claim), int64(b.n))
		b.of[0] = b.of[0] || b.stream.PeakLogWealth(b.claim) >= b.need
		b.of[1] = b.of[1] || b.described >= 0 && b.stream.PeakLogWealth(b.described) >= b.need
		b.refutes = b.of[0] || b.of[1]
		if b.n >= b.next && !b.refutes {
			b.stream.Follow(distinguisher.Leading(b.rows[0], b.rows[1], sequential.Tracks-1), b.rows[0], b.rows[1])
			b.next = b.n + max(firstLook, b.n/4)
		}
	}
}

// lower is the largest value that was refuted at an error probability at some time, with all below it.
func (b *bets) lower(alpha float64) (lower float64) {
	for i, rung := range b.rungs {
		if b.stream.PeakLogWealth(i) < -math.Log(alpha) {
			break
		}
		lower = rung
	}
	return lower
}
