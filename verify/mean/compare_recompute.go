package mean

import (
	"fmt"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// CompareMethod is the method of [RecomputeCompare].
const CompareMethod = "mean/compare"

func (t *compareTrial) basis(counts empirical.Counts, means empirical.Tallies) compareStatistics {
	f := compareStatistics{Quantity: t.Quantity, Names: t.Names, Replicates: t.replicates(), Note: t.Note}
	for _, m := range means {
		f.Moments = append(f.Moments, m.(*confidence.Moments))
	}
	for i, o := range t.Orders {
		f.Orders = append(f.Orders, orderStatistics{Less: o.Less, More: o.More, Below: counts[2*i],
			BelowOrLike: counts[2*i+1]})
	}
	return f
}

// RecomputeCompare returns the evidence of [Compare] from its facts.
func RecomputeCompare(b verify.SufficientStatistics, s verify.Settings) (verify.Evidence, error) {
	var f compareStatistics
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	if f.Replicates < 1 || len(f.Orders) == 0 {
		return verify.Evidence{}, fmt.Errorf("%d replicates of %d orders: want at least one of each", f.Replicates,
			len(f.Orders))
	}
	t := &compareTrial{Compare: Compare{Quantity: f.Quantity, Names: f.Names, Note: f.Note}, alpha: s.Alpha, shards: 1,
		perShard: f.Replicates}
	var counts empirical.Counts
	for _, o := range f.Orders {
		if !(o.Below >= 0 && o.Below <= o.BelowOrLike && o.BelowOrLike <= f.Replicates) || o.Less == o.More ||
			min(o.Less, o.More) < 0 || max(o.Less, o.More) >= len(f.Names) {
			return verify.Evidence{}, fmt.Errorf("order %+v: want two of the %d names, and counts of %d replicates that grow", o,
				len(f.Names), f.Replicates)
		}
		t.Orders, counts = append(t.Orders, Order{o.Less, o.More}), append(counts, o.Below, o.BelowOrLike)
	}
	parts := empirical.Tallies{counts}
	for i := range f.Names {
		m := &confidence.Moments{} // reports of older versions have none
		if f.Moments != nil {
			if len(f.Moments) != len(f.Names) || f.Moments[i] == nil || f.Moments[i].N() != f.Replicates {
				return verify.Evidence{}, fmt.Errorf("moments of %d names: want those of %d replicates for each of %d names",
					len(f.Moments), f.Replicates, len(f.Names))
			}
			m = f.Moments[i]
		}
		parts = append(parts, m)
	}
	return t.judge(parts, f.Replicates)
}
