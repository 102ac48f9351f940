package chart

import (
	"github.com/dpverify/dpverify/verify"
)

// Axis titles of the two curves in a confidence band.
const (
	bandEpsilon, bandDelta = "ε", "δ"
	bandFirst, bandSecond  = "type I error", "type II error"
)

// BandCurves returns the claimed and the certified curves of a confidence band, none for nil.
func BandCurves(b *verify.ConfidenceBand) (all []verify.Curve) {
	if b == nil {
		return nil
	}
	add := func(along, quantity, limit string, points []verify.BandPoint) {
		claimed := verify.Curve{Name: "claimed", Variable: along, Quantity: quantity}
		certified := verify.Curve{Name: limit, Variable: along, Quantity: quantity}
		for _, p := range points {
			claimed.Points = append(claimed.Points, verify.CurvePoint{X: verify.Num(p.At), Mean: verify.Num(p.Claimed)})
			certified.Points = append(certified.Points, verify.CurvePoint{X: verify.Num(p.At), Mean: verify.Num(p.Certified)})
		}
		all = append(all, claimed, certified)
	}
	add(bandEpsilon, bandDelta, "certified, at least", b.Delta)
	add(bandFirst, bandSecond, "certified, at most", b.TradeOff)
	return all
}

// BandWords describes the curves of a quantity. It returns "" if the quantity is not part of the band.
func BandWords(b *verify.ConfidenceBand, quantity string) string {
	switch {
	case b == nil:
	case quantity == bandDelta:
		return "The privacy curve: the claimed δ at each ε, and the lower bound on δ that this run certifies at all ε " +
			"together"
	case quantity == bandSecond:
		return "The trade-off function: the smallest type II error of a test between the two inputs, as claimed at each " +
			"type I error, and the upper bound on it that this run certifies at all type I errors together"
	}
	return ""
}
