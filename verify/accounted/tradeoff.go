package accounted

import (
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/empirical/confidence"
)

// TradeOff bounds the trade-off function of the release from below, for both orders of the neighbours: by what is
// proven of δ at some ε. No mechanism of this description has a test that is more powerful.
func (r Release) TradeOff() (confidence.Lines, error) {
	p, err := accountant.NewProfile(r.Event, r.Adjacency, accountant.ProfileOptions{})
	if err != nil {
		return nil, err
	}
	const intervals = 40 // those of the profile
	var lines confidence.Lines
	for i := range intervals + 1 {
		epsilon := p.End() * float64(i) / intervals
		delta, err := p.Delta(epsilon)
		if err != nil {
			return nil, err
		}
		lines = append(lines, confidence.Line{Epsilon: epsilon, Delta: delta.Upper})
	}
	return lines, nil
}
