package accountant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Bracket is a certified answer: Lower ≤ true value ≤ Upper, with Estimate between them. If a method proves only one
// side, the other end is trivial: 0 below, +Inf above for ε, 1 above for δ.
type Bracket struct {
	Lower, Estimate, Upper float64
}

// Width returns Upper − Lower, or 0 if both are the same infinity.
func (b Bracket) Width() float64 {
	if b.Lower == b.Upper {
		return 0
	}
	return b.Upper - b.Lower
}

// Meet returns the intersection of two brackets of the same number, with c's estimate moved into it if necessary. An
// empty intersection returns ErrBreach, because one of the brackets must be wrong.
func (b Bracket) Meet(c Bracket) (Bracket, error) {
	m := Bracket{Lower: math.Max(b.Lower, c.Lower), Upper: math.Min(b.Upper, c.Upper)}
	if !(m.Lower <= m.Upper) {
		return Bracket{}, fmt.Errorf("accountant: [%v, %v] and [%v, %v]: %w", b.Lower, b.Upper, c.Lower, c.Upper, ErrBreach)
	}
	m.Estimate = math.Min(m.Upper, math.Max(m.Lower, c.Estimate))
	return m, nil
}

// around returns the bracket v·(1 ± rel) for a value whose relative numerical error is below rel.
func around(v, rel float64) Bracket {
	if math.IsInf(v, 0) {
		return Bracket{v, v, v}
	}
	return Bracket{v * (1 - rel), v, v * (1 + rel)}
}

// above returns the bracket [0, v] of a method that proves only an upper bound.
func above(v float64) Bracket { return Bracket{0, v, v} }

// clampDelta restricts a bracket of a probability to [0, 1].
func (b Bracket) clampDelta() Bracket {
	clamp := func(v float64) float64 { return math.Min(1, math.Max(0, v)) }
	return Bracket{clamp(b.Lower), clamp(b.Estimate), clamp(b.Upper)}
}

// deltaFromLog returns the bracket e^(l ± rel) of a δ > 0. A value that underflows is not proven to be zero, so its
// upper end stays positive.
func deltaFromLog(l, rel float64) Bracket {
	const smallest = 1e-317 // well above the smallest float64, where numbers lose digits
	v := math.Exp(l)
	if !(v > smallest) {
		return Bracket{0, v, math.Max(v, smallest) * 2}
	}
	return Bracket{v * math.Exp(-rel), v, v * math.Exp(rel) * (1 + 2*unit)}.clampDelta()
}

// remaining brackets (δ − lost)/(1 − lost), the part of δ that is left after a failure of probability lost, which is
// known to within a few roundings. The result is exact if lost is 0 and negative if δ is certainly smaller than lost.
func remaining(delta, lost float64) (low, high float64) {
	if lost == 0 {
		return delta, delta
	}
	const few = 8 * unit
	if delta < lost*(1-few) {
		return -1, -1
	}
	present := 1 - lost
	low = (delta - lost*(1+few)) / (present + few) * (1 - few)
	if present <= 2*few {
		return low, 1
	}
	return low, math.Min(1, (delta-lost*(1-few))/(present-few)*(1+few))
}

// inverted moves the candidate ends of a bracket of ε outwards until the certified δ proves them: δ is at most target
// at the upper end and at least target at the lower end. δ is constant beyond ε = most.
func inverted(b Bracket, limit, target float64, delta func(epsilon float64) Bracket) Bracket {
	inf := math.Inf(1)
	if delta(limit).Lower > target {
		return Bracket{inf, inf, inf}
	}
	for step := math.Max(b.Upper-b.Estimate, 4*unit*b.Upper); delta(b.Upper).Upper > target; step *= 2 {
		if b.Upper >= limit {
			b.Upper = inf
			break
		}
		b.Upper = math.Min(b.Estimate+2*step, limit)
	}
	for step := math.Max(b.Estimate-b.Lower, 4*unit*b.Estimate); b.Lower > 0 && delta(b.Lower).Lower < target; step *= 2 {
		b.Lower = math.Max(0, b.Estimate-2*step)
	}
	return b
}

// Result is one method's answer.
type Result struct {
	// Method is the name of the bound, as listed in the package comment.
	Method string
	Bracket
	// Assumptions lists the adjacency, the sensitivity, the sampling scheme and the theorem that the bracket rests on.
	Assumptions []string
	// Warnings lists assumptions that are often violated in practice.
	Warnings []string
}

// MarshalJSON writes infinities as the strings "inf" and "-inf", and an empty list as [] instead of null.
func (r Result) MarshalJSON() ([]byte, error) {
	list := func(s []string) []string {
		if s == nil {
			return []string{}
		}
		return s
	}
	// json.Marshal would escape the & between authors' names.
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		Method      string   `json:"method"`
		Lower       any      `json:"lower"`
		Estimate    any      `json:"estimate"`
		Upper       any      `json:"upper"`
		Assumptions []string `json:"assumptions"`
		Warnings    []string `json:"warnings"`
	}{r.Method, jsonNumber(r.Lower), jsonNumber(r.Estimate), jsonNumber(r.Upper), list(r.Assumptions), list(r.Warnings)})
	return bytes.TrimSpace(b.Bytes()), err
}

func jsonNumber(v float64) any {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return v
}
