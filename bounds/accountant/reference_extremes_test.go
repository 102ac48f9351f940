package accountant

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// extreme is one row of testdata/extremes.tsv, exact to 25 digits. testdata/extremes.py computes it.
type extreme struct {
	reason, quantity string
	event            event.Event
	adjacency        event.Adjacency
	at, value        float64
}

func loadExtremes(t testing.TB, path string) []extreme {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []extreme
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			t.Fatalf("row %q has %d fields", line, len(f))
		}
		x := extreme{reason: f[0], quantity: f[2]}
		var errs [4]error
		x.event, _, errs[0] = event.ParseEvents([]byte(f[5]))
		x.adjacency, errs[1] = event.ParseAdjacency(f[1])
		x.at, errs[2] = strconv.ParseFloat(f[3], 64)
		x.value, errs[3] = strconv.ParseFloat(f[4], 64)
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatalf("row %q: %v", line, err)
		}
		rows = append(rows, x)
	}
	return rows
}

// coarse keeps this test fast. Brackets are certified at every width.
var coarse = Precision{Width: 0.1, MaxPoints: 1 << 12}

// Every method's bracket must contain the true value at the ends of the domain. Sampled noise takes much longer than
// the rest, so only every third question about it is evaluated. Each event still occurs, and four of five events with
// both ε and δ.
func TestExtremesAgainstClosedForms(t *testing.T) {
	sampled := 0
	for _, x := range loadExtremes(t, "testdata/extremes.tsv") {
		if x.ofSampledNoise() {
			if sampled++; sampled%3 != 0 && !testutil.Asked() {
				continue
			}
		}
		x.check(t)
	}
}

// ofSampledNoise reports whether the event adds noise to a sampled sum.
func (x extreme) ofSampledNoise() bool {
	return slices.Contains([]string{"sampled Gaussian", "opposed Gaussians", "sampled Laplace"}, x.reason)
}

func (x extreme) check(t *testing.T) {
	var rs []Result
	var err error
	switch x.quantity {
	case "epsilon":
		rs, err = Epsilons(x.event, x.adjacency, x.at, Options{Precision: coarse})
	case "delta":
		rs, err = Deltas(x.event, x.adjacency, x.at, Options{Precision: coarse})
	case "renyi":
		// Rényi bounds are rounded up and exact to 1e-11 plus the rounding of exponents of size μ², which is up to 1e6
		// in the table.
		var b Bracket
		b, err = Renyi(x.event, x.adjacency, x.at)
		if r := b.Upper; !(b.Lower <= x.value && r >= x.value && r <= x.value*(1+1e-8)) {
			t.Errorf("%s: %v under %s at order %v: %.17g, the truth is %.17g (relative %.2g)", x.reason, x.event, x.adjacency, x.at, r, x.value, r/x.value-1)
		}
	default:
		t.Errorf("%s: unknown quantity %q", x.reason, x.quantity)
	}
	if err != nil {
		t.Errorf("%s: %v: %v", x.reason, x.event, err)
	}
	for _, r := range rs {
		if !(r.Lower <= x.value && x.value <= r.Upper) {
			t.Errorf("%s: %v under %s, %s at %v by %s: [%.17g, %.17g] misses %.17g", x.reason, x.event, x.adjacency, x.quantity, x.at, r.Method, r.Lower, r.Upper, x.value)
		}
	}
}
