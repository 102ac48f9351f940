package dependence

import (
	"math"
	"slices"
	"sync"
)

// A spread tests whether the counts of an event in blocks of outputs vary as binomial counts with one probability.
//
// Beta-binomial distributions bet on each block. Their mean is the event's share of the earlier blocks, and their
// precision is one of precisions. A bet is divided by the largest likelihood that any one probability gives to all
// counts. The quotient is at most a test martingale (universal inference, Wasserman, Ramdas & Balakrishnan 2020). So
// for independent outputs of one distribution it reaches 1/α, after any number of blocks, with probability at most α
// (Ville 1939).
type spread struct {
	hits, all int
	bets      [len(precisions)]float64 // logarithms of the likelihoods
	blocks    int                      // number of blocks
	shares    blockShares              // of whole replies
}

// precisions are the precisions of the beta distributions. The correlation of two outputs of a block is 1/(1 +
// precision).
var precisions = [...]float64{0.5, 4, 30, 200}

const (
	// means is the number of equal steps from 0 to 1. The mean is rounded to such a step.
	means = 64
	// longest is the number of outputs in the largest block.
	longest = 256
)

// rises holds ln(a(a+1)…(a+k−1)) for a = precision·i/means, at [precision][i][k].
var rises = sync.OnceValue(func() *[len(precisions)][means + 1][longest + 1]float64 {
	out := new([len(precisions)][means + 1][longest + 1]float64)
	for s, precision := range precisions {
		for i := 1; i <= means; i++ {
			for k := range longest {
				out[s][i][k+1] = out[s][i][k] + math.Log(precision*float64(i)/means+float64(k))
			}
		}
	}
	return out
})

// gains returns the logarithms of the likelihoods of all bets on blocks of n outputs, at [i·(n+1) + hits] for the mean
// i/means. The bets on a block are adjacent in memory, because nearly every output is in a small block.
func gains(n int) [][len(precisions)]float64 {
	rises := rises()
	out := make([][len(precisions)]float64, (means+1)*(n+1))
	for i := range means + 1 {
		for hits := range n + 1 {
			for k := range rises {
				of := &rises[k]
				out[i*(n+1)+hits][k] = of[i][hits] + of[means-i][n-hits] - of[means][n]
			}
		}
	}
	return out
}

// scaleGains holds the gains of the blocks of each scale, nil for a whole reply.
var scaleGains = sync.OnceValue(func() (out [len(scales)][][len(precisions)]float64) {
	for k, n := range scales {
		if n > 0 {
			out[k] = gains(n)
		}
	}
	return out
})

// add bets on a block of n outputs with hits outputs in the event. all holds the gains of such blocks, or is nil.
func (s *spread) add(hits, n int, all [][len(precisions)]float64) {
	mean := means * (float64(s.hits) + 0.5) / (float64(s.all) + 1)
	i := max(1, min(means-1, int(mean+0.5)))
	if all != nil {
		for k, gain := range &all[i*(n+1)+hits] {
			s.bets[k] += gain
		}
	} else {
		rises := rises()
		for k := range rises {
			of := &rises[k]
			s.bets[k] += of[i][hits] + of[means-i][n-hits] - of[means][n]
		}
	}
	s.hits, s.all, s.blocks = s.hits+hits, s.all+n, s.blocks+1
}

// won returns the logarithm of the largest quotient of a bet and the largest likelihood.
func (s *spread) won() float64 {
	one := func(k int) float64 {
		if k == 0 {
			return 0
		}
		return float64(k) * math.Log(float64(k)/float64(s.all))
	}
	return slices.Max(s.bets[:]) - one(s.hits) - one(s.all-s.hits)
}

// blockShares collects the shares of the event in whole replies, for the message.
type blockShares struct {
	n                        int
	least, most, first, last float64
	sum, squares, moment     float64 // sums of the shares, of their squares, and of share times place
}

func (b *blockShares) add(share float64) {
	if b.n == 0 {
		b.least, b.most, b.first = share, share, share
	}
	b.least, b.most, b.last = min(b.least, share), max(b.most, share), share
	b.moment += float64(b.n) * share
	b.sum, b.squares, b.n = b.sum+share, b.squares+share*share, b.n+1
}

// along returns the correlation of the shares with their place in the run.
func (b *blockShares) along() float64 {
	n := float64(b.n)
	between := b.moment - b.sum*(n-1)/2
	places, shares := n*(n*n-1)/12, b.squares-b.sum*b.sum/n
	if !(places*shares > 0) {
		return 0
	}
	return between / math.Sqrt(places*shares)
}
