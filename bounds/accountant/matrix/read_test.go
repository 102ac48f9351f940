package matrix

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	s, err := Read(strings.NewReader("# C\n1, 0, 0\n\n 0.5,1,0\n-0.25, .5 ,1e0\n"))
	must(t, s, err)
	if s.Steps() != 3 || s.Bands() != 3 || s.String() != "file" {
		t.Errorf("%d steps, %d bands, %s", s.Steps(), s.Bands(), s)
	}
	compare(t, s, [][]float64{{1, 0, 0}, {.5, 1, 0}, {-.25, .5, 1}}, Participation{Times: 2, Separation: 1}, false)
}

func TestReadRefuses(t *testing.T) {
	wide := strings.TrimSuffix(strings.Repeat("0,", MaxRows+1), ",")
	for _, c := range []struct{ text, want, reason string }{
		{"", "no rows", "an empty file"},
		{"# 1\n\n", "no rows", "comments alone"},
		{"1,0\n1\n", "line 2 has 1 numbers, where line 1 has 2", "ragged"},
		{"1,0\n\n1,1,0\n", "line 3 has 3 numbers, where line 1 has 2", "ragged, behind an empty line"},
		{"1,0,0\n1,1,0\n", "line 1: 3 numbers per row and 2 rows: want a square matrix", "a step is missing"},
		{"1\n1\n", "1 numbers per row and 2 rows", "a column is missing"},
		{"1,2\n0,1\n", "line 1, column 2: 2 is above the diagonal", "upper triangular"},
		{"1,0,0\n1,1,1e-200\n1,1,1\n", "line 2, column 3: 1e-200 is above the diagonal", "above the diagonal, however small"},
		{"1,0,0\n1,1,1e-999\n1,1,1\n", `line 2, column 3: "1e-999" is beyond the range`, "what underflows is not 0"},
		{"1,0\nNaN,1\n", `line 2, column 1: "NaN" is not a number: want a finite`, "not a number"},
		{"1,0\n1,inf\n", `line 2, column 2: "inf" is not a number: want a finite`, "infinite"},
		{"1,0\n1,1e999\n", `line 2, column 2: "1e999" is beyond the range`, "beyond the range"},
		{"1,0\n1,010\n", `line 2, column 2: "010" is not a number: write 10`, "octal, to some"},
		{"1,0\n1e200,1\n", "line 2, column 1: 1e+200 is neither 0 nor", "its square overflows"},
		{"1,0\n-1e-200,1\n", "line 2, column 1: -1e-200 is neither 0 nor", "its square underflows"},
		{"a,b\n1,0\n1,1\n", "line 1, column 1: \"a\" is not a number", "a header"},
		{"1,0\n1,\n", "line 2, column 2: \"\" is not a number", "an empty field"},
		{"1;0\n1;1\n", "line 1, column 1: \"1;0\" is not a number", "another separator"},
		{"1,\"0\n1,1\n", "line", "a quote that is not closed"},
		{wide + "\n", "line 1: more than 4096", "too many columns"},
	} {
		_, err := Read(strings.NewReader(c.text))
		if !errors.Is(err, ErrDomain) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := Read(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestBadArguments(t *testing.T) {
	tree := func(steps, restart int) error { _, err := Tree(steps, restart); return err }
	ask := func(p Participation) error {
		s, err := Identity(10)
		_, err = must(t, s, err).Sensitivity(p)
		return err
	}
	amplify := func(cycle int, rate, noise float64) error {
		s, err := Banded(10, 4)
		_, err = must(t, s, err).Amplified(cycle, rate, noise)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{tree(0, 0), "strategy tree of 0 steps: want from 1 to 1048576"},
		{tree(-1, 0), "strategy tree of -1 steps"},
		{tree(MaxSteps+1, 0), "steps: want from 1"},
		{tree(5, -1), "restart every -1 steps"},
		{func() error { _, err := Banded(10, 0); return err }(), "banded of 0 bands"},
		{func() error { _, err := Banded(10, 11); return err }(), "banded of 11 bands in 10 steps"},
		{func() error { _, err := Banded(0, 1); return err }(), "0 steps"},
		{ask(Participation{Times: -1}), "times -1"},
		{ask(Participation{Times: 11}), "times 11 in 10 steps: a record takes part at most once in a step"},
		{ask(Participation{Times: 2, Separation: -1}), "separation -1"},
		{ask(Participation{Times: 2, Separation: 2, Every: 2}), "give one of them"},
		{ask(Participation{Times: 2, Separation: 11}), "separation 11 in 10 steps"},
		{ask(Participation{Times: 2, Every: 11}), "every 11 in 10 steps"},
		{amplify(3, .1, 1), "a cycle of 3 steps with 4 bands"},
		{amplify(4, 1.1, 1), "sampling rate 1.1"},
		{amplify(4, math.NaN(), 1), "sampling rate NaN"},
		{amplify(4, .1, 0), "noise multiplier 0"},
		{func() error { _, _, err := (Sensitivity{}).Mu(math.Inf(1)); return err }(), "noise multiplier +Inf"},
		{func() error {
			s, err := Tree(8, 0)
			_, err = must(t, s, err).Amplified(8, .1, 1)
			return err
		}(), "not trees"},
	} {
		if !errors.Is(c.err, ErrDomain) || !strings.Contains(fmt.Sprint(c.err), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}

// FuzzRead: a text is a strategy, or gives an error of bounded length that wraps ErrDomain.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"1", "1,0\n1,1", "1,0\n1\n", "\"1\"\n", "\"", "#\n1e400", "-0,0\n0x1p-3,1", "1,\x00", "\ufeff1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrDomain) || len(err.Error()) > 600 {
				t.Fatalf("%q", err)
			}
			return
		}
		if got, err := s.Sensitivity(Participation{}); err != nil || !(got.Lower <= got.Upper) {
			t.Fatalf("%v, %v", got, err)
		}
	})
}

// Cyclic Poisson sampling: each group separately, compared with the column norms.
func TestAmplified(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 5))
	for range 60 {
		n := 1 + r.IntN(12)
		bands := 1 + r.IntN(n)
		cycle := bands + r.IntN(3)
		rows := drawn(r, n, bands, true)
		s, err := New(rows)
		a, err := must(t, s, err).Amplified(cycle, .25, 2)
		if err != nil {
			t.Fatal(err)
		}
		for part := range min(cycle, n) {
			var norms []float64
			for j := part; j < n; j += cycle {
				if x := math.Sqrt(brute(column(rows, j), Participation{})); x > 0 {
					norms = append(norms, x)
				}
			}
			if !dominates(multipliers(a.Upper), norms) {
				t.Errorf("%v, cycle %d: part %d with norms %v has less noise than %v", rows, cycle, part, norms, a.Upper)
			}
		}
		if !(len(multipliers(a.Lower)) <= len(multipliers(a.Upper))) {
			t.Errorf("%v, cycle %d: %v below %v", rows, cycle, a.Lower, a.Upper)
		}
	}
}

// column returns the matrix with one column.
func column(rows [][]float64, j int) (c [][]float64) {
	for _, row := range rows {
		c = append(c, []float64{row[j]})
	}
	return c
}

// multipliers returns the noise multipliers of all steps.
func multipliers(list []SampledGaussian) (all []float64) {
	for _, g := range list {
		for range g.Count {
			all = append(all, g.NoiseMultiplier)
		}
	}
	return all
}

// dominates reports whether norms exist that correspond to the multipliers at σ = 2, each with at most this noise.
func dominates(multipliers, norms []float64) bool {
	used := make([]bool, len(norms))
	for _, m := range multipliers {
		best := -1
		for i, x := range norms {
			if !used[i] && m <= 2/x*(1+1e-13) && (best < 0 || x > norms[best]) {
				best = i
			}
		}
		if best >= 0 {
			used[best] = true
		}
	}
	for _, u := range used {
		if !u {
			return false
		}
	}
	return true
}

// The values of Choquette-Choo et al. 2023 for a banded matrix with columns of norm 1, and DP-SGD.
func TestAmplifiedFigures(t *testing.T) {
	s, err := Identity(1000)
	a, err := must(t, s, err).Amplified(1, .01, 1.5)
	if err != nil || !a.Exact || len(a.Upper) != 1 || a.Upper[0].Count != 1000 || a.Upper[0].Rate != .01 || math.Abs(a.Upper[0].NoiseMultiplier-1.5) > 1e-15 {
		t.Errorf("DP-SGD: %v, %v", a, err)
	}
	// 2000 steps in cycles of 8 are 250. At n = 2001 the first group has one more column, with one row.
	for n, want := range map[int][]SampledGaussian{
		2000: {{.08, 3 / math.Sqrt(1+1./4+9./64+25./256), 250}},
		2001: {{.08, 3 / math.Sqrt(1+1./4+9./64+25./256), 250}, {.08, 3, 1}},
	} {
		s, err := Banded(n, 4)
		a, err := must(t, s, err).Amplified(8, .08, 3)
		if err != nil || !a.Exact || len(a.Upper) != len(want) || len(a.Lower) != len(want) {
			t.Fatalf("%d steps: %v, %v", n, a, err)
		}
		for i, w := range want {
			low, high := a.Upper[i], a.Lower[i]
			if low.Count != w.Count || !(low.NoiseMultiplier <= w.NoiseMultiplier && w.NoiseMultiplier <= high.NoiseMultiplier &&
				high.NoiseMultiplier < low.NoiseMultiplier*(1+1e-14)) {
				t.Errorf("%d steps: %v, %v, want %v", n, low, high, w)
			}
		}
	}
}
