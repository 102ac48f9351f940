package verify

import "testing"

// The search in every cell has a stream of its own.
func TestSensitivityStreamsAreUsedOnce(t *testing.T) {
	streamsOnce(t, map[string]Check{
		"sensitivity": SensitivityCheck{Quantity: "mean", Norm: L2, Adjacency: ReplaceOne, Evaluations: 50, Cells: []SensitivityCell{
			{At: "n = 4", Map: sumOf(4, addPoint), Out: 2, N: 4, Records: unitBall(2, L2), Claimed: 1},
			{At: "n = 5", Map: sumOf(5, addPoint), Out: 2, N: 5, Records: unitBall(2, L2), Claimed: 1},
		}},
	})
}
