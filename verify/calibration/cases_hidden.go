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

// A hidden leak is a mark on a few of the outputs of a mechanism that is private but for
// it. Every part of its law is known:
//
//	marked:   mass m under one input, m' = (m−δ')·e^−loss under the other, with a content
//	          that does not depend on the input; δ' is 0 unless told;
//	unmarked: 1−m and 1−m', with a content that is rate-private.
//
// No output is both, so that the mark breaks (loss, δ')-DP by nothing and any less by
// something; of δ' = 0 the privacy loss is the larger of loss and of
// rate + log((1−m')/(1−m)). The rate is chosen so that the latter is the claimed ε
// exactly: the search has an event of great mass before its eyes that is just allowed.

// secret is an input: a bit, in one of several pairs.
type secret struct {
	Pair int
	Bit  bool
}

// leak says how a mark betrays the bit.
type leak struct {
	mass   float64 // of the mark where it is likelier, in (0, 1)
	loss   float64 // log ratio of its masses, above 0; may be infinite
	delta  float64 // that is taken off the mass before
	underB bool    // it is likelier where the bit is not set
	pair   int     // the one that leaks; others are marked as seldom on both sides
}

// other is the mass of the mark where it is less likely.
func (l leak) other() float64 { return (l.mass - l.delta) * math.Exp(-l.loss) }

// of is the mass of the mark at an input.
func (l leak) of(s secret) float64 {
	if s.Pair == l.pair && s.Bit != l.underB {
		return l.mass
	}
	return l.other()
}

// rate is the privacy of the content with which what is not marked has loss epsilon.
func (l leak) rate(epsilon float64) float64 {
	return epsilon - math.Log1p(-l.other()) + math.Log1p(-l.mass)
}

// content is what an output carries beside the mark: a release of the bit. One of its
// methods may be called, once.
type content struct {
	r    *rand.Rand
	rate float64 // its privacy loss; 0 says nothing of the bit
	bit  bool
}

// number is the bit with Laplace noise.
func (c content) number() float64 {
	scale, at := 1.0, 0.0
	if c.rate > 0 {
		scale, at = 1/c.rate, float64(bit(c.bit))
	}
	return at + scale*laplaceNoise(c.r)
}

// count is a whole number of thousands of values.
func (c content) count() int { return int(math.Floor(1000 * c.number())) }

// answer is the bit by randomized response.
func (c content) answer() bool {
	return c.bit == (c.r.Float64() < 1/(1+math.Exp(-c.rate)))
}

// family is a kind of outputs that can be marked, for which audits look.
type family[O any] struct {
	name string
	// show is an output of this content, with the mark or without.
	show func(c content, marked bool) O
	// marked reads the mark.
	marked func(o O) bool
}

// hidden is a leak with the claim that it is held against and the samples it may take.
type hidden struct {
	leak
	claim   privacy.Guarantee
	quiet   bool    // what is not marked says nothing, instead of what is allowed
	pairs   int     // 1 unless told
	promise float64 // the mass from which on gross violations are to be seen
	samples int64
	mode    string // how it is audited, one of modes; fixed unless told
}

// Modes of an audit.
const (
	anytimeMode  = "anytime"
	recordedMode = "recorded"
	pairsMode    = "pairs"
)

// audits is a family of any type.
type audits interface {
	label() string
	check(h hidden) verify.Check
}

func (f family[O]) label() string { return f.name }

// mechanism releases what the family shows.
func (f family[O]) mechanism(h hidden) releaseFunc[secret, O] {
	rate := 0.0
	if !h.quiet {
		rate = h.rate(h.claim.Value())
	}
	return func(r *rand.Rand, s secret) (O, error) {
		if marked := r.Float64() < h.of(s); marked {
			return f.show(content{r, rate, false}, true), nil
		}
		return f.show(content{r, rate, s.Bit}, false), nil
	}
}

// check audits it.
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

// recordedJSON audits outputs that were written to files, a JSON value a line.
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
