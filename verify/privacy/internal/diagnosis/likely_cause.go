package diagnosis

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// PairReading is the reading of a pair, and the distance of its inputs; nil where there is none.
type PairReading struct {
	Reading
	Distance *Distance
}

// LikelyCause is the fault that the outputs at one of some pairs look like, by the readings of all of them; nil where
// these
// are like none, or like several.
func LikelyCause(g guarantee.Guarantee, pairs []PairReading, chosen int) *verify.LikelyCause {
	p := pairs[chosen]
	if l := p.shown(); l != nil {
		return l
	}
	if l := unclipped(g, pairs, chosen); l != nil {
		return l
	}
	if l := scaled(g, p); l != nil {
		return l
	}
	return p.never()
}

// factors by which the outputs of a pair are farther apart than the noise covers, each by a way in which noise is
// scaled to the guarantee; none where the noise is of no such law.
func factors(g guarantee.Guarantee, m *moves) (out []estimate) {
	if m == nil {
		return nil
	}
	total := m.total()
	covered := g.NormalShifts()
	if !m.law.normal {
		epsilon, _, ok := g.Approximate()
		if !ok {
			return nil
		}
		covered = []float64{epsilon}
	}
	for _, c := range covered {
		if c > 0 {
			out = append(out, estimate{total.at / c, total.error / c})
		}
	}
	return out
}

// scaled is of outputs that are twice as far apart as the noise covers.
func scaled(g guarantee.Guarantee, p PairReading) *verify.LikelyCause {
	for _, f := range factors(g, p.moves()) {
		if f.has(2) {
			return halfOrDouble(f, p)
		}
	}
	return nil
}

// halfOrDouble tells noise of half the scale from outputs that move by twice what the noise was scaled for. That takes
// the numbers that move, or those of the inputs: noise that is right for as far as the inputs are apart, or for the
// larger of what is replaced, meets a move that is not.
func halfOrDouble(f estimate, p PairReading) *verify.LikelyCause {
	low, high := f.limits()
	l := &verify.LikelyCause{Fault: verify.FaultScaleOrSensitivity, Level: CauseLevel,
		Words: "noise of half the scale, or outputs that move by twice as much as it was scaled for",
		Evidence: fmt.Sprintf("the outputs are %.3g times as far apart, in scales of their %s noise, as the claim allows, "+
			"between %.3g and %.3g with error %g", f.at, p.moves().law.name, low, high, CauseLevel)}
	double := func(how string) *verify.LikelyCause {
		l.Fault = verify.FaultDoubleSensitivity
		l.Words = "a sensitivity off by two: outputs move by twice what the noise was scaled for"
		l.Evidence += "; " + how
		return l
	}
	numbers := p.moves().numbers
	if len(numbers) == 2 && !p.moves().law.normal {
		share := [2]estimate{}
		for i, n := range numbers {
			at := math.Abs(n.by) / n.scale
			unit := p.moves().total().at / f.at // that the claim allows
			share[i] = estimate{at / unit, math.Hypot(n.byError/n.scale, at*n.scaleError/n.scale) / unit}
		}
		if share[0].has(1) && share[1].has(1) {
			return double(fmt.Sprintf("two numbers move, each by as much as is allowed: %.3g and %.3g times", share[0].at,
				share[1].at))
		}
	}
	if p.Distance == nil {
		return l
	}
	apart, reach := p.Distance.Sum, p.Distance.Reach
	if p.moves().law.normal {
		apart, reach = p.Distance.Root, p.Distance.ReachRoot
	}
	length := p.moves().length()
	by := fmt.Sprintf("the outputs move by %.4g, the inputs differ by %.4g", length.at, apart)
	ratio := estimate{length.at / apart, length.error / apart}
	switch {
	case ratio.has(2):
		return double(by)
	case ratio.has(1) && apart >= 1.5*reach:
		return double(fmt.Sprintf("%s, where one item replaces another: the noise is right for adding or removing one of "+
			"size %.4g", by, reach))
	case ratio.has(1):
		l.Fault, l.Words = verify.FaultHalfScale, "noise of half the scale"
		l.Evidence += "; " + by
	}
	return l
}

// leastBeyond is by what factor the outputs of a pair must be farther apart than the noise covers.
const leastBeyond = 2.5

// unclipped is of outputs that move on with the inputs: as far as the noise covers at one distance, and in
// proportion beyond it.
func unclipped(g guarantee.Guarantee, pairs []PairReading, chosen int) *verify.LikelyCause {
	far := pairs[chosen]
	if far.Distance == nil {
		return nil
	}
	for way, f := range factors(g, far.moves()) {
		low, high := f.limits()
		if !(low > leastBeyond) {
			continue
		}
		for _, near := range pairs {
			if near.Distance == nil {
				continue
			}
			all := factors(g, near.moves())
			if len(all) <= way || !all[way].has(1) {
				continue
			}
			apart := func(p PairReading) float64 {
				if p.moves().law.normal {
					return p.Distance.Root
				}
				return p.Distance.Sum
			}
			times := apart(far) / apart(near)
			growth := estimate{f.at / all[way].at / times,
				math.Hypot(f.error/f.at, all[way].error/all[way].at) * f.at / all[way].at / times}
			if far.moves().law.name != near.moves().law.name || !growth.has(1) {
				continue
			}
			return &verify.LikelyCause{Fault: verify.FaultNoClipping, Level: CauseLevel,
				Words: "a contribution that is not clipped",
				Evidence: fmt.Sprintf("at distance %.4g of the inputs the outputs are as far apart as the noise covers, %.3g "+
					"times, and in proportion at %.4g: %.3g times, between %.3g and %.3g with error %g", apart(near), all[way].at,
					apart(far), f.at, low, high, CauseLevel)}
		}
	}
	return nil
}
