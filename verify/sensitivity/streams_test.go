package sensitivity

import (
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// The search in each cell has its own random stream.
func TestSensitivityStreamsAreUsedOnce(t *testing.T) {
	verifytest.StreamsOnce(t, map[string]verify.Check{
		"sensitivity": Check{Quantity: "mean", Norm: L2, Adjacency: inputs.ReplaceOneRecord, Evaluations: 50, Cells: []Cell{
			{Place: "n = 4", Map: sumOf(4, addPoint), OutputLength: 2, N: 4, Records: unitBall(2, L2), Claimed: 1},
			{Place: "n = 5", Map: sumOf(5, addPoint), OutputLength: 2, N: 5, Records: unitBall(2, L2), Claimed: 1},
		}},
	})
}
