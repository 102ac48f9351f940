package accountant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Bracket is an answer with its certificate: Lower ≤ truth ≤ Upper, and
// Estimate between them. A method that proves one side only leaves the other
// trivial (0 below, +Inf above for ε, 1 above for δ).
type Bracket struct {
	Lower, Estimate, Upper float64
}

// Width returns Upper − Lower; 0 where both are the same infinity.
func (b Bracket) Width() float64 {
	if b.Lower == b.Upper {
		return 0
	}
	return b.Upper - b.Lower
}

// Meet returns what b and c, of one number, leave of it, with c's estimate if that is there. It
// returns ErrBreach if that is nothing: then one of them is wrong.
func (b Bracket) Meet(c Bracket) (Bracket, error) {
	m := Bracket{Lower: math.Max(b.Lower, c.Lower), Upper: math.Min(b.Upper, c.Upper)}
	if !(m.Lower <= m.Upper) {
		return Bracket{}, fmt.Errorf("accountant: [%v, %v] and [%v, %v]: %w", b.Lower, b.Upper, c.Lower, c.Upper, ErrBreach)
	}
	m.Estimate = math.Min(m.Upper, math.Max(m.Lower, c.Estimate))
	return m, nil
}

// around returns the bracket v·(1 ± rel), for values whose relative numerical
// error is below rel.
func around(v, rel float64) Bracket {
	if math.IsInf(v, 0) {
		return Bracket{v, v, v}
	}
	return Bracket{v * (1 - rel), v, v * (1 + rel)}
}

// above returns the bracket of a one-sided method: nothing is proven from below.
func above(v float64) Bracket { return Bracket{0, v, v} }

// clampDelta keeps a bracket of a probability inside [0, 1].
func (b Bracket) clampDelta() Bracket {
	clamp := func(v float64) float64 { return math.Min(1, math.Max(0, v)) }
	return Bracket{clamp(b.Lower), clamp(b.Estimate), clamp(b.Upper)}
}

// deltaFromLog is the bracket e^(l ± rel) of a δ that is above zero: what
// underflows is no proof of zero and keeps an upper end.
func deltaFromLog(l, rel float64) Bracket {
	const least = 1e-317 // well above the least number, where digits run out
	v := math.Exp(l)
	if !(v > least) {
		return Bracket{0, v, math.Max(v, least) * 2}
	}
	return Bracket{v * math.Exp(-rel), v, v * math.Exp(rel) * (1 + 2*unit)}.clampDelta()
}

// remaining brackets (δ − lost)/(1 − lost), what a total δ leaves where a probability
// lost, known to a few roundings, is gone for good; exact where nothing is lost, and
// negative where δ is certainly not enough.
func remaining(delta, lost float64) (low, high float64) {
	if lost == 0 {
		return delta, delta
	}
	const few = 8 * unit
	if delta < lost*(1-few) {
		return -1, -1
	}
	kept := 1 - lost
	low = (delta - lost*(1+few)) / (kept + few) * (1 - few)
	if kept <= 2*few {
		return low, 1
	}
	return low, math.Min(1, (delta-lost*(1-few))/(kept-few)*(1+few))
}

// inverted moves the ends of a bracket of ε out until the certified δ proves them: at
// upper δ is at most the target, at lower at least. b holds candidates; beyond most
// δ does not fall any more.
func inverted(b Bracket, most, target float64, delta func(epsilon float64) Bracket) Bracket {
	inf := math.Inf(1)
	if delta(most).Lower > target {
		return Bracket{inf, inf, inf}
	}
	for step := math.Max(b.Upper-b.Estimate, 4*unit*b.Upper); delta(b.Upper).Upper > target; step *= 2 {
		if b.Upper >= most {
			b.Upper = inf
			break
		}
		b.Upper = math.Min(b.Estimate+2*step, most)
	}
	for step := math.Max(b.Estimate-b.Lower, 4*unit*b.Estimate); b.Lower > 0 && delta(b.Lower).Lower < target; step *= 2 {
		b.Lower = math.Max(0, b.Estimate-2*step)
	}
	return b
}

// Result is what one method says about one question.
type Result struct {
	// Method is the name of the bound, as listed in the package comment.
	Method string
	Bracket
	// Assumptions names everything the numbers rest on: adjacency,
	// sensitivity, sampling scheme, the theorem.
	Assumptions []string
	// Warnings says where a premise of the usual use is likely violated.
	Warnings []string
}

// MarshalJSON writes infinities as the strings "inf" and "-inf", and never null
// for an empty list.
func (r Result) MarshalJSON() ([]byte, error) {
	list := func(s []string) []string {
		if s == nil {
			return []string{}
		}
		return s
	}
	// An encoder, since Marshal would write the & of a theorem's authors as an escape.
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
