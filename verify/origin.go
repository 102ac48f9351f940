package verify

// Origin says whose statement a claim is.
type Origin string

const (
	Stated  Origin = "stated"  // the paper says it, at the claim's place
	Implied Origin = "implied" // it follows from the lines of the paper that the place names
	// Reading is ours: what is ambiguous there as we read it, or a correction that the paper does not make.
	Reading Origin = "reading"
	Program Origin = "program" // the published program that the paper names does it
)

// Words is an origin within a sentence, before the place.
func (o Origin) Words() string {
	switch o {
	case Stated:
		return "stated in"
	case Implied:
		return "implied by"
	case Reading:
		return "our reading of"
	case Program:
		return "of the published program"
	}
	return ""
}
