package dpsgd

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/curricula"
)

// planted is a model with the records it learns from, behind which stand the canaries. Its features have one more, the
// mark, by which the model knows them.
//
// A canary that is left out stands there with a gradient of 0, which in a Poisson-sampled sum is what an absent record is:
// the sampling rate does not depend on the coins.
//
// Canaries of a white-box attack have a parameter each behind those of the model, of which no other record's loss
// depends: the loss of a canary is that parameter times ±length, and so its gradient, wherever the parameters are.
type planted struct {
	model  curricula.Model
	data   curricula.Data
	coins  []bool
	wrong  []mislabelled // of a black-box attack; nil of a white-box one
	length float64       // of a canary's gradient
	turn   float64       // 1 or −1, by step
}

// mislabelled is a record of the data in another class.
type mislabelled struct{ record, class int }

// The marks of records and of canaries that are left out; those of canaries are their number.
const (
	markRecord = -1
	markAbsent = -2
)

func (p *planted) Len() int { return p.data.Len() + len(p.coins) }
func (p *planted) Dim() int { return p.model.Dim() + 1 }

func (p *planted) Classes() int { return p.model.Classes() }

// Load is a record, or a canary with nothing but its mark.
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

// Params are those of the model, and one for each canary of a white-box attack.
func (p *planted) Params() int {
	if p.wrong != nil {
		return p.model.Params()
	}
	return p.model.Params() + len(p.coins)
}

// Init is that of the model; the parameters of canaries begin at 0.
func (p *planted) Init(r *rand.Rand, theta []float64) {
	clear(theta)
	p.model.Init(r, theta[:p.model.Params()])
}

// Gradient adds that of a record, or of a canary.
func (p *planted) Gradient(theta, x []float64, y int, g []float64) float64 {
	n, mark := p.model.Params(), p.Dim()-1
	switch of := x[mark]; of {
	case markRecord:
		return p.model.Gradient(theta[:n], x[:mark], y, g[:n])
	case markAbsent:
		return 0
	default:
		g[n+int(of)] += p.turn * p.length
		return p.turn * p.length * theta[n+int(of)]
	}
}

// Loss is that of a record; of a canary it is nowhere asked for.
func (p *planted) Loss(theta, x []float64, y int) float64 {
	return p.model.Loss(theta[:p.model.Params()], x[:p.Dim()-1], y)
}

// Predict is that of a record.
func (p *planted) Predict(theta, x []float64) int {
	return p.model.Predict(theta[:p.model.Params()], x[:p.Dim()-1])
}
