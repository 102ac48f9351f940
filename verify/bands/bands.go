// Package bands has what an audit says of a whole privacy curve, as plain data.
package bands

// Violated is the (ε, δ) of a claimed curve that an event violates, and the δ that the counts have there.
type Violated struct {
	Epsilon  float64 `json:"epsilon"`
	Delta    float64 `json:"delta"`
	Measured float64 `json:"measured"`
}

// Band is what an audit certifies of the whole privacy curve and of the trade-off function, in the worse order of two
// inputs: all of it holds together, but with probability Alpha, which is its own; no verdict rests on it.
type Band struct {
	Alpha float64 `json:"alpha"`
	Delta []Point `json:"delta"` // δ at ε: the most that is claimed, and certified from below
	// Least type II errors at type I errors: the least that is claimed, and certified from above
	TradeOff []Point `json:"trade_off"`
}

// Point is a point of a band.
type Point struct {
	At        float64 `json:"at"`
	Claimed   float64 `json:"claimed"`
	Certified float64 `json:"certified"`
}
