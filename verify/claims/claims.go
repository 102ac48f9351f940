// Package claims holds the claim set: the checkable claims of five papers on differentially private learning, one
// package per paper. [Ledger] returns the claims, [Papers] the bibliographic data, and [ReviewerNotes] the reviewer
// notes on the claims that fail. Only this package and the experiments import both algorithms and bounds.
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
	Edition            string   // publication that the claims quote, with its DOI or arXiv number
	Assessment         string   // reviewer's summary: the results that a reader can rely on, and those that fail
	Items              []string // second parts of the claim ids, in the paper's order
	File               string   // first file of its claims, relative to the root of the repository
	Errata             []verify.Erratum
}

// papers lists the papers in report order. To add a paper, add a row here and a package.
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
		Authors: "Hardwarsing", Year: 2018, Edition: "bachelor thesis, Erasmus University Rotterdam, 8 July 2018; " +
			"program [1]: github.com/RayelH/Differentially-Private-SGD",
		File: "verify/claims/laplacesgd/laplacesgd.go"}, laplacesgd.Claims},
	{Paper{ID: nonconvex.ID, Title: "Differentially Private Empirical Risk Minimization with Smooth Non-convex Loss " +
		"Functions: A Non-stationary View", Authors: "Wang & Xu", Year: 2019, Edition: "AAAI 2019, pages 1182–1189",
		File: "verify/claims/nonconvex/nonconvex.go"}, nonconvex.Claims},
}

// Papers returns the papers of the claim set with their errata. It leaves out errata that it cannot read; [Ledger]
// returns the error.
func Papers() []Paper {
	var out []Paper
	for _, p := range papers {
		n, _ := readNotes(p.ID)
		p.Errata, p.Assessment, p.Items = n.Errata, n.Assessment, n.Items
		out = append(out, p.Paper)
	}
	return out
}

// Ledger returns the claims of all papers and the reasons for the retired ids. It builds them once. It returns an error
// if a claim or a remarks file is invalid.
var Ledger = sync.OnceValues(func() (*verify.Ledger, error) {
	var all []verify.Claim
	for _, p := range papers {
		all = append(all, p.claims()...)
	}
	l, err := verify.NewLedger(all...)
	if err != nil {
		return nil, err
	}
	retired := make(map[string]string)
	for _, p := range papers {
		n, err := readNotes(p.ID)
		if err != nil {
			return nil, err
		}
		for _, e := range n.Errata {
			for _, id := range e.Formerly {
				retired[id] = "a slip of the pen, listed in the errata of the paper: " + e.Place
			}
		}
		for _, r := range n.Retired {
			for _, id := range r.IDs {
				retired[id] = r.Reason
			}
		}
	}
	return l, l.Retire(retired)
})
