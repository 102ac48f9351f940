package mechanism

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// table has a row for each constructor of a mechanism.
func table() []row {
	nan, inf := math.NaN(), math.Inf(1)
	one, two := []float64{1, 1, 1, 1, 1}, []float64{0, 1, 1, 2, 1}
	badAnswers := [][]float64{nil, {}, {1, nan}, {-inf, 1}}
	scalar := known[float64, float64]{a: 1, b: 2, equal: equalValues[float64], bad: []float64{nan, inf, -inf}}
	with := func(epsilon float64, lawIn string, refuses []refusal) known[float64, float64] {
		k := scalar
		k.epsilon, k.lawIn, k.refuses = epsilon, lawIn, refuses
		return k
	}
	vector := func(epsilon float64, refuses []refusal) known[[]float64, []float64] {
		return known[[]float64, []float64]{a: one, b: two, epsilon: epsilon, equal: equalFloats, bad: badAnswers, out: one, refuses: refuses}
	}
	choice := func(epsilon float64, refuses ...[]refusal) known[[]float64, int] {
		return known[[]float64, int]{
			a: []float64{1, 2, 0, 1, -1}, b: []float64{2, 1, 0, 0, -1}, epsilon: epsilon, equal: equalValues[int], bad: badAnswers,
			refuses: slices.Concat(refuses...),
		}
	}
	largest := func(refuses []refusal) known[[]float64, float64] {
		return known[[]float64, float64]{a: one, b: two, equal: equalValues[float64], bad: badAnswers, lawIn: "TestScalarSamples", refuses: refuses}
	}
	sparse := func(refuses ...[]refusal) known[[]float64, []int8] {
		return known[[]float64, []int8]{
			a: one, b: two, equal: equalSlices[int8], bad: badAnswers, lawIn: "TestSparseVectorSamples", refuses: slices.Concat(refuses...),
		}
	}
	response := func(epsilon float64, symbols int, refuses ...[]refusal) known[int, int] {
		return known[int, int]{a: 0, b: 1, more: []int{symbols - 1}, epsilon: epsilon, equal: equalValues[int], bad: []int{-1, symbols}, refuses: slices.Concat(refuses...)}
	}
	filter := func(epsilon float64, refuses ...refusal) known[int, []int8] {
		return known[int, []int8]{a: 1, b: 2, epsilon: epsilon, equal: equalSlices[int8], total: true, refuses: refuses}
	}
	direction := known[[]float64, []float64]{
		a: []float64{0.6, 0.8}, b: []float64{-0.8, 0.6}, epsilon: 1, equal: equalFloats, out: []float64{3, 0},
		bad: [][]float64{{1}, {1, 1}, {nan, 0}, {0, -inf}, {0, 0}},
		refuses: slices.Concat(
			[]refusal{{"dim", failing(NewPrivateSampling(0, 1, 1, 1))}, {"dim", failing(NewPrivateSampling(-1, 1, 1, 1))}},
			positive("epsilon", func(v float64) error { return failing(NewPrivateSampling(1, v, 1, 1)) }),
			positive("lipschitz", func(v float64) error { return failing(NewPrivateSampling(1, 1, v, 1)) }),
			positive("bound", func(v float64) error { return failing(NewPrivateSampling(1, 1, 1, v)) })),
	}
	return []row{
		rowOf("NewLaplace", must(NewLaplace(2)), with(0.5, "", positive("scale", func(v float64) error { return failing(NewLaplace(v)) }))),
		rowOf("NewGaussian", must(NewGaussian(2)), with(inf, "TestScalarSamples", positive("sigma", func(v float64) error { return failing(NewGaussian(v)) }))),
		rowOf("NewGridLaplace", must(NewGridLaplace(1, 0.25)), known[float64, float64]{
			a: 1, b: 2, epsilon: 1, equal: equalValues[float64], bad: []float64{nan, inf, -inf, 1e12},
			refuses: append(positive("scale", func(v float64) error { return failing(NewGridLaplace(v, 1)) }),
				refusal{"grid", failing(NewGridLaplace(1, 0.3))}, refusal{"grid", failing(NewGridLaplace(1, 0x1p-30))}),
		}),
		rowOf("NewNoisyHistogram", must(NewNoisyHistogram(2)), vector(1, positive("scale", func(v float64) error { return failing(NewNoisyHistogram(v)) }))),
		rowOf("NewPrefixSum", must(NewPrefixSum(2)), vector(1, positive("scale", func(v float64) error { return failing(NewPrefixSum(v)) }))),
		rowOf("NewL2Laplace", must(NewL2Laplace(2)), vector(math.Sqrt2/2, positive("scale", func(v float64) error { return failing(NewL2Laplace(v)) }))),
		rowOf("NewDiscreteLaplace", must(NewDiscreteLaplace(1)), known[int, int]{
			a: 4, b: 5, epsilon: 1, equal: equalValues[int], bad: []int{math.MaxInt, math.MinInt},
			refuses: positive("rate", func(v float64) error { return failing(NewDiscreteLaplace(v)) }),
		}),
		rowOf("NewTruncatedGeometric", must(NewTruncatedGeometric(3, 5)), known[int, int]{
			a: 2, b: 3, more: []int{0, 1, 4, 5}, epsilon: math.Log1p(1.0 / 8), equal: equalValues[int], bad: []int{-1, 6},
			refuses: []refusal{
				{"n", failing(NewTruncatedGeometric(3, 0))}, {"k", failing(NewTruncatedGeometric(-1, 1))},
				{"k, n", failing(NewTruncatedGeometric(10, 10))}, {"k, n", failing(NewTruncatedGeometric(math.MaxInt/2+1, 1))},
			},
		}),
		rowOf("NewExponential", must(NewExponential(1, 1)), choice(1,
			positive("epsilon", func(v float64) error { return failing(NewExponential(v, 1)) }),
			positive("sensitivity", func(v float64) error { return failing(NewExponential(1, v)) }))),
		rowOf("NewRNM1", must(NewRNM1(2)), choice(1, positive("scale", func(v float64) error { return failing(NewRNM1(v)) }))),
		rowOf("NewRNM2", must(NewRNM2(2)), choice(1, positive("scale", func(v float64) error { return failing(NewRNM2(v)) }))),
		rowOf("NewRNM3", must(NewRNM3(2)), largest(positive("scale", func(v float64) error { return failing(NewRNM3(v)) }))),
		rowOf("NewRNM4", must(NewRNM4(2)), largest(positive("scale", func(v float64) error { return failing(NewRNM4(v)) }))),
		rowOf("NewRandomizedResponse", must(NewRandomizedResponse(1)), response(1, 2,
			positive("epsilon", func(v float64) error { return failing(NewRandomizedResponse(v)) }))),
		rowOf("NewKaryResponse", must(NewKaryResponse(5, 0.5)), response(0.5, 5,
			positive("epsilon", func(v float64) error { return failing(NewKaryResponse(3, v)) }),
			[]refusal{{"k", failing(NewKaryResponse(1, 1))}})),
		rowOf("NewRAPPOR", must(NewRAPPOR(20, 4, 0.75, 0.45, 0.55)), filter(0.301,
			refusal{"bits", failing(NewRAPPOR(0, 4, 0.5, 0.5, 0.5))}, refusal{"hashes", failing(NewRAPPOR(8, 0, 0.5, 0.5, 0.5))},
			refusal{"p", failing(NewRAPPOR(8, 4, 0.5, nan, 0.5))})),
		rowOf("NewOneTimeRAPPOR", must(NewOneTimeRAPPOR(20, 4, 0.95)), filter(0.601,
			refusal{"bits", failing(NewOneTimeRAPPOR(0, 4, 0.5))}, refusal{"hashes", failing(NewOneTimeRAPPOR(8, 0, 0.5))},
			refusal{"f", failing(NewOneTimeRAPPOR(8, 4, nan))})),
		rowOf("NewPrivateSampling", must(NewPrivateSampling(2, 1, 1, 3)), direction),
		rowOf("NewSVT1", must(NewSVT1(1, 1, 0.5, 2)), sparse(positive("epsilon", func(v float64) error { return failing(NewSVT1(v, 1, 1, 1)) }))),
		rowOf("NewSVT2", must(NewSVT2(1, 1, 1, 2)), sparse(positive("sensitivity", func(v float64) error { return failing(NewSVT2(1, v, 1, 1)) }))),
		rowOf("NewSVT3", must(NewSVT3(1, 1, 1, 2)), known[[]float64, []float64]{
			a: one, b: two, epsilon: 5, equal: equalFloats, bad: badAnswers,
			refuses: []refusal{{"threshold", failing(NewSVT3(1, 1, nan, 1))}},
		}),
		rowOf("NewSVT4", must(NewSVT4(1, 1, 1, 1)), sparse([]refusal{{"positives", failing(NewSVT4(1, 1, 1, 0))}})),
		rowOf("NewSVT5", must(NewSVT5(1, 1, 1)), sparse([]refusal{{"threshold", failing(NewSVT5(1, 1, inf))}})),
		rowOf("NewSVT6", must(NewSVT6(1, 1, 1)), sparse(positive("epsilon", func(v float64) error { return failing(NewSVT6(v, 1, 1)) }))),
	}
}

// packageFiles returns the syntax trees of this package's files.
var packageFiles = os.DirFS(".")

// missing returns what the table lacks: constructors of exported types with a Release method, such types without a
// constructor, and tests that a row names.
func missing(files []*ast.File, rows []row) (lacks []string) {
	result, mechanisms, tests := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			switch {
			case !ok:
			case f.Recv != nil && f.Name.Name == "Release":
				receiver := f.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if name, ok := receiver.(*ast.Ident); ok && name.IsExported() {
					mechanisms[name.Name] = true
				}
			case f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test"):
				tests[f.Name.Name] = true
			case f.Recv == nil && f.Name.IsExported() && f.Type.Results != nil:
				if star, ok := f.Type.Results.List[0].Type.(*ast.StarExpr); ok {
					if name, ok := star.X.(*ast.Ident); ok {
						result[f.Name.Name] = name.Name
					}
				}
			}
		}
	}
	made := map[string]bool{}
	for constructor, typ := range result {
		if !mechanisms[typ] {
			continue
		}
		made[typ] = true
		if !slices.ContainsFunc(rows, func(r row) bool { return r.constructor == constructor && r.typ == "*mechanism."+typ }) {
			lacks = append(lacks, "no row by "+constructor)
		}
	}
	for typ := range mechanisms {
		if !made[typ] {
			lacks = append(lacks, "no constructor of "+typ)
		}
	}
	for _, r := range rows {
		if r.lawIn != "" && !tests[r.lawIn] {
			lacks = append(lacks, r.constructor+" names the test "+r.lawIn)
		}
	}
	slices.Sort(lacks)
	return lacks
}

// wholeReleases lists the files of mechanisms that release_test.go compares with their distributions.
var wholeReleases = []string{"choice.go", "numbers.go", "record.go", "sampled.go", "sets.go", "staircase.go", "release_test.go"}

func TestTableIsComplete(t *testing.T) {
	names, err := fs.Glob(packageFiles, "*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var files []*ast.File
	for _, name := range names {
		if slices.Contains(wholeReleases, name) {
			continue
		}
		text := must(fs.ReadFile(packageFiles, name))
		files = append(files, must(parser.ParseFile(token.NewFileSet(), name, text, 0)))
	}
	if lacks := missing(files, table()); len(lacks) > 0 {
		t.Errorf("the table of mechanisms: %q", lacks)
	}
	// A new mechanism without a row is detected, and so is a removed row.
	newcomer := must(parser.ParseFile(token.NewFileSet(), "new.go", `package mechanism
		type New struct{}
		func NewNew(scale float64) (*New, error) { return nil, nil }
		func (*New) Release(r *rand.Rand, x float64) (float64, error) { return 0, nil }
		type Bare struct{}
		func (Bare) Release(r *rand.Rand, x float64) (float64, error) { return 0, nil }`, 0))
	if got, want := missing(append(files, newcomer), table()[1:]), []string{"no constructor of Bare", "no row by NewLaplace", "no row by NewNew"}; !slices.Equal(got, want) {
		t.Errorf("lacks %q, want %q", got, want)
	}
}
