package verify

// Sense is how the measured side of a relation stands to the claimed side.
type Sense string

const (
	Equals  Sense = "="
	AtMost  Sense = "≤"
	Below   Sense = "<"
	AtLeast Sense = "≥"
	Above   Sense = ">"
)
