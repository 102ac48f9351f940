package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// A loss that is large where one input gives hardly anything does not make an output impossible: the tails of normal
// noise look like that. What makes it look so is where the values of the other input end: at an edge, at which
// they are as dense as before it, or with values that are taken many times over. And a loss far above the claim.

const (
	// beyondClaim is by how much the loss must exceed what is claimed.
	beyondClaim = 3
	// edgeRows are looked at behind an edge, at most.
	edgeRows = 200
	// hardEdge is the largest share of the distance of the 2k-th value from the edge at which the k-th is. At an
	// edge with a density it is about a half: the k-th of 2k uniform values. In an exponential tail it is
	// ln k/ln 2k, above .8 for the k here, and in a normal one more. Of the uniform ones of k = 200 it exceeds .6 with
	// probability 4e-5, and of k = 50 (of which it has to be below .65) with 1e-3.
	hardEdge = 0.6
	// fewestEdgeRows behind an edge tell its kind.
	fewestEdgeRows = 100
	// leastShare of the outputs of one input that the other never gives.
	leastShare = 0.01
)

// impossible is a set of outputs that one input seems never to give: the values of a column beyond an end of those of
// the other input, or one value.
type impossible struct {
	column   int
	likelier int // the input that gives them
	at       float64
	beyond   int     // 1 above at, −1 below; 0 just at
	share    float64 // of the outputs that chose
}

func (i impossible) holds(v float64) bool {
	switch i.beyond {
	case 1:
		return v > i.at
	case -1:
		return v < i.at
	}
	return floatBits(v) == floatBits(i.at)
}

// never looks for outputs that one input never gives, by a loss far beyond the claim.
func (o *outputs) never(g guarantee.Guarantee) *verify.LikelyCause {
	best := impossible{share: leastShare}
	for k := range o.columns {
		for likelier := range 2 {
			for _, i := range o.impossible(k, likelier) {
				if i.share > best.share {
					best = i
				}
			}
		}
	}
	if best.share == leastShare {
		return nil
	}
	count := func(input int) (hits, n int64) {
		for _, v := range o.values[1][input][best.column] {
			if best.holds(v) {
				hits++
			}
		}
		return hits, int64(o.rows(1, input))
	}
	x, nx := count(best.likelier)
	y, ny := count(1 - best.likelier)
	epsilon := allowed(g, best.share/2)
	loss := confidence.EpsilonLower(x, nx, y, ny, g.HockeyStick(epsilon), CauseLevel)
	if !(loss >= epsilon+beyondClaim) {
		return nil
	}
	name := string("AB"[best.likelier])
	return &verify.LikelyCause{Fault: verify.FaultImpossibleOutput, Level: CauseLevel,
		Words: "an output that one input never gives, as where a threshold or one side of the noise is missing",
		Evidence: fmt.Sprintf("%s, in %d of %d held-out outputs under %s and %d of %d under the other; a loss of at least "+
			"%.3g, with error %g", o.words(best), x, nx, name, y, ny, loss, CauseLevel)}
}

func (o *outputs) words(i impossible) string {
	switch {
	case i.beyond == 1:
		return o.says(i.column, fmt.Sprintf(" is above %.6g, the edge of the values of the other input", i.at))
	case i.beyond == -1:
		return o.says(i.column, fmt.Sprintf(" is below %.6g, the edge of the values of the other input", i.at))
	case !distinguisher.IsSymbol(i.at):
		return o.says(i.column, fmt.Sprintf(" is just %.6g", i.at))
	}
	return o.value(i.column) + " is a certain one"
}

// allowed is the ε from which on the guarantee has a δ that is at most so much.
func allowed(g guarantee.Guarantee, delta float64) float64 {
	if epsilon, claimed, ok := g.Approximate(); ok && claimed <= delta {
		return epsilon
	}
	for epsilon := 0.0; epsilon < 50; epsilon += 0.25 {
		if g.HockeyStick(epsilon) <= delta {
			return epsilon
		}
	}
	return math.Inf(1)
}

// impossible are the candidates of a column, by the part that chooses.
func (o *outputs) impossible(k, likelier int) (out []impossible) {
	given, other := o.values[0][likelier][k], o.values[0][1-likelier][k]
	if !slices.ContainsFunc(other, math.IsNaN) {
		other = o.ascending(0, 1-likelier, k)
		for _, side := range []int{-1, 1} {
			from := func(i int) float64 { return other[i] } // the i-th from that end on
			if side == 1 {
				from = func(i int) float64 { return other[len(other)-1-i] }
			}
			if !ends(from, len(other)) {
				continue
			}
			i := impossible{column: k, likelier: likelier, at: from(0), beyond: side}
			out = append(out, i.in(given))
		}
	}
	return append(out, o.single(k, likelier, given)...)
}

// in is the candidate with its share of some values.
func (i impossible) in(values []float64) impossible {
	hits := 0
	for _, v := range values {
		if i.holds(v) {
			hits++
		}
	}
	i.share = float64(hits) / float64(len(values))
	return i
}

// ends reports whether n values, from an end on, end at an edge.
func ends(from func(i int) float64, n int) bool {
	k := min(edgeRows, n/20)
	if k < fewestEdgeRows || !finite(from(0)) {
		return false
	}
	if from(k) == from(0) {
		return true
	}
	return math.Abs(from(k)-from(0)) <= hardEdge*math.Abs(from(2*k)-from(0))
}

// single are values that the other input never gives: symbols, and numbers among its own, taken often.
func (o *outputs) single(k, likelier int, given []float64) (out []impossible) {
	const fewValues = 200
	var often counts // of those that are met first, numbers apart
	numbers, others := fewValues, fewValues
	for _, v := range given {
		room := &others
		if finite(v) {
			room = &numbers
		}
		c := often.of(floatBits(v))
		switch {
		case c.n > 0:
			c.n++
		case *room > 0:
			*c = valueCount{key: floatBits(v), n: 1}
			*room--
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range o.values[0][1-likelier][k] {
		if c := often.of(floatBits(v)); c.n > 0 {
			c.both = true
		}
		if finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	for _, v := range given {
		c := often.of(floatBits(v))
		n := c.n
		if n == 0 || c.both {
			continue
		}
		c.both = true // and seen to
		among := v > low && v < high
		if !among && finite(v) {
			continue
		}
		out = append(out, impossible{column: k, likelier: likelier, at: v, share: float64(n) / float64(len(given))})
	}
	return out
}

// counts of a few hundred values, by their bits: a hash table with linear probing.
type counts [1 << 10]valueCount

type valueCount struct {
	key  uint64
	n    int  // 0 of a free place
	both bool // the other input gives it, too
}

// of a value: its place, or a free one.
func (c *counts) of(key uint64) *valueCount {
	const factor, shift = 0x9e3779b97f4a7c15, 64 - 10
	at := key * factor >> shift
	for c[at].n > 0 && c[at].key != key {
		at = (at + 1) % uint64(len(c))
	}
	return &c[at]
}
