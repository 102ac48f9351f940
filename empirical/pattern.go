package empirical

import (
	"hash/maphash"
	"math"
)

// patterns scores whole outputs by how often each was seen in either sample: the
// witness for discrete outputs.
type patterns struct {
	score map[uint64]float64
}

// patternSeed makes hashes equal across runs of one process alone; scores are
// looked up and never ordered by hash, so that results do not depend on it.
var patternSeed = maphash.MakeSeed()

// patternKey identifies a row by its bits.
func patternKey(row []float64) uint64 {
	var h maphash.Hash
	h.SetSeed(patternSeed)
	for _, v := range row {
		b := key(v)
		for range 8 {
			h.WriteByte(byte(b))
			b >>= 8
		}
	}
	return h.Sum64()
}

// newPatterns tallies whole rows; nil where they hardly repeat. Each log ratio
// is drawn towards zero by shrink standard errors: a symbol seen once says
// little. A symbol never seen scores zero.
func newPatterns(a, b *Rows, shrink float64) *patterns {
	tallies := make(map[uint64]*[2]float64)
	most := (a.Len() + b.Len()) / 4
	for side, s := range []*Rows{a, b} {
		for i := range s.Len() {
			k := patternKey(s.Row(i))
			t := tallies[k]
			if t == nil {
				if len(tallies) >= most {
					return nil
				}
				t = new([2]float64)
				tallies[k] = t
			}
			t[side]++
		}
	}
	p := &patterns{score: make(map[uint64]float64, len(tallies))}
	for k, t := range tallies {
		x, y := t[0]+0.5, t[1]+0.5
		ratio := math.Log(x / y)
		p.score[k] = math.Copysign(math.Max(0, math.Abs(ratio)-shrink*math.Sqrt(1/x+1/y)), ratio)
	}
	return p
}

// Score of a row.
func (p *patterns) Score(row []float64) float64 { return p.score[patternKey(row)] }
