package accountant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// ErrDomain is wrapped by every error about an argument outside its domain.
var ErrDomain = errors.New("outside the domain")

func domainError(format string, args ...any) error {
	return fmt.Errorf("accountant: "+format+": %w", append(args, ErrDomain)...)
}

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
