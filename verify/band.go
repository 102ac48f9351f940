package verify

// Violated is the (ε, δ) of a claimed curve that an event violates, and the δ that the counts have there.
type Violated struct {
	Epsilon  float64 `json:"epsilon"`
	Delta    float64 `json:"delta"`
	Measured float64 `json:"measured"`
}

// Band is what an audit certifies of the whole privacy curve and of the trade-off function, in the worse order of two
// inputs: all of it holds together, but with probability Alpha, which is its own; no verdict rests on it.
type Band struct {
	Alpha    float64     `json:"alpha"`
	Delta    []BandPoint `json:"delta"`     // δ at ε: the most that is claimed, and certified from below
	TradeOff []BandPoint `json:"trade_off"` // least type II errors at type I errors: the least that is claimed, and certified from above
}

// BandPoint is a point of a band.
type BandPoint struct {
	At        float64 `json:"at"`
	Claimed   float64 `json:"claimed"`
	Certified float64 `json:"certified"`
}

// What the curves of a band are along and of.
const (
	BandEpsilon, BandDelta = "ε", "δ"
	BandFirst, BandSecond  = "type I error", "type II error"
)

// Series are the curves of the band beside those that are claimed; none of no band.
func (b *Band) Series() (all []Series) {
	if b == nil {
		return nil
	}
	add := func(along, quantity, limit string, points []BandPoint) {
		claimed := Series{Name: "claimed", Along: along, Quantity: quantity}
		certified := Series{Name: limit, Along: along, Quantity: quantity}
		for _, p := range points {
			claimed.Points = append(claimed.Points, SeriesPoint{X: Num(p.At), Mean: Num(p.Claimed)})
			certified.Points = append(certified.Points, SeriesPoint{X: Num(p.At), Mean: Num(p.Certified)})
		}
		all = append(all, claimed, certified)
	}
	add(BandEpsilon, BandDelta, "certified, at least", b.Delta)
	add(BandFirst, BandSecond, "certified, at most", b.TradeOff)
	return all
}

// Words say what the curves of a quantity are; none of those that are not of the band.
func (b *Band) Words(quantity string) string {
	switch {
	case b == nil:
	case quantity == BandDelta:
		return "The privacy curve: the δ that is claimed at each ε, and the least that this run certifies, at all ε together"
	case quantity == BandSecond:
		return "The trade-off function: the least type II error of a test of the two inputs that is claimed at each type I " +
			"error, and the most that this run certifies, at all of them together"
	}
	return ""
}
