// Package claims holds the claim set: the checkable claims of the papers, one package per paper. Only this package
// and the experiments use both algorithms and bounds.
//
//	claims.go    the papers, their claims, and the ids that are retired
//	remarks.go   what a referee adds to the claims that failed; remarks/ has the files
package claims

import (
	"sync"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/curricula"
	"github.com/dpverify/dpverify/verify/claims/laplacesgd"
	"github.com/dpverify/dpverify/verify/claims/nonconvex"
	"github.com/dpverify/dpverify/verify/claims/pairwise"
	"github.com/dpverify/dpverify/verify/claims/prestige"
)

// Paper describes a paper in the header of a report.
type Paper struct {
	ID, Title, Authors string
	Year               int
	File               string // where its claims begin, relative to the root of the repository
	Errata             []verify.Erratum
}

// papers in the order of a report; a new paper is one row here and one folder.
var papers = []struct {
	Paper
	claims func() []verify.Claim
}{
	{Paper{prestige.ID, "Privacy-preserving Stochastic Gradual Learning", "Han, Tsang, Xiao, Chen, Fung & Yu", 2018,
		"verify/claims/prestige/prestige.go", nil}, prestige.Claims},
	{Paper{curricula.ID, "Differentially Private Stochastic Gradient Descent with Curricula", "An & Shi", 2021,
		"verify/claims/curricula/curricula.go", nil}, curricula.Claims},
	{Paper{pairwise.ID, "Pairwise Learning with Differential Privacy Guarantees", "Huai, Wang, Miao, Xu & Zhang", 2020,
		"verify/claims/pairwise/pairwise.go", nil}, pairwise.Claims},
	{Paper{laplacesgd.ID, "Stochastic Gradient Descent With Differentially Private Updates", "Hardwarsing", 2018,
		"verify/claims/laplacesgd/laplacesgd.go", nil}, laplacesgd.Claims},
	{Paper{nonconvex.ID, "Differentially Private Empirical Risk Minimization with Smooth Non-convex Loss Functions: A " +
		"Non-stationary View", "Wang & Xu", 2019, "verify/claims/nonconvex/nonconvex.go", nil}, nonconvex.Claims},
}

// Papers returns the papers of the ledger, with their errata. If these cannot be read, [Ledger] says why.
func Papers() []Paper {
	var out []Paper
	for _, p := range papers {
		n, _ := readNotes(p.ID)
		p.Errata = n.Errata
		out = append(out, p.Paper)
	}
	return out
}

// Ledger returns all claims of all papers.
var Ledger = sync.OnceValues(func() (*verify.Ledger, error) {
	var all []verify.Claim
	for _, p := range papers {
		all = append(all, p.claims()...)
	}
	l, err := verify.NewLedger(all...)
	if err != nil {
		return nil, err
	}
	gone := make(map[string]string)
	for _, p := range papers {
		n, err := readNotes(p.ID)
		if err != nil {
			return nil, err
		}
		for _, e := range n.Errata {
			for _, id := range e.Formerly {
				gone[id] = "a slip of the pen, among the errata of the paper: " + e.Place
			}
		}
		for _, r := range n.Retired {
			for _, id := range r.IDs {
				gone[id] = r.Reason
			}
		}
	}
	return l, l.Retire(gone)
})
