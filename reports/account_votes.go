package reports

import (
	"fmt"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Votes is the data-dependent figure of PATE's answers: ε at the δ of the account, for the votes of some queries. It is
// not a bracket and decides no claim.
type Votes struct {
	Epsilon verify.Number `json:"epsilon"`
	Queries int           `json:"queries"`
}

func (v *Votes) section(delta float64) section {
	_, _, upper := Bracket(accountant.Bracket{Lower: v.Epsilon.X, Estimate: v.Epsilon.X, Upper: v.Epsilon.X})
	s := section{Level: 2, Title: words("Data-dependent figure"), Tone: string(verify.Vacuous)}
	s.Say(fmt.Sprintf("For the votes on the queries in the file (%d), ε ≤ %s at δ = %s. This ε is a function of the "+
		"private votes: it is not itself private, and it is not a guarantee for other data sets. It makes no claim hold. "+
		"It applies to queries that do not depend on earlier answers, without threshold checks. The table holds for all "+
		"votes.", v.Queries, upper, format.Shortest(delta)))
	return s
}
