package calibration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// A hidden leak is a mark on a few outputs of a mechanism that is otherwise private. Its distribution is known:
//	marked:   probability m under one input, m' = (m−δ')·e^−loss under the other, with a content
//	          that does not depend on the input; by default δ' is 0
//	unmarked: probability 1−m and 1−m', with a content that is ε-DP for ε = rate
//
// No output is both marked and unmarked. The mark therefore satisfies exactly (loss, δ')-DP. For δ' = 0 the privacy
// loss of the mechanism is the larger of loss and rate + log((1−m')/(1−m)). The rate is chosen so that the latter
// equals the claimed ε. The search then also meets an event of large probability that satisfies the claim with
// equality.

// secret is an input: a bit, in one of several pairs.
type secret struct {
	Pair int
	Bit  bool
}

// leak is the distribution of a mark that reveals the bit.
type leak struct {
	mass   float64 // larger probability of the mark, in (0, 1)
	loss   float64 // log ratio of mass − delta and the smaller probability, above 0; may be infinite
	delta  float64 // see loss
	underB bool    // the mark is likelier if the bit is not set
	pair   int     // the pair that leaks; in the others both inputs have the smaller probability
}

// other returns the smaller probability of the mark.
func (l leak) other() float64 { return (l.mass - l.delta) * math.Exp(-l.loss) }

// probability returns the probability of the mark at an input.
func (l leak) probability(s secret) float64 {
	if s.Pair == l.pair && s.Bit != l.underB {
		return l.mass
	}
	return l.other()
}

// rate returns the privacy loss of the content for which unmarked outputs have the loss epsilon.
func (l leak) rate(epsilon float64) float64 {
	return epsilon - math.Log1p(-l.other()) + math.Log1p(-l.mass)
}

// content is a release of the bit that an output contains in addition to the mark. A caller may call only one of its
// methods, and only once.
type content struct {
	r    *rand.Rand
	rate float64 // its privacy loss; 0 reveals nothing about the bit
	bit  bool
}

// number returns the bit with Laplace noise.
func (c content) number() float64 {
	scale, location := 1.0, 0.0
	if c.rate > 0 {
		scale, location = 1/c.rate, float64(bit(c.bit))
	}
	return location + scale*laplaceNoise(c.r)
}

// count returns number as a whole number in units of 0.001, with thousands of different values.
func (c content) count() int { return int(math.Floor(1000 * c.number())) }

// answer returns the bit by randomized response.
func (c content) answer() bool {
	return c.bit == (c.r.Float64() < 1/(1+math.Exp(-c.rate)))
}

// family is a kind of outputs with a mark that audits search for.
type family[O any] struct {
	name string
	// show returns an output with this content, marked or not.
	show func(c content, marked bool) O
	// marked reports whether an output has the mark.
	marked func(o O) bool
}

// hidden is a leak with a claim and the settings of its audit.
type hidden struct {
	leak
	claim   privacy.Guarantee
	quiet   bool    // unmarked outputs reveal nothing; otherwise they attain the claim
	pairs   int     // number of pairs, default 1
	promise float64 // smallest probability of a large violation that the audit must detect
	samples int64
	mode    string // a mode of audit; default: a fixed number of samples
}

// Modes of an audit.
const (
	anytimeMode  = "anytime"
	recordedMode = "recorded"
	pairsMode    = "pairs"
)

// audits is a family of any output type.
type audits interface {
	label() string
	check(h hidden) verify.Check
}

func (f family[O]) label() string { return f.name }

// mechanism returns the mechanism that releases outputs of the family with the leak.
func (f family[O]) mechanism(h hidden) releaseFunc[secret, O] {
	rate := 0.0
	if !h.quiet {
		rate = h.rate(h.claim.Value())
	}
	return func(r *rand.Rand, s secret) (O, error) {
		if marked := r.Float64() < h.probability(s); marked {
			return f.show(content{r, rate, false}, true), nil
		}
		return f.show(content{r, rate, s.Bit}, false), nil
	}
}

// check returns the audit of the leak.
func (f family[O]) check(h hidden) verify.Check {
	m := f.mechanism(h)
	if h.mode == recordedMode {
		return drawn(func(r *rand.Rand) (verify.Check, error) { return recordedJSON(r, m, h) })
	}
	var pairs []inputs.Pair[secret]
	for i := range max(1, h.pairs) {
		pairs = append(pairs, inputs.Pair[secret]{Name: fmt.Sprintf("pair %d", i+1), A: secret{i, true},
			B: secret{i, false}})
	}
	a := untypedAudit(m, pairs, h.claim, h.samples)
	a.Effect, a.EventProbability, a.Anytime = hiddenEffect, h.promise, h.mode == anytimeMode
	if h.mode == pairsMode {
		return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
			found, err := privacy.PairAudit[any, O]{Audit: a}.Judge(ctx, s, empirical.NewPool(1))
			return verify.Decided(found.Evidence), err
		})
	}
	return a
}

// recordedJSON returns an audit of outputs recorded in files with one JSON value per line.
func recordedJSON[O any](r *rand.Rand, m releaseFunc[secret, O], h hidden) (privacy.RecordedAudit, error) {
	var files [2]bytes.Buffer
	for i := range files {
		for range h.samples {
			o, err := m(r, secret{Bit: i == 0})
			if err != nil {
				return privacy.RecordedAudit{}, err
			}
			line, err := json.Marshal(o)
			if err != nil {
				return privacy.RecordedAudit{}, err
			}
			files[i].Write(append(line, '\n'))
		}
	}
	a, b, err := outputs.ReadRecordings("a.jsonl", &files[0], "b.jsonl", &files[1])
	return privacy.RecordedAudit{A: a, B: b, Guarantee: h.claim, Mass: h.promise}, err
}
