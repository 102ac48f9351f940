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
	Edition            string   // the text that was read: where it was published, with its DOI or arXiv number
	Assessment         string   // a reviewer's summary: what a reader can rely on, and what breaks
	Items              []string // the second parts of the ids in the paper's order
	File               string   // where its claims begin, relative to the root of the repository
	Errata             []verify.Erratum
}

// papers in the order of a report; a new paper is one row here and one folder.
var papers = []struct {
	Paper
	claims func() []verify.Claim
}{
	{Paper{ID: prestige.ID, Title: "Privacy-preserving Stochastic Gradual Learning",
		Authors: "Han, Tsang, Xiao, Chen, Fung & Yu", Year: 2018, Edition: "arXiv:1810.00383",
		File: "verify/claims/prestige/prestige.go"}, prestige.Claims},
	{Paper{ID: curricula.ID, Title: "Differentially Private Stochastic Gradient Descent with Curricula",
		Authors: "An & Shi", Year: 2021, Edition: "course project, University of Maryland, fall 2021",
		File: "verify/claims/curricula/curricula.go"}, curricula.Claims},
	{Paper{ID: pairwise.ID, Title: "Pairwise Learning with Differential Privacy Guarantees",
		Authors: "Huai, Wang, Miao, Xu & Zhang", Year: 2020, Edition: "AAAI 2020, doi:10.1609/aaai.v34i01.5411",
		File: "verify/claims/pairwise/pairwise.go"}, pairwise.Claims},
	{Paper{ID: laplacesgd.ID, Title: "Stochastic Gradient Descent With Differentially Private Updates",
		Authors: "Hardwarsing", Year: 2018, Edition: "bachelor thesis, Erasmus University Rotterdam, 8 July 2018; program [1]: github.com/RayelH/" +
			"Differentially-Private-SGD",
		File: "verify/claims/laplacesgd/laplacesgd.go"}, laplacesgd.Claims},
	{Paper{ID: nonconvex.ID, Title: "Differentially Private Empirical Risk Minimization with Smooth Non-convex Loss " +
		"Functions: A Non-stationary View", Authors: "Wang & Xu", Year: 2019, Edition: "AAAI 2019, pages 1182–1189",
		File: "verify/claims/nonconvex/nonconvex.go"}, nonconvex.Claims},
}

// Papers returns the papers of the ledger, with their errata. If these cannot be read, [Ledger] says why.
func Papers() []Paper {
	var out []Paper
	for _, p := range papers {
		n, _ := readNotes(p.ID)
		p.Errata, p.Assessment, p.Items = n.Errata, n.Assessment, n.Items
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
