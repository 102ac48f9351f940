package benchmark

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/benchmark/internal/replaying"
)

// replayCases are releases that are recorded and replayed.
func replayCases() (out []Case, err error) {
	for _, row := range replaying.Rows() {
		out = append(out, Case{Name: row.Name, True: row.True, Exact: true, Fewer: 2, Check: drawn(
			func(r *rand.Rand, _ verify.Settings) (verify.Check, error) { return row.Draw(r), nil })})
	}
	return out, nil
}
