// Package claims is the ledger: the checkable claims of the papers, one folder a
// paper. It is the place where algorithms, bounds and checks meet.
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

// Paper is what a report says of a paper before it judges its claims.
type Paper struct {
	ID, Title, Authors string
	Year               int
	File               string // where its claims begin, relative to the root of the repository
}

// papers in the order of a report; a new paper is one row here and one folder.
var papers = []struct {
	Paper
	claims func() []verify.Claim
}{
	{Paper{prestige.ID, "Privacy-preserving Stochastic Gradual Learning", "Han, Tsang, Xiao, Chen, Fung & Yu", 2018,
		"verify/claims/prestige/prestige.go"}, prestige.Claims},
	{Paper{curricula.ID, "Differentially Private Stochastic Gradient Descent with Curricula", "An & Shi", 2021,
		"verify/claims/curricula/curricula.go"}, curricula.Claims},
	{Paper{pairwise.ID, "Pairwise Learning with Differential Privacy Guarantees", "Huai, Wang, Miao, Xu & Zhang", 2020,
		"verify/claims/pairwise/pairwise.go"}, pairwise.Claims},
	{Paper{laplacesgd.ID, "Stochastic Gradient Descent With Differentially Private Updates", "Hardwarsing", 2018,
		"verify/claims/laplacesgd/laplacesgd.go"}, laplacesgd.Claims},
	{Paper{nonconvex.ID, "Differentially Private Empirical Risk Minimization with Smooth Non-convex Loss Functions: A " +
		"Non-stationary View", "Wang & Xu", 2019, "verify/claims/nonconvex/nonconvex.go"}, nonconvex.Claims},
}

// Papers returns the papers of the ledger.
func Papers() []Paper {
	var out []Paper
	for _, p := range papers {
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
	return l, l.Retire(retired)
})

// retired are ids of older ledgers that no claim answers to any more, each with the reason.
var retired = map[string]string{
	"laplace-sgd/eq-4/double":                 "ours: the thesis says nothing of double precision",
	"laplace-sgd/eq-4/double/corrected":       "the companion of laplace-sgd/eq-4/double",
	"laplace-sgd/sensitivity/tight":           "ours: the thesis needs an upper bound alone",
	"laplace-sgd/sensitivity/tight/corrected": "the companion of laplace-sgd/sensitivity/tight",
	"laplace-sgd/preprocessing/zero-rows":     "ours: the thesis speaks of no rows of zeros",
}
