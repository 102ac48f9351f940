package distinguisher

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// TestQuadraticScores checks that the scores find differences of scale and of correlation that no single value shows:
// noise that is 1.25 times as large
// around 5, and noise that the values share in part.
func TestQuadraticScores(t *testing.T) {
	const rows, values = 3000, 20
	numbers := func(r *rand.Rand, scale, shared float64) []float64 {
		row := []float64{values}
		common := r.NormFloat64()
		for range values {
			row = append(row, 5+scale*(math.Sqrt(1-shared)*r.NormFloat64()+math.Sqrt(shared)*common))
		}
		return row
	}
	for _, test := range []struct {
		name          string
		scale, shared float64
		want          string // beginning of the name of the best event
		certified     float64
	}{
		{"larger noise", 1.25, 0, "log-likelihood ratio of independent normal values", 1},
		{"shared noise", 1, 0.5, "log-likelihood ratio of correlated normal values", 3},
	} {
		r := rand.New(rand.NewPCG(7, 8))
		sample := func(n int, scale, shared float64) *Rows {
			s := NewRows(values+1, n)
			for range n {
				s.Append(numbers(r, scale, shared))
			}
			return s
		}
		fast := confidence.NewEpsilonFast(0, 0.025)
		s := Search{Samples: [][2]int64{{rows, rows}}, Certified: fast.Lower}
		found, err := s.Find(sample(rows, 1, 0), sample(rows, test.scale, test.shared))
		if err != nil {
			t.Fatal(err)
		}
		var x, y float64
		a, b := sample(rows, 1, 0), sample(rows, test.scale, test.shared)
		for i := range rows {
			x, y = x+indicator(found[0].Holds(r, a.Row(i))), y+indicator(found[0].Holds(r, b.Row(i)))
		}
		if found[0].Swapped {
			x, y = y, x
		}
		if lower := fast.Lower(x, rows, y, rows); !strings.HasPrefix(found[0].Event, test.want) || lower < test.certified {
			t.Errorf("%s: %s certifies %.3g, want %q and at least %g", test.name, found[0].Event, lower, test.want,
				test.certified)
		}
	}
}

// TestCorrelatedNormals compares the score with the log ratio of two bivariate normal densities, up to a constant.
func TestCorrelatedNormals(t *testing.T) {
	const n, shift, correlation = 200_000, 0.5, 0.6
	r := rand.New(rand.NewPCG(11, 12))
	a, b := NewRows(3, n), NewRows(3, n)
	for range n {
		u, v := r.NormFloat64(), r.NormFloat64()
		a.Append([]float64{2, u + shift, v})
		u, v = r.NormFloat64(), r.NormFloat64()
		b.Append([]float64{2, u, correlation*u + math.Sqrt(1-correlation*correlation)*v})
	}
	all := newTable(a, b)
	score := correlatedNormals(all, momentsOf(all, all.a), momentsOf(all, all.b))
	want := func(x, y float64) float64 {
		return -(x-shift)*(x-shift)/2 - y*y/2 + (x*x-2*correlation*x*y+y*y)/(2*(1-correlation*correlation))
	}
	at := func(x, y float64) float64 { return score([]float64{2, x, y}) }
	for _, p := range [][2]float64{{1, 1}, {-1, 0.5}, {2, -1}, {0, 1.5}} {
		got, exact := at(p[0], p[1])-at(0, 0), want(p[0], p[1])-want(0, 0)
		if math.Abs(got-exact) > 0.05*(1+math.Abs(exact)) {
			t.Errorf("score of %v minus that of 0: %.4g, want %.4g", p, got, exact)
		}
	}
}
