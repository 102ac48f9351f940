package matrix

import (
	"math"
	"math/rand/v2"
	"testing"
)

// patterns calls visit with every set of steps, from 0, that p allows in n steps, including the empty one.
func patterns(p Participation, n int, visit func([]int)) {
	times, distance := max(1, p.Times), max(1, p.Separation, p.Every)
	var grow func(from int, sofar []int)
	grow = func(from int, sofar []int) {
		visit(sofar)
		if len(sofar) == times {
			return
		}
		for i := from; i < n; i++ {
			grow(i+distance, append(sofar[:len(sofar):len(sofar)], i))
			if p.Every > 0 && len(sofar) > 0 {
				return
			}
		}
	}
	grow(0, nil)
}

// brute returns the largest squared norm of a signed sum of the columns of c over all patterns and signs.
func brute(c [][]float64, p Participation) (largest float64) {
	n := len(c[0])
	patterns(p, n, func(pattern []int) {
		for signs := range 1 << max(0, len(pattern)-1) {
			square := 0.0
			for _, row := range c {
				v := 0.0
				for m, j := range pattern {
					if signs>>m&1 == 1 {
						v -= row[j]
					} else {
						v += row[j]
					}
				}
				square += v * v
			}
			largest = math.Max(largest, square)
		}
	})
	return largest
}

// vectors returns the squared norm of unit vectors of dimension 4, found by a local search from a random start: u_i
// moves to the direction of Σ_j X_ij u_j.
func vectors(c [][]float64, p Participation, r *rand.Rand) (largest float64) {
	const dimension = 4
	patterns(p, len(c[0]), func(pattern []int) {
		u := make([][dimension]float64, len(pattern))
		for m := range u {
			for k := range u[m] {
				u[m][k] = r.NormFloat64()
			}
		}
		for range 30 {
			for m, j := range pattern {
				var pull [dimension]float64
				for _, row := range c {
					for o, i := range pattern {
						for k := range pull {
							if o != m {
								pull[k] += row[j] * row[i] * u[o][k]
							}
						}
					}
				}
				size := 0.0
				for _, x := range pull {
					size += x * x
				}
				if size == 0 {
					pull[0], size = 1, 1
				}
				for k := range pull {
					u[m][k] = pull[k] / math.Sqrt(size)
				}
			}
		}
		square := 0.0
		for _, row := range c {
			var v [dimension]float64
			for m, j := range pattern {
				for k := range v {
					v[k] += row[j] * u[m][k]
				}
			}
			for _, x := range v {
				square += x * x
			}
		}
		largest = math.Max(largest, square)
	})
	return largest
}

// treeRows returns the rows of tree aggregation by definition: a node for each complete dyadic interval of each period
// between restarts.
func treeRows(n, restart int) (rows [][]float64) {
	if restart == 0 {
		restart = n
	}
	for start := 0; start < n; start += restart {
		end := min(n, start+restart)
		for size := 1; start+size <= end; size *= 2 {
			for from := start; from+size <= end; from += size {
				row := make([]float64, n)
				for j := from; j < from+size; j++ {
					row[j] = 1
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// toeplitzRows returns the rows of C[i,j] = c(i−j) for i − j < bands.
func toeplitzRows(n, bands int, c func(lag int) float64) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := max(0, i-bands+1); j <= i; j++ {
			rows[i][j] = c(i - j)
		}
	}
	return rows
}

// binomial returns C(2m, m)/4^m by the gamma function.
func binomial(m int) float64 {
	a, _ := math.Lgamma(float64(2*m) + 1)
	b, _ := math.Lgamma(float64(m) + 1)
	return math.Exp(a - 2*b - float64(2*m)*math.Ln2)
}

// relations returns all participations in n steps, up to maxTimes times.
func relations(n, maxTimes int) (all []Participation) {
	all = append(all, Participation{})
	for times := 2; times <= min(n, maxTimes); times++ {
		for distance := 1; distance <= n; distance++ {
			all = append(all, Participation{Times: times, Separation: distance}, Participation{Times: times, Every: distance})
		}
	}
	return all
}

// compare checks a bracket against the rows of the matrix, and checks that it is exact if required.
func compare(t *testing.T, s *Strategy, rows [][]float64, p Participation, exact bool) Sensitivity {
	t.Helper()
	got, err := s.Sensitivity(p)
	if err != nil {
		t.Fatalf("%s of %d steps, %s: %v", s, s.Steps(), p, err)
	}
	want := math.Sqrt(brute(rows, p))
	if !(got.Lower <= want*(1+1e-13) && want*(1-1e-13) <= got.Upper) {
		t.Errorf("%s of %d steps, %s: [%v, %v] is beside the largest over patterns and signs, %v", s, s.Steps(), p, got.Lower, got.Upper, want)
	}
	if exact && !(got.Exact && got.Upper <= got.Lower*(1+1e-10)) {
		t.Errorf("%s of %d steps, %s: [%v, %v] is not exact", s, s.Steps(), p, got.Lower, got.Upper)
	}
	return got
}

func must(t testing.TB, s *Strategy, err error) *Strategy {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every named strategy is exact for each participation of up to 12 steps.
func TestNamedAgainstAllPatterns(t *testing.T) {
	one := func(int) float64 { return 1 }
	for n := 1; n <= 12; n++ {
		for _, p := range relations(n, 4) {
			s, err := Identity(n)
			compare(t, must(t, s, err), toeplitzRows(n, 1, one), p, true)
			s, err = Prefix(n)
			compare(t, must(t, s, err), toeplitzRows(n, n, one), p, true)
			for bands := 1; bands <= n; bands += 3 {
				s, err = Banded(n, bands)
				compare(t, must(t, s, err), toeplitzRows(n, bands, binomial), p, true)
			}
			for _, restart := range []int{0, 3, 5} {
				s, err = Tree(n, restart)
				compare(t, must(t, s, err), treeRows(n, restart), p, true)
				s, err = Honaker(n, restart)
				compare(t, must(t, s, err), treeRows(n, restart), p, true)
			}
		}
	}
}
