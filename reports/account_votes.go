package reports

import (
	"fmt"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Votes is the data-dependent ε of PATE's answers at the δ of the account, for given votes. It is not a bracket, and no
// claim is judged by it.
type Votes struct {
	Epsilon verify.Number `json:"epsilon"`
	Queries int           `json:"queries"`
}

func (v *Votes) section(delta float64) section {
	_, _, upper := Bracket(accountant.Bracket{Lower: v.Epsilon.X, Estimate: v.Epsilon.X, Upper: v.Epsilon.X})
	s := section{Level: 2, Title: words("Data-dependent ε"), Tone: string(verify.Vacuous)}
	s.Say(fmt.Sprintf("For the %s in the file, ε ≤ %s at δ = %s. This ε is a function of the private votes: it is "+
		"not private, and it is not a guarantee for other data sets. No claim is judged by it. The queries must not depend "+
		"on earlier answers, and threshold checks are not included. The table above holds for all votes.",
		verify.Plural(v.Queries, "row of votes"), upper, format.Shortest(delta)))
	return s
}
