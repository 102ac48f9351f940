package dpsgd

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/curricula"
)

// planted is a model together with its records, followed by the canaries. Its features have one more column, the
// mark, by which the model recognizes canaries.
//
// An excluded canary has a gradient of 0, which changes a Poisson-sampled sum exactly as an absent record does.
// The number of records, and with it the sampling rate, therefore does not depend on the coins.
//
// Each canary of a white-box attack has one parameter after the model's. No other record's loss depends on it. The
// canary's loss is this parameter times ±length, so its gradient does not depend on the parameters.
type planted struct {
	model  curricula.Model
	data   curricula.Data
	coins  []bool
	wrong  []mislabeled // canaries of a black-box attack; nil in a white-box attack
	length float64      // norm of a canary's gradient
	sign   float64      // 1 or −1, alternates by step
}

// mislabeled is a record of the data with a wrong class.
type mislabeled struct{ record, class int }

// The mark of a record and of an excluded canary. The mark of an included white-box canary is its index, ≥ 0.
const (
	markRecord = -1
	markAbsent = -2
)

func (p *planted) Len() int { return p.data.Len() + len(p.coins) }
func (p *planted) Dim() int { return p.model.Dim() + 1 }

func (p *planted) Classes() int { return p.model.Classes() }

// Load writes record i to x and returns its class. A white-box canary has only its mark; all its features are 0.
func (p *planted) Load(i int, x []float64) (class int) {
	mark := p.Dim() - 1
	canary := i - p.data.Len()
	if canary >= 0 {
		if p.coins[canary] && p.wrong != nil {
			p.data.Load(p.wrong[canary].record, x[:mark])
			x[mark] = markRecord
			return p.wrong[canary].class
		}
		clear(x)
		x[mark] = markAbsent
		if p.coins[canary] {
			x[mark] = float64(canary)
		}
		return 0
	}
	x[mark] = markRecord
	return p.data.Load(i, x[:mark])
}

// Params returns the number of parameters: the model's, and one for each canary of a white-box attack.
func (p *planted) Params() int {
	if p.wrong != nil {
		return p.model.Params()
	}
	return p.model.Params() + len(p.coins)
}

// Init writes the model's initial parameters to theta. The canaries' parameters are 0.
func (p *planted) Init(r *rand.Rand, theta []float64) {
	clear(theta)
	p.model.Init(r, theta[:p.model.Params()])
}

// Gradient adds the gradient of a record or a canary at theta to g and returns its loss.
func (p *planted) Gradient(theta, x []float64, y int, g []float64) float64 {
	n, mark := p.model.Params(), p.Dim()-1
	switch canary := x[mark]; canary {
	case markRecord:
		return p.model.Gradient(theta[:n], x[:mark], y, g[:n])
	case markAbsent:
		return 0
	default:
		g[n+int(canary)] += p.sign * p.length
		return p.sign * p.length * theta[n+int(canary)]
	}
}

// Loss returns the model's loss of a record. Nothing calls it for a canary.
func (p *planted) Loss(theta, x []float64, y int) float64 {
	return p.model.Loss(theta[:p.model.Params()], x[:p.Dim()-1], y)
}

// Predict returns the model's class of a record.
func (p *planted) Predict(theta, x []float64) int {
	return p.model.Predict(theta[:p.model.Params()], x[:p.Dim()-1])
}
