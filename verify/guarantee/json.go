package guarantee

import (
	"encoding/json"
	"errors"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// jsonGuarantee is the JSON form of a guarantee. It contains only the fields of its privacy definition.
type jsonGuarantee struct {
	Epsilon *float64     `json:"epsilon,omitempty"`
	Delta   float64      `json:"delta,omitempty"`
	Rho     *float64     `json:"rho,omitempty"`
	Renyi   *float64     `json:"renyi_epsilon,omitempty"`
	Order   float64      `json:"renyi_order,omitempty"`
	Mu      *float64     `json:"mu,omitempty"`
	Curve   [][2]float64 `json:"curve,omitempty"` // pairs of ε and δ
}

// MarshalJSON writes the privacy definition and its parameters.
func (g Guarantee) MarshalJSON() ([]byte, error) {
	var w jsonGuarantee
	switch g.notion {
	case approximateDP:
		w.Epsilon, w.Delta = &g.value, g.delta
	case zeroConcentratedDP:
		w.Rho = &g.value
	case renyiDP:
		w.Renyi, w.Order = &g.value, g.order
	case gaussianDP:
		w.Mu = &g.value
	case curveDP:
		for _, p := range g.curve.Points() {
			w.Curve = append(w.Curve, [2]float64{p.Epsilon, p.Delta})
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a guarantee. It returns an error unless the JSON contains exactly one valid privacy
// definition.
func (g *Guarantee) UnmarshalJSON(data []byte) error {
	var w jsonGuarantee
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	notions := 0
	set := func(value *float64, build func(float64) Guarantee) {
		if value != nil {
			*g, notions = build(*value), notions+1
		}
	}
	set(w.Epsilon, func(x float64) Guarantee { return ApproximateDP(x, w.Delta) })
	set(w.Rho, ZeroConcentratedDP)
	set(w.Renyi, func(x float64) Guarantee { return RenyiDP(w.Order, x) })
	set(w.Mu, GaussianDP)
	if w.Curve != nil {
		var points []confidence.Line
		for _, p := range w.Curve {
			points = append(points, confidence.Line{Epsilon: p[0], Delta: p[1]})
		}
		*g, notions = CurveDP(points...), notions+1
	}
	if notions != 1 {
		return errors.New("want exactly one of epsilon, rho, renyi_epsilon, mu and curve")
	}
	return g.Check()
}
