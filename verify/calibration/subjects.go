package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Subjects returns the subjects with the given ids. Without arguments it returns all subjects, in the order of the
// table. An unknown id is an error.
func Subjects(ids ...string) ([]Subject, error) {
	all := slices.Concat(scalars(), vectors(), noisyMax(), sparseVectors(), reports(), noises(), sampled(), choices(),
		sets(), numbers(), gradients())
	var known []string
	for _, s := range all {
		known = append(known, s.ID)
	}
	var out []Subject
	for _, id := range ids {
		i := slices.Index(known, id)
		if i < 0 {
			return nil, fmt.Errorf("%s: no such mechanism; there are %s", id, strings.Join(known, ", "))
		}
		out = append(out, all[i])
	}
	if len(ids) == 0 {
		out = all
	}
	return out, nil
}

func scalars() (list []Subject) {
	for _, eps := range []float64{0.1, 1} {
		m := must(mechanism.NewLaplace(1 / eps))
		list = append(list, subjectOf[float64, float64]{id: fmt.Sprintf("laplace_%g", eps), mechanism: m, pairs: zeroAndOne,
			advertised: eps, density: m.LogDensity, probes: []float64{-1, 2}}.hide())
	}
	for _, eps := range []float64{0.1, 1} {
		m := must(mechanism.NewRandomizedResponse(eps))
		list = append(list, subjectOf[int, int]{id: fmt.Sprintf("rr_%g", eps), mechanism: m, advertised: eps,
			pairs: []inputs.Pair[int]{pairOf("bits 0 and 1", 0, 1)}, law: m.Distribution}.hide())
	}
	const bits, maxCount = 3, 5
	m := must(mechanism.NewTruncatedGeometric(bits, maxCount))
	var counts []inputs.Pair[int]
	for c := range maxCount {
		counts = append(counts, pairOf(fmt.Sprintf("counts %d and %d", c, c+1), c, c+1))
	}
	return append(list, subjectOf[int, int]{id: "trunc_geom", mechanism: m, pairs: counts,
		advertised: math.Log1p(math.Pow(2, -bits)), law: m.Distribution}.hide())
}

func vectors() (list []Subject) {
	for i, scale := range []float64{10, 0.1} {
		m := must(mechanism.NewNoisyHistogram(scale))
		list = append(list, subjectOf[[]float64, []float64]{id: fmt.Sprintf("noisy_hist%d", i+1), mechanism: m,
			pairs: oneDiffers(5), advertised: 0.1, density: m.LogDensity,
			probes: [][]float64{fill(5, -1), fill(5, 3)}}.hide())
	}
	return list
}

func noisyMax() (list []Subject) {
	for i, m := range []*mechanism.NoisyArgMax{must(mechanism.NewRNM1(20)), must(mechanism.NewRNM2(20))} {
		list = append(list, subjectOf[[]float64, int]{id: fmt.Sprintf("rnm%d", i+1), mechanism: m, pairs: allDiffer(5),
			advertised: 0.1, law: m.Distribution}.hide())
	}
	for i, m := range []*mechanism.NoisyMaxValue{must(mechanism.NewRNM3(20)), must(mechanism.NewRNM4(20))} {
		list = append(list, subjectOf[[]float64, float64]{id: fmt.Sprintf("rnm%d", i+3), mechanism: m, pairs: allDiffer(5),
			advertised: 0.1, density: m.LogDensity, probes: grid(-400, 600, 20_001), even: true}.hide())
	}
	return list
}

func sparseVectors() []Subject {
	const eps, delta, answers = 0.1, 1, 10
	pairs := allDiffer(answers)
	sparse := func(id string, m *mechanism.SparseVector) Subject {
		return subjectOf[[]float64, []int8]{id: id, mechanism: m, pairs: pairs, advertised: eps, law: m.Distribution}.hide()
	}
	three := must(mechanism.NewSVT3(eps, delta, 1, 1))
	return []Subject{
		sparse("svt1", must(mechanism.NewSVT1(eps, delta, 0.5, 1))),
		sparse("svt2", must(mechanism.NewSVT2(eps, delta, 1, 1))),
		subjectOf[[]float64, []float64]{id: "svt3", mechanism: three, pairs: pairs, advertised: eps,
			law: func(x []float64) []float64 { return firstPositivesLaw(three, x) }}.hide(),
		sparse("svt4", must(mechanism.NewSVT4(eps, delta, 1, 1))),
		sparse("svt5", must(mechanism.NewSVT5(eps, delta, 1))),
		sparse("svt6", must(mechanism.NewSVT6(eps, delta, 1))),
	}
}

// firstPositivesLaw returns the distribution of svt3: the position of the one positive value with the value in cells,
// and the probability of no positive value. The density of a cell is evaluated at its middle. The relative error of
// its probability is below 0.001, and the ratios between two inputs are exact.
func firstPositivesLaw(m *mechanism.SparseVectorValues, x []float64) (law []float64) {
	const reach, cell = 300, 2.5 // values beyond have probability 1e-6, and the ratio is constant
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

func reports() []Subject {
	const bits, hashes, answers = 20, 4, 10
	sums, gauss := must(mechanism.NewPrefixSum(10)), must(mechanism.NewGaussian(1))
	return []Subject{
		rappor("rappor", must(mechanism.NewRAPPOR(bits, hashes, 0.75, 0.45, 0.55))),
		rappor("onetime_rappor", must(mechanism.NewOneTimeRAPPOR(bits, hashes, 0.95))),
		subjectOf[[]float64, []float64]{id: "prefix_sum", mechanism: sums, advertised: 1, density: sums.LogDensity,
			pairs:  []inputs.Pair[[]float64]{pairOf("all ones and all zeros", fill(answers, 1), fill(answers, 0))},
			probes: [][]float64{runningSums(fill(answers, 3)), runningSums(fill(answers, -2))}}.hide(),
		subjectOf[float64, float64]{id: "gauss_1", mechanism: gauss, advertised: 4.377, delta: 1e-5,
			density: gauss.LogDensity, pairs: zeroAndOne, probes: grid(-12, 13, 200_001), even: true}.hide(),
	}
}

// rappor returns a subject whose inputs are two values with filters that share exactly one bit. The most
// distinguishing report has all bits of one filter and no further bits of the other.
func rappor(id string, m *mechanism.RAPPOR) Subject {
	x, y := sharing(m, 1)
	probe := make([]int8, 20)
	for _, i := range m.Bits(x) {
		probe[i] = 1
	}
	for _, i := range m.Bits(y) {
		if !slices.Contains(m.Bits(x), i) {
			probe[i] = 0
		}
	}
	return subjectOf[int, []int8]{id: id, mechanism: m, advertised: 0.1, density: m.LogDensity, probes: [][]int8{probe},
		pairs: []inputs.Pair[int]{pairOf(fmt.Sprintf("values %d and %d, whose filters share one bit", x, y), x, y)}}.hide()
}

// sharing returns two values whose filters have four bits each and share the given number of bits.
func sharing(m *mechanism.RAPPOR, shared int) (x, y int) {
	for x = range 1000 {
		for y = range x {
			a, b := distinct(m.Bits(x)), distinct(m.Bits(y))
			both := distinct(append(slices.Clone(a), b...))
			if len(a) == 4 && len(b) == 4 && len(both) == 8-shared {
				return x, y
			}
		}
	}
	return 0, 1
}

func distinct(bits []int) []int { return slices.Compact(slices.Sorted(slices.Values(bits))) }

// oneDiffers returns the neighbors "one" of the comparison: all ones, and the first answer off by one.
func oneDiffers(n int) []inputs.Pair[[]float64] {
	ones := fill(n, 1)
	return []inputs.Pair[[]float64]{
		pairOf("all 1 and first 0", ones, withFirst(ones, 0)), pairOf("all 1 and first 2", ones, withFirst(ones, 2)),
	}
}

// allDiffer returns the neighbors "all" of the comparison, in which every answer may differ by 1.
func allDiffer(n int) []inputs.Pair[[]float64] {
	ones := fill(n, 1)
	half := func(left, right float64) []float64 { return append(fill(n/2, left), fill(n-n/2, right)...) }
	return append(oneDiffers(n),
		pairOf("all 1 and first 2, others 0", ones, withFirst(fill(n, 0), 2)),
		pairOf("all 1 and first 0, others 2", ones, withFirst(fill(n, 2), 0)),
		pairOf("all 1 and half 2, half 0", ones, half(2, 0)),
		pairOf("all 1 and all 2", ones, fill(n, 2)),
		pairOf("all 1 and all 0", ones, fill(n, 0)),
		pairOf("half 1, half 0 and the reverse", half(1, 0), half(0, 1)))
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
