package guarantee

import (
	"encoding/json"
	"errors"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// written is a guarantee as JSON has it: the fields of its notion alone.
type written struct {
	Epsilon *float64     `json:"epsilon,omitempty"`
	Delta   float64      `json:"delta,omitempty"`
	Rho     *float64     `json:"rho,omitempty"`
	Renyi   *float64     `json:"renyi_epsilon,omitempty"`
	Order   float64      `json:"renyi_order,omitempty"`
	Mu      *float64     `json:"mu,omitempty"`
	Curve   [][2]float64 `json:"curve,omitempty"` // ε and δ
}

// MarshalJSON writes the notion with its parameters.
func (g Guarantee) MarshalJSON() ([]byte, error) {
	var w written
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

// UnmarshalJSON reads it; what is no guarantee is an error.
func (g *Guarantee) UnmarshalJSON(data []byte) error {
	var w written
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	notions := 0
	take := func(value *float64, of func(float64) Guarantee) {
		if value != nil {
			*g, notions = of(*value), notions+1
		}
	}
	take(w.Epsilon, func(x float64) Guarantee { return ApproximateDP(x, w.Delta) })
	take(w.Rho, ZeroConcentratedDP)
	take(w.Renyi, func(x float64) Guarantee { return RenyiDP(w.Order, x) })
	take(w.Mu, GaussianDP)
	if w.Curve != nil {
		var points []confidence.Line
		for _, p := range w.Curve {
			points = append(points, confidence.Line{Epsilon: p[0], Delta: p[1]})
		}
		*g, notions = CurveDP(points...), notions+1
	}
	if notions != 1 {
		return errors.New("a guarantee of one notion is wanted: epsilon, rho, renyi_epsilon, mu or curve")
	}
	return g.Check()
}
