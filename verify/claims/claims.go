// Package claims holds the claim set: the checkable claims of the papers, one package per paper. Only this package
// and the experiments use both algorithms and bounds.
//
//	claims.go    the papers, their claims, and the ids that are retired
//	remarks.go   what a referee adds to the claims that failed; remarks/ has the files
//	replays*.go  the learners of the papers, recorded and replayed
package claims

import (
	"maps"
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
	gone := maps.Clone(retired)
	for _, p := range papers {
		n, err := readNotes(p.ID)
		if err != nil {
			return nil, err
		}
		for _, e := range n.Errata {
			// Until all papers are read again no other share changes.
			l.Reserve(float64(len(e.Formerly)))
			for _, id := range e.Formerly {
				gone[id] = "a slip of the pen, among the errata of the paper: " + e.Place
			}
		}
	}
	return l, l.Retire(gone)
})

// retired are ids of older ledgers that no claim answers to any more, each with the reason.
var retired = map[string]string{
	"prestige/table-3/text/all-losses":           "said of the hinge loss alone: prestige/table-3/text/hinge",
	"prestige/table-3/text/all-losses/corrected": "said of the hinge loss alone: prestige/table-3/text/hinge",
	"curricula/table-2/accuracy/rows": "a test by the signs of four rows cannot reach the level " +
		"0.05 whatever they show",
	"curricula/table-3/accuracy/rows": "a test by the signs of four rows cannot reach the level " +
		"0.05 whatever they show",
	"pairwise/alg-2/norm": "a reading that the paper rules out: Theorem 2 defines ‖C‖₂ as the diameter",
	"pairwise/lemma-3/loose": "no statement of the paper: how far Lemma 3 is from the " +
		"exact ε of a Gaussian mechanism",
	"nonconvex/alg-4/half":                      "the text has no such step: line 2 of Algorithm 4 prints no sensitivity",
	"nonconvex/lemma-1/loose":                   "no statement of the paper: how loose Lemma 1 is is ours",
	"nonconvex/thm-1/constant":                  "its c is ours: that no c serves every ε is nonconvex/thm-1",
	"nonconvex/thm-2/defined":                   "nobody claims a step at every δ, however small",
	"nonconvex/thm-2/defined/corrected":         "with nonconvex/thm-2/defined",
	"nonconvex/thm-4/defined":                   "nobody claims a step at every δ, however small",
	"nonconvex/thm-4/defined/corrected":         "with nonconvex/thm-4/defined",
	"nonconvex/thm-5/defined":                   "nobody claims a step at every δ, however small",
	"nonconvex/thm-5/defined/corrected":         "with nonconvex/thm-5/defined",
	"nonconvex/thm-6/utility/defined":           "nobody claims a step at every δ, however small",
	"nonconvex/thm-6/utility/defined/corrected": "with nonconvex/thm-6/utility/defined",
	"laplace-sgd/eq-4/double":                   "ours: the thesis says nothing of double precision",
	"laplace-sgd/eq-4/double/corrected":         "the companion of laplace-sgd/eq-4/double",
	"laplace-sgd/sensitivity/tight":             "ours: the thesis needs an upper bound alone",
	"laplace-sgd/sensitivity/tight/corrected":   "the companion of laplace-sgd/sensitivity/tight",
	"laplace-sgd/preprocessing/zero-rows":       "ours: the thesis speaks of no rows of zeros",
}
