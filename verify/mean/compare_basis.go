package mean

import (
	"fmt"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/verify"
)

// CompareBasis is the method of [RecomputeCompare].
const CompareBasis = "mean/compare"

// compareFacts are what the evidence of [Compare] follows from.
type compareFacts struct {
	Quantity   string       `json:"quantity"`
	Names      []string     `json:"names"`
	Replicates int64        `json:"replicates"`
	Orders     []orderFacts `json:"orders"`
}

// orderFacts are an order of two of the names, from 0, and in how many replicates it held.
type orderFacts struct {
	Less        int   `json:"less"`
	More        int   `json:"more"`
	Below       int64 `json:"below"`
	BelowOrLike int64 `json:"below_or_equal"`
}

func (t *compareTrial) facts(counts empirical.Counts) compareFacts {
	f := compareFacts{Quantity: t.Quantity, Names: t.Names, Replicates: t.replicates()}
	for i, o := range t.Orders {
		f.Orders = append(f.Orders, orderFacts{o.Less, o.More, counts[2*i], counts[2*i+1]})
	}
	return f
}

// RecomputeCompare is the evidence of [Compare] from its facts, without the means beside it.
func RecomputeCompare(b verify.Basis, s verify.Settings) (verify.Evidence, error) {
	var f compareFacts
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	if f.Replicates < 1 || len(f.Orders) == 0 {
		return verify.Evidence{}, fmt.Errorf("%d replicates of %d orders: want at least one of each", f.Replicates, len(f.Orders))
	}
	t := &compareTrial{Compare: Compare{Quantity: f.Quantity, Names: f.Names}, alpha: s.Alpha, shards: 1,
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
	for range f.Names {
		parts = append(parts, &limits.Moments{})
	}
	return t.judge(parts, f.Replicates)
}
