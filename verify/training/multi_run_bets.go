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
	// firstLook is the number of runs in each world after which bets are first chosen from the runs. They are chosen
	// again whenever the number of runs has grown by a quarter.
	firstLook = 4
	// maxLoss is the claimed ε or μ from which on a claim is too weak to bet against.
	maxLoss = 300
)

// bets is a sequential test of a claim, of the account's trade-off function, and of smaller and larger parameter
// values. It takes one run of each world at a time. Each bet uses only earlier runs, so the wealth does not depend on
// the runs that follow.
type bets struct {
	multiRunStatistics
	rungs     []float64
	claim     int // index of the claim in rungs
	described int // index of the account, after the rungs; −1 if there is none
	stream    *sequential.Stream
	ties      *rand.Rand
	rows      [2]*distinguisher.Rows
	n, next   int
	passed    sequential.Passed
	refutes   bool
	broken    [2]bool // whether the claim, and the account, are refuted
	need      float64 // log wealth that refutes
}

func (f multiRunStatistics) newBets(s verify.Settings) (*bets, error) {
	b := &bets{multiRunStatistics: f, described: -1, ties: s.Stream("ties"), next: firstLook,
		need: -math.Log(f.Described.share(s.Alpha))}
	b.passed.Family = 1
	value := f.Guarantee.Value()
	for _, factor := range []float64{0, 0.1, 0.25, 0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 3, 4} {
		if rung := factor * math.Max(value, 0); factor == 1 || rung < maxLoss && !slices.Contains(b.rungs, rung) {
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
			return nil, errors.New("the privacy curve of the account is not known, so a sequential test cannot use it")
		}
		b.described = len(claims)
		claims = append(claims, described)
		b.passed.Family = 2
	}
	b.stream = sequential.New(claims, false)
	b.rows = [2]*distinguisher.Rows{distinguisher.NewRows(1, 0), distinguisher.NewRows(1, 0)}
	return b, nil
}

// row returns the features of a score that are bet on.
func (b *bets) row(score float64) []float64 {
	if b.Event == (Event{}) {
		return []float64{score}
	}
	if b.Event.Holds(score) {
		return []float64{1}
	}
	return []float64{0}
}

// follow bets on all runs that both worlds have, from the current one on, until the claim is refuted.
func (b *bets) follow(s scores) {
	for b.n < min(len(s[0]), len(s[1])) && !b.refutes {
		with, without := b.row(s[0][b.n]), b.row(s[1][b.n])
		b.stream.Observe(b.ties, with, without)
		b.rows[0].Append(with)
		b.rows[1].Append(without)
		b.n++
		b.passed.See(b.stream.LogWealth(b.claim), int64(b.n))
		b.broken[0] = b.broken[0] || b.stream.PeakLogWealth(b.claim) >= b.need
		b.broken[1] = b.broken[1] || b.described >= 0 && b.stream.PeakLogWealth(b.described) >= b.need
		b.refutes = b.broken[0] || b.broken[1]
		if b.n >= b.next && !b.refutes {
			b.stream.Follow(distinguisher.Leading(b.rows[0], b.rows[1], sequential.Tracks-1), b.rows[0], b.rows[1])
			b.next = b.n + max(firstLook, b.n/4)
		}
	}
}

// lower returns the largest rung that was refuted at error probability alpha at some time, together with all smaller
// ones.
func (b *bets) lower(alpha float64) (lower float64) {
	for i, rung := range b.rungs {
		if b.stream.PeakLogWealth(i) < -math.Log(alpha) {
			break
		}
		lower = rung
	}
	return lower
}
