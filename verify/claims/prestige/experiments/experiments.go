// Package experiments is the ledger of Sect. 4 of Han et al. 2018: its tables, its figures, and what
// its text says of them.
//
//	tables.go   Tables 2 and 3: their text, and what the privacy budget lets through
//	figures.go  Fig. 4, Fig. 6 and Table 3 measured on A7A; data.go is the runs
package experiments

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Claims returns the claims in the paper's order.
func Claims() []verify.Claim { return slices.Concat(tableClaims(), figureClaims()) }
