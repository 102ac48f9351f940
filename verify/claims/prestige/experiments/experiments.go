// Package experiments is the ledger of Sect. 4 of Han et al. 2018: its tables, its figures, and what
// its text says of them.
//
//	tables.go   Table 3: its text, and what the privacy budget lets through
//	text.go     Tables 2 and 3 beside what the text says of the data, of gains and of deviations
//	counts.go   the counts of Table 2 beside the files and what the text says of scale
//	gains.go    "obviously" and "marginal" beside Table 3
//	figures.go  Fig. 4, Fig. 6 and Table 3 measured on A7A; data.go is the runs
package experiments

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Claims returns the claims in the paper's order.
func Claims() []verify.Claim {
	return slices.Concat(dataClaims(), countClaims(), tableClaims(), textClaims(), gainClaims(), figureClaims())
}
