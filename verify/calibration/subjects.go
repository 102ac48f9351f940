package calibration

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Subjects returns the mechanisms of the benchmark, in the order of its table.
func Subjects() ([]Subject, error) {
	var b builder
	b.scalars()
	b.vectors()
	b.noisyMax()
	b.sparseVectors()
	b.reports()
	b.noises()
	b.sampled()
	b.choices()
	b.sets()
	b.numbers()
	b.gradients()
	return b.subjects, b.err
}

// builder collects subjects and the first error.
type builder struct {
	subjects []Subject
	err      error
}

// add takes a mechanism with the error of its constructor.
func add[D, O any, M verify.Mechanism[D, O]](b *builder, m M, err error, s subjectOf[D, O]) {
	if err != nil {
		if b.err == nil {
			b.err = fmt.Errorf("%s: %w", s.id, err)
		}
		return
	}
	s.mechanism = m
	b.subjects = append(b.subjects, s.hide())
}

func (b *builder) scalars() {
	zeroOne := []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}
	for _, eps := range []float64{0.1, 1} {
		m, err := mechanism.NewLaplace(1 / eps)
		add(b, m, err, subjectOf[float64, float64]{id: fmt.Sprintf("laplace_%g", eps), pairs: zeroOne, advertised: eps,
			density: m.LogDensity, probes: []float64{-1, 2}})
	}
	for _, eps := range []float64{0.1, 1} {
		m, err := mechanism.NewRandomizedResponse(eps)
		add(b, m, err, subjectOf[int, int]{id: fmt.Sprintf("rr_%g", eps),
			pairs: []inputs.Pair[int]{{Name: "bits 0 and 1", A: 0, B: 1}}, advertised: eps, law: m.Distribution})
	}
	const bits, most = 3, 5
	m, err := mechanism.NewTruncatedGeometric(bits, most)
	var counts []inputs.Pair[int]
	for c := range most {
		counts = append(counts, inputs.Pair[int]{Name: fmt.Sprintf("counts %d and %d", c, c+1), A: c, B: c + 1})
	}
	add(b, m, err, subjectOf[int, int]{id: "trunc_geom", pairs: counts,
		advertised: math.Log1p(math.Pow(2, -bits)), law: m.Distribution})
}

func (b *builder) vectors() {
	for i, scale := range []float64{10, 0.1} {
		m, err := mechanism.NewNoisyHistogram(scale)
		add(b, m, err, subjectOf[[]float64, []float64]{id: fmt.Sprintf("noisy_hist%d", i+1), pairs: oneDiffers(5),
			advertised: 0.1, density: m.LogDensity,
			probes: [][]float64{fill(5, -1), fill(5, 3)}})
	}
}

func (b *builder) noisyMax() {
	for i, build := range []func(float64) (*mechanism.NoisyArgMax, error){mechanism.NewRNM1, mechanism.NewRNM2} {
		m, err := build(20)
		add(b, m, err, subjectOf[[]float64, int]{id: fmt.Sprintf("rnm%d", i+1), pairs: allDiffer(5),
			advertised: 0.1, law: m.Distribution})
	}
	for i, build := range []func(float64) (*mechanism.NoisyMaxValue, error){mechanism.NewRNM3, mechanism.NewRNM4} {
		m, err := build(20)
		add(b, m, err, subjectOf[[]float64, float64]{id: fmt.Sprintf("rnm%d", i+3), pairs: allDiffer(5), advertised: 0.1,
			density: m.LogDensity, probes: grid(-400, 600, 20_001), even: true})
	}
}

func (b *builder) sparseVectors() {
	const eps, delta, answers = 0.1, 1, 10
	pairs := allDiffer(answers)
	one, err := mechanism.NewSVT1(eps, delta, 0.5, 1)
	b.sparse("svt1", one, err, pairs)
	two, err := mechanism.NewSVT2(eps, delta, 1, 1)
	b.sparse("svt2", two, err, pairs)
	three, err := mechanism.NewSVT3(eps, delta, 1, 1)
	add(b, three, err, subjectOf[[]float64, []float64]{id: "svt3", pairs: pairs, advertised: eps,
		law: func(x []float64) []float64 { return firstPositivesLaw(three, x) }})
	four, err := mechanism.NewSVT4(eps, delta, 1, 1)
	b.sparse("svt4", four, err, pairs)
	five, err := mechanism.NewSVT5(eps, delta, 1)
	b.sparse("svt5", five, err, pairs)
	six, err := mechanism.NewSVT6(eps, delta, 1)
	b.sparse("svt6", six, err, pairs)
}

func (b *builder) sparse(id string, m *mechanism.SparseVector, err error, pairs []inputs.Pair[[]float64]) {
	s := subjectOf[[]float64, []int8]{id: id, pairs: pairs, advertised: 0.1}
	if err == nil {
		s.law = m.Distribution
	}
	add(b, m, err, s)
}

// firstPositivesLaw is the law of svt3: the position of the one positive value, the value in cells, and
// silence. Cells are taken at their middle: their masses err by less than a thousandth, and ratios of the laws at
// two inputs not at all there.
func firstPositivesLaw(m *mechanism.SparseVectorValues, x []float64) (law []float64) {
	const reach, cell = 300, 2.5 // beyond lie 1e-6 of the values, and the ratio is at its limits
	n := len(x)
	out := make([]float64, n)
	for i := range n {
		for v := -reach + cell/2; v < reach; v += cell {
			for k := range out {
				out[k] = math.NaN()
				if k < i {
					out[k] = math.Inf(-1)
				}
			}
			out[i] = v
			law = append(law, cell*math.Exp(m.LogDensity(x, out)))
		}
	}
	return append(law, math.Exp(m.LogDensity(x, fill(n, math.Inf(-1)))))
}

func (b *builder) reports() {
	const bits, hashes = 20, 4
	m, err := mechanism.NewRAPPOR(bits, hashes, 0.75, 0.45, 0.55)
	b.rappor("rappor", m, err)
	once, err := mechanism.NewOneTimeRAPPOR(bits, hashes, 0.95)
	b.rappor("onetime_rappor", once, err)

	const answers = 10
	sums, err := mechanism.NewPrefixSum(10)
	add(b, sums, err, subjectOf[[]float64, []float64]{id: "prefix_sum", advertised: 1, density: sums.LogDensity,
		pairs:  []inputs.Pair[[]float64]{{Name: "all ones and all zeros", A: fill(answers, 1), B: fill(answers, 0)}},
		probes: [][]float64{runningSums(fill(answers, 3)), runningSums(fill(answers, -2))}})

	gauss, err := mechanism.NewGaussian(1)
	add(b, gauss, err, subjectOf[float64, float64]{id: "gauss_1",
		advertised: 4.377, delta: 1e-5, density: gauss.LogDensity,
		pairs: []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}, probes: grid(-12, 13, 200_001), even: true})
}

// rappor takes two values whose filters share exactly one bit; a report that
// shows the one's own bits and none of the other's gives most away.
func (b *builder) rappor(id string, m *mechanism.RAPPOR, err error) {
	s := subjectOf[int, []int8]{id: id, advertised: 0.1}
	if err == nil {
		x, y := sharing(m, 1)
		s.pairs = []inputs.Pair[int]{{Name: fmt.Sprintf("values %d and %d, whose filters share one bit", x, y), A: x,
			B: y}}
		s.density = m.LogDensity
		probe := make([]int8, 20)
		for _, i := range m.Bits(x) {
			probe[i] = 1
		}
		for _, i := range m.Bits(y) {
			if !slices.Contains(m.Bits(x), i) {
				probe[i] = 0
			}
		}
		s.probes = [][]int8{probe}
	}
	add(b, m, err, s)
}

// sharing finds two values with full filters that share the given number of bits.
func sharing(m *mechanism.RAPPOR, shared int) (x, y int) {
	for x = range 1000 {
		for y = range x {
			a, b := distinct(m.Bits(x)), distinct(m.Bits(y))
			common := 0
			for _, i := range a {
				if slices.Contains(b, i) {
					common++
				}
			}
			if len(a) == 4 && len(b) == 4 && common == shared {
				return x, y
			}
		}
	}
	return 0, 1
}

func distinct(bits []int) []int {
	bits = slices.Clone(bits)
	slices.Sort(bits)
	return slices.Compact(bits)
}

// oneDiffers are the neighbours "one": all ones against a first answer off by one.
func oneDiffers(n int) []inputs.Pair[[]float64] {
	ones := fill(n, 1)
	return []inputs.Pair[[]float64]{
		{Name: "all 1 and first 0", A: ones, B: withFirst(ones, 0)},
		{Name: "all 1 and first 2", A: ones, B: withFirst(ones, 2)},
	}
}

// allDiffer are the neighbours "all": each answer has sensitivity 1 of its own.
func allDiffer(n int) []inputs.Pair[[]float64] {
	ones := fill(n, 1)
	half := func(left, right float64) []float64 { return append(fill(n/2, left), fill(n-n/2, right)...) }
	return append(oneDiffers(n), []inputs.Pair[[]float64]{
		{Name: "all 1 and first 2, others 0", A: ones, B: withFirst(fill(n, 0), 2)},
		{Name: "all 1 and first 0, others 2", A: ones, B: withFirst(fill(n, 2), 0)},
		{Name: "all 1 and half 2, half 0", A: ones, B: half(2, 0)},
		{Name: "all 1 and all 2", A: ones, B: fill(n, 2)},
		{Name: "all 1 and all 0", A: ones, B: fill(n, 0)},
		{Name: "half 1, half 0 and the reverse", A: half(1, 0), B: half(0, 1)},
	}...)
}

func fill(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

func withFirst(x []float64, v float64) []float64 {
	x = slices.Clone(x)
	x[0] = v
	return x
}

func runningSums(x []float64) []float64 {
	var sum float64
	for i := range x {
		sum += x[i]
		x[i] = sum
	}
	return x
}

func grid(from, to float64, points int) []float64 {
	out := make([]float64, points)
	for i := range out {
		out[i] = from + (to-from)*float64(i)/float64(points-1)
	}
	return out
}
