package sequential

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// Stakes holds bets against a claim that are fixed by earlier rows. They divide the outputs into three regions along
// one score: likelier for the first input, neither, and likelier for the second input. All bets suspect that the first
// and the last region violate the claim. They differ only in their stakes, so that one stake suits the size of the
// violation.
type Stakes struct {
	score  distinguisher.Score
	cells  cells
	region []int    // of each cell: 0, 1 or 2; nil if the earlier rows suggest no bet
	pays   []payoff // for the regions, one for each stake
}

const (
	// StakeCount is the number of stakes. Neighboring stakes have the ratio stakeRatio. A stake that is wrong by the
	// factor √stakeRatio reaches 93 % of the best growth.
	StakeCount = 8
	stakeRatio = 1.6
	// boldGrowth is the growth of the log wealth over the coming pairs of rows, in nats, at which the largest stake is
	// best. boldestGrowth limits this growth for each pair.
	boldGrowth, boldestGrowth = 20, 0.3
	// maxStretch is the largest factor by which the log ratios of the regions are exaggerated.
	maxStretch = 1e6
)

// NewStakes returns bets against the claim on the given number of coming pairs of rows. The score and the rows, a of
// the first input and b of the second, must not depend on the coming rows.
func NewStakes(claim Claim, score distinguisher.Score, a, b *distinguisher.Rows, coming int64) *Stakes {
	s := &Stakes{score: score}
	var values [2][]float64
	for side, rows := range []*distinguisher.Rows{a, b} {
		for i := range rows.Len() {
			values[side] = append(values[side], score.Value(rows.Row(i)))
		}
	}
	smooth := ordered[1]
	if score.Classes > 0 {
		s.cells, smooth = classesOf(score.Classes), classes[1]
	} else {
		sorted := slices.DeleteFunc(slices.Concat(values[0], values[1]), math.IsNaN)
		slices.Sort(sorted)
		s.cells = divide(sorted, maxCells)
	}
	p, q := smooth.laws(s.cells.counts(values[0]), s.cells.counts(values[1]))
	d := newDominating(claim)
	suspected := d.suspect(p, q, math.Min(boldestGrowth, boldGrowth/float64(coming)))
	if suspected.growth == 0 {
		return s
	}
	s.region = suspected.region
	for k, stake := 0, 1.0; k < StakeCount; k, stake = k+1, stake/stakeRatio {
		s.pays = append(s.pays, d.diluted(suspected.pay, stake))
	}
	return s
}

// counts returns the number of values in each cell.
func (c cells) counts(values []float64) []float64 {
	counts := make([]float64, c.n+1)
	for _, v := range values {
		counts[c.index(v)]++
	}
	return counts
}

// suspicion is a division of the cells into regions, and the bet with the largest growth at the believed probabilities
// of the regions.
type suspicion struct {
	region []int
	pay    payoff
	growth float64
}

// suspect returns the regions for believed cell probabilities p and q. It multiplies the log ratio of each region by
// one factor, the smallest one, at least 1, with which some regions reach the wanted growth. Without the factor, the
// estimates of a small violation would often suggest no bet.
func (d *dominating) suspect(p, q []float64, wanted float64) suspicion {
	order := make([]int, len(p))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[j]*q[i], p[i]*q[j]) })
	low, high := 1.0, 1.0
	best := d.bestRegions(order, p, q, high)
	for best.growth < wanted {
		if low, high = high, 2*high; high > maxStretch {
			return suspicion{}
		}
		best = d.bestRegions(order, p, q, high)
	}
	const halvings = 6
	for range halvings {
		middle := (low + high) / 2
		if s := d.bestRegions(order, p, q, middle); s.growth >= wanted {
			best, high = s, middle
		} else {
			low = middle
		}
	}
	return best
}

// bestRegions returns the regions with the largest growth, if the log ratios are multiplied by a factor. The first
// region is the beginning of the order and the last region is its end; each of them may be empty.
func (d *dominating) bestRegions(order []int, p, q []float64, factor float64) (best suspicion) {
	cuts := [2]int{}
	for from := range len(order) + 1 {
		for to := from; to <= len(order); to++ {
			u, v := regionLaws(order, p, q, from, to)
			stretch(u, v, factor)
			pay, growth := d.bet(u, v), 0.0
			for r := range u {
				growth += u[r]*pay.f[r] + v[r]*pay.g[r]
			}
			if growth > best.growth+1e-12 {
				best, cuts = suspicion{pay: pay, growth: growth}, [2]int{from, to}
			}
		}
	}
	best.region = make([]int, len(order))
	for k, cell := range order {
		switch {
		case k >= cuts[1]:
			best.region[cell] = 2
		case k >= cuts[0]:
			best.region[cell] = 1
		}
	}
	return best
}

// regionLaws returns the probabilities of the regions order[:from], order[from:to] and order[to:].
func regionLaws(order []int, p, q []float64, from, to int) (u, v []float64) {
	const empty = 1e-12 // bets need positive probabilities
	u, v = []float64{empty, empty, empty}, []float64{empty, empty, empty}
	for k, cell := range order {
		r := 0
		if k >= from {
			r = 1
		}
		if k >= to {
			r = 2
		}
		u[r], v[r] = u[r]+p[cell], v[r]+q[cell]
	}
	return u, v
}

// stretch multiplies the log ratios of two distributions by a factor. Up to normalization it keeps the sum of both
// distributions at each place.
func stretch(u, v []float64, factor float64) {
	const least = 1e-12
	var sumU, sumV float64
	for r := range u {
		both, share := u[r]+v[r], logistic(factor*math.Log(u[r]/v[r]))
		u[r], v[r] = both*share+least, both*(1-share)+least
		sumU, sumV = sumU+u[r], sumV+v[r]
	}
	for r := range u {
		u[r], v[r] = u[r]/sumU, v[r]/sumV
	}
}

// diluted returns the payoff that bets only the given share of the wealth.
func (d *dominating) diluted(pay payoff, share float64) payoff {
	f, g := make([]float64, len(pay.f)), make([]float64, len(pay.g))
	for r := range f {
		f[r], g[r] = 1+share*math.Expm1(pay.f[r]), 1+share*math.Expm1(pay.g[r])
	}
	logPrice := math.Log(d.price(f, g))
	for r := range f {
		f[r], g[r] = math.Log(f[r])-logPrice, math.Log(g[r])-logPrice
	}
	return payoff{f, g}
}

// LogFactors returns the logarithm of the factor of each stake for pairs of rows. Under the claim the expectation of
// each factor is at most 1, if the rows are independent of each other and of the rows that fixed the bets.
func (s *Stakes) LogFactors(a, b *distinguisher.Rows) []float64 {
	logs := make([]float64, StakeCount)
	if s.region == nil {
		return logs
	}
	for i := range a.Len() {
		x, y := s.region[s.cells.index(s.score.Value(a.Row(i)))], s.region[s.cells.index(s.score.Value(b.Row(i)))]
		for k, pay := range s.pays {
			logs[k] += pay.f[x] + pay.g[y]
		}
	}
	return logs
}
