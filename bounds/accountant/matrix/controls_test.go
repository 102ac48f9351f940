package matrix

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Negative controls: faulty computations of the sensitivity must be below a pattern with signs for some small matrix.
// The correct one must not.
func TestFaultsAreSeen(t *testing.T) {
	sound := func(rows [][]float64, p Participation) float64 {
		s, err := New(rows)
		got, err := must(t, s, err).Sensitivity(p)
		if err != nil {
			t.Fatal(err)
		}
		return got.Upper
	}
	for _, c := range []struct {
		name  string
		upper func(rows [][]float64, p Participation) float64
		seen  bool
	}{
		{"none", sound, false},
		{"a second participation is ignored", func(rows [][]float64, _ Participation) float64 {
			return sound(rows, Participation{})
		}, true},
		{"participations are composed as if columns were orthogonal", func(rows [][]float64, p Participation) float64 {
			return sound(rows, Participation{}) * math.Sqrt(float64(p.Times))
		}, true},
		{"negative entries are ignored", func(rows [][]float64, p Participation) float64 {
			cut := make([][]float64, len(rows))
			for i, row := range rows {
				for _, x := range row {
					cut[i] = append(cut[i], math.Max(0, x))
				}
			}
			return sound(cut, p)
		}, true},
		{"all contributions are taken to be aligned", func(rows [][]float64, p Participation) float64 {
			largest := 0.0
			patterns(p, len(rows), func(pattern []int) {
				_, high := newDense(rows).square(pattern, ones(len(pattern)))
				largest = math.Max(largest, high)
			})
			return math.Sqrt(largest)
		}, true},
		{"the separation is one too large", func(rows [][]float64, p Participation) float64 {
			p.Separation = min(len(rows), p.Separation+1)
			return sound(rows, p)
		}, true},
		{"the rows stand for the columns", func(rows [][]float64, _ Participation) float64 {
			largest := 0.0
			for _, row := range rows {
				square := 0.0
				for _, x := range row {
					square += x * x
				}
				largest = math.Max(largest, square)
			}
			return math.Sqrt(largest)
		}, true},
	} {
		r := rand.New(rand.NewPCG(27, 2))
		below := 0
		for range 60 {
			rows := drawn(r, 6, 6, true)
			p := Participation{Times: 2, Separation: 1 + r.IntN(3)}
			if c.upper(rows, p) < math.Sqrt(brute(rows, p))*(1-1e-9) {
				below++
			}
		}
		if (below > 0) != c.seen {
			t.Errorf("%s: below in %d of 60 matrices", c.name, below)
		}
	}
}

// Trees, compared with all patterns of up to 26 steps. Signs are not needed, because no entry is negative. A greedy
// pattern is not sufficient.
func TestTreesAgainstAllPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 3))
	greedy := 0
	for range 120 {
		n := 10 + r.IntN(17)
		restart := []int{0, 0, 7, 12}[r.IntN(4)]
		p := Participation{Times: 2 + r.IntN(7), Separation: 2 + r.IntN(5)}
		s, err := Tree(n, restart)
		got, err := must(t, s, err).Sensitivity(p)
		if err != nil {
			t.Fatal(err)
		}
		f := s.form.(*forest)
		c, largest := newCounts(f), 0
		patterns(p, n, func(pattern []int) {
			v, _ := c.window(pattern, len(pattern))
			largest = max(largest, v)
		})
		if want := math.Sqrt(float64(largest)); !(got.Lower <= want && want <= got.Upper && got.Exact) {
			t.Errorf("%s of %d steps, %s: [%v, %v], want %v", s, n, p, got.Lower, got.Upper, want)
		}
		times, distance := p.spacing(n)
		if v, _ := f.greedy(times, distance, largest); v < largest {
			greedy++
		}
		if len(got.Pattern) > p.Times {
			t.Errorf("%s: pattern %v", p, got.Pattern)
		}
		for i, step := range got.Pattern {
			if step < 1 || step > n || i > 0 && step-got.Pattern[i-1] < p.Separation {
				t.Errorf("%s of %d steps: pattern %v", p, n, got.Pattern)
			}
		}
	}
	if greedy == 0 {
		t.Error("the dynamic programme was never needed")
	}
}

// If the dynamic program stops early, the bracket is still narrow, and its pattern attains the lower end.
func TestForestsTooLargeForTheProgramme(t *testing.T) {
	s, err := Tree(10000, 0)
	p := Participation{Times: 1000, Separation: 5}
	got, err := must(t, s, err).Sensitivity(p)
	if err != nil {
		t.Fatal(err)
	}
	if got.Exact || !(got.Lower < got.Upper && got.Upper < 1.01*got.Lower) {
		t.Errorf("%s: [%v, %v], exact %v", p, got.Lower, got.Upper, got.Exact)
	}
	c := newCounts(s.form.(*forest))
	for _, step := range got.Pattern {
		c.add(step-1, 1)
	}
	if low, _ := root(float64(c.square), float64(c.square)); low != got.Lower {
		t.Errorf("the pattern attains %v, not %v", low, got.Lower)
	}
}

// Matrices with the structure of a named strategy agree with it if read from a file. Toeplitz matrices with signs are
// exact in a fixed order if the signs can be chosen, and never below the value of unit vectors.
func TestShiftedMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 4))
	for range 40 {
		n := 2 + r.IntN(8)
		c := make([]float64, n)
		for i := range c {
			c[i] = float64(r.IntN(9)-3) / 4
		}
		rows := toeplitzRows(n, n, func(lag int) float64 { return c[lag] })
		s, err := New(rows)
		must(t, s, err)
		for _, p := range relations(n, 3) {
			got := compare(t, s, rows, p, p.Times <= 1)
			if high := math.Sqrt(vectors(rows, p, r)); high > got.Upper*(1+1e-13) {
				t.Errorf("%v, %s: vectors attain %v, above %v", c, p, high, got.Upper)
			}
		}
	}
	rows := toeplitzRows(60, 60, binomial)
	file, err := New(rows)
	must(t, file, err)
	same, err := Banded(60, 60)
	must(t, same, err)
	for _, p := range []Participation{{}, {Times: 7, Separation: 4}, {Times: 7, Every: 8}} {
		a, _ := file.Sensitivity(p)
		b, _ := same.Sensitivity(p)
		if !(math.Abs(a.Upper-b.Upper) < 1e-13*b.Upper) {
			t.Errorf("%s: %v read, %v named", p, a, b)
		}
	}
}
