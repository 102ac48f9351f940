package dataset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// drawn returns a random data set of at most 8 × 6 values in dense and in sparse form.
func drawn(t *rapid.T) (dense, sparse *dataset.Dataset) {
	n, dim := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "dim")
	cell := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-1e6, 1e6))
	values := rapid.SliceOfN(cell, n*dim, n*dim).Draw(t, "values")
	labels := rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 1}), n, n).Draw(t, "labels")
	starts := []int{0}
	var columns []int32
	var stored []float64
	for i := range n {
		for k := range dim {
			if v := values[i*dim+k]; v != 0 {
				columns = append(columns, int32(k))
				stored = append(stored, v)
			}
		}
		starts = append(starts, len(stored))
	}
	var err error
	if dense, err = dataset.NewDense(dim, values, labels); err != nil {
		t.Fatal(err)
	}
	if sparse, err = dataset.NewSparse(dim, starts, columns, stored, slices.Clone(labels)); err != nil {
		t.Fatal(err)
	}
	return dense, sparse
}

// Sparse and dense rows give identical results, because the omitted zeros add nothing.
func TestSparseIsDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dense, sparse := drawn(t)
		w := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), dense.Dim(), dense.Dim()).Draw(t, "w")
		for i := range dense.Len() {
			if a, b := dense.Row(i).Dot(w), sparse.Row(i).Dot(w); a != b {
				t.Fatalf("row %d: inner products %v and %v", i, a, b)
			}
			if a, b := dense.Row(i).Norm(), sparse.Row(i).Norm(); math.Abs(a-b) > 1e-15*a {
				t.Fatalf("row %d: norms %v and %v", i, a, b)
			}
		}
	})
}

// Values that LIBSVM text can represent are read back unchanged.
func TestLIBSVMRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, want := drawn(t)
		var text strings.Builder
		for i := range want.Len() {
			fmt.Fprintf(&text, "%+g", want.Label(i))
			row := want.Row(i)
			for k, v := range row.Values {
				fmt.Fprintf(&text, " %d:%v", row.Columns[k]+1, v)
			}
			text.WriteByte('\n')
		}
		got, err := readLIBSVM(text.String(), dataset.Options{Dim: want.Dim(), Labels: dataset.Labels{Negative: "-1", Positive: "1"}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table(want), table(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A split is a partition of the rows, and the seed determines it.
func TestSplitIsAPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "rows")
		share := rapid.Float64Range(0.01, 0.99).Draw(t, "share")
		seed := rapid.Uint64().Draw(t, "seed")
		values, labels := make([]float64, n), make([]float64, n)
		for i := range n {
			values[i], labels[i] = float64(i), 1
		}
		s, err := dataset.NewDense(1, values, labels)
		if err != nil {
			t.Fatal(err)
		}
		split := func() (train, test *dataset.Dataset) {
			train, test, err := s.Split(rand.New(rand.NewPCG(seed, 1)), share)
			if err != nil {
				t.Fatal(err)
			}
			return train, test
		}
		train, test := split()
		rows := append(table(train), table(test)...)
		slices.SortFunc(rows, func(a, b []float64) int { return int(a[1] - b[1]) })
		if diff := cmp.Diff(table(s), rows); diff != "" {
			t.Fatalf("not a partition: %s", diff)
		}
		again, _ := split()
		if diff := cmp.Diff(table(train), table(again)); diff != "" {
			t.Fatalf("the same seed gives another split: %s", diff)
		}
	})
}

// After preparation the rows are in the unit ball, up to rounding.
func TestScalingReachesTheBall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dense, sparse := drawn(t)
		p := dataset.Preparation{
			Standardize: rapid.Bool().Draw(t, "standardize"),
			Constant:    rapid.SampledFrom([]float64{0, 1, -2}).Draw(t, "constant"),
			Scale:       rapid.SampledFrom([]dataset.Scaling{dataset.ScaleRows, dataset.ScaleMax}).Draw(t, "scale"),
		}
		for _, s := range []*dataset.Dataset{dense, sparse} {
			fitted, err := p.Fit(s)
			if err != nil {
				if p.Scale == dataset.ScaleMax && strings.Contains(err.Error(), "zeros") {
					continue // all rows are zero and cannot be scaled
				}
				t.Fatal(err)
			}
			out, err := fitted.Apply(s)
			if err != nil {
				t.Fatal(err)
			}
			for i := range out.Len() {
				n := out.Row(i).Norm()
				if !(n <= 1+1e-14) || p.Scale == dataset.ScaleRows && n != 0 && n < 1-1e-14 {
					t.Fatalf("row %d has norm %v", i, n)
				}
			}
			if p.Scale == dataset.ScaleMax && out.MaxNorm() < 1-1e-14 {
				t.Fatalf("the largest norm is %v, want 1", out.MaxNorm())
			}
		}
	})
}

func TestStandardize(t *testing.T) {
	// The columns are 1, 3 (mean 2, standard deviation 1) and 5, 5 (constant).
	train, err := readCSV("1,5,0\n3,5,1\n", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := dataset.Preparation{Standardize: true, Constant: 1}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	test, err := readCSV("4,9,0\n2,5,1\n", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := fitted.Apply(test)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{-1, 2, 0, 1}, {1, 0, 0, 1}}, table(got)); diff != "" {
		t.Errorf("the training set's constants were not applied (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([][]float64{{-1, 4, 9}, {1, 2, 5}}, table(test)); diff != "" {
		t.Errorf("Apply changed its argument\n%s", diff)
	}
	if _, err := fitted.Apply(got); err == nil {
		t.Error("rows of another dimension were accepted")
	}
}

func TestRowNorm(t *testing.T) {
	cases := []struct {
		reason string
		values []float64
		want   float64
	}{
		{"plain", []float64{3, -4}, 5},
		{"squares that overflow", []float64{3e200, 4e200}, 5e200},
		{"squares that underflow", []float64{3e-200, 4e-200}, 5e-200},
		{"subnormal", []float64{5e-324}, 5e-324},
		{"zero", []float64{0, 0}, 0},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if got := (dataset.Row{Values: c.values}).Norm(); math.Abs(got-c.want) > 1e-14*c.want {
				t.Errorf("norm %v, want %v", got, c.want)
			}
		})
	}
}

func TestConstructorErrors(t *testing.T) {
	one := []float64{1}
	sparse := func(dim int, starts []int, columns []int32, values []float64) error {
		_, err := dataset.NewSparse(dim, starts, columns, values, one)
		return err
	}
	dense := func(dim int, values, labels []float64) error {
		_, err := dataset.NewDense(dim, values, labels)
		return err
	}
	cases := []struct {
		reason string
		err    error
	}{
		{"no dimension", dense(0, nil, one)},
		{"no rows", dense(1, nil, nil)},
		{"a label of 0", dense(1, one, []float64{0})},
		{"a label of NaN", dense(1, one, []float64{math.NaN()})},
		{"values that do not fill the rows", dense(2, one, one)},
		{"NaN", dense(1, []float64{math.NaN()}, one)},
		{"decreasing columns", sparse(3, []int{0, 2}, []int32{1, 0}, []float64{1, 1})},
		{"a column beyond the dimension", sparse(1, []int{0, 1}, []int32{1}, one)},
		{"a negative column", sparse(1, []int{0, 1}, []int32{-1}, one)},
		{"last offset too small", sparse(1, []int{0, 0}, []int32{0}, one)},
		{"infinite", sparse(1, []int{0, 1}, []int32{0}, []float64{math.Inf(1)})},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if c.err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestSetErrors(t *testing.T) {
	s, err := readCSV("1,0\n3,1\n", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, share := range []float64{0, 1, -1, math.NaN()} {
		if _, _, err := s.Split(r, share); err == nil {
			t.Errorf("a test share of %v was accepted", share)
		}
	}
	if _, err := s.Subset([]int{2}); err == nil {
		t.Error("a row beyond the end was accepted")
	}
	if _, err := s.Subset(nil); err == nil {
		t.Error("a subset of no rows was accepted")
	}
	if _, err := s.Widened(2); err == nil {
		t.Error("dense rows were widened")
	}
	for _, p := range []dataset.Preparation{{Scale: 7}, {Constant: math.NaN()}} {
		if _, err := p.Fit(s); err == nil {
			t.Errorf("preparation %+v was accepted", p)
		}
	}
}

// Split fits the constants on the first n rows. The values 1, 3 and 2 have mean 2 and variance 2/3.
func TestSplitFitsTrainingRows(t *testing.T) {
	data, err := readCSV("9,0\n1,0\n3,1\n2,1\n", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	train, test, err := dataset.Preparation{Standardize: true}.Split(data, []int{1, 2, 3, 0}, 3)
	if err != nil {
		t.Fatal(err)
	}
	unit := math.Sqrt(2. / 3)
	for i, want := range []float64{-1 / unit, 1 / unit, 0, 7 / unit} {
		row := append(table(train), table(test)...)[i]
		if got := row[1]; math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d of the order: %v, want %v", i, got, want)
		}
	}
}
