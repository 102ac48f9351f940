package pairwise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// Risk returns L(w; D), the mean of ℓ over all ordered pairs of different records (eq. (1)), in O(n²) evaluations
// of the loss. It returns NaN for fewer than two records. w has the dimension of the problem's set.
func (p Problem) Risk(w []float64, data *dataset.Dataset) float64 {
	sum := 0.0
	for i := range data.Len() {
		for j := range data.Len() {
			if i != j {
				sum += p.Loss.Value(w, example(data, i), example(data, j))
			}
		}
	}
	n := float64(data.Len())
	return sum/(n*(n-1)) + p.ridge(w)
}

// AUC returns the share, in [0, 1], of pairs of a positive and a negative row in which the positive row has the
// larger ⟨w, x⟩. Ties count as half. It returns NaN if a class is empty or a score is NaN.
func AUC(w []float64, data *dataset.Dataset) float64 {
	type scored struct {
		score    float64
		positive bool
	}
	rows := make([]scored, data.Len())
	for i := range rows {
		rows[i] = scored{data.Row(i).Dot(w), data.Label(i) > 0}
		if math.IsNaN(rows[i].score) {
			return math.NaN()
		}
	}
	slices.SortFunc(rows, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	positives := float64(data.Positives())
	negatives := float64(data.Len()) - positives
	right, below := 0.0, 0.0 // below: negatives with a smaller score
	for i := 0; i < len(rows); {
		j, tiedPositive, tiedNegative := i, 0.0, 0.0
		for ; j < len(rows) && rows[j].score == rows[i].score; j++ {
			if rows[j].positive {
				tiedPositive++
			} else {
				tiedNegative++
			}
		}
		right += tiedPositive * (below + tiedNegative/2)
		below += tiedNegative
		i = j
	}
	return right / (positives * negatives)
}

// NearestNeighborAccuracy returns the share of rows of test whose label is the majority label of their k nearest
// rows of train. The distance is (x-x')ᵀW(x-x'), where W is the flat d×d matrix w. Of equally near rows the
// earlier ones count. W need not be positive semidefinite: a smaller value is nearer. The paper uses k = 3.
//
// Errors: k even or outside [1, rows of train], or rows or w of another dimension.
func NearestNeighborAccuracy(w []float64, train, test *dataset.Dataset, k int) (float64, error) {
	d := train.Dim()
	if k < 1 || k > train.Len() || k%2 == 0 {
		return 0, fmt.Errorf("pairwise: %d neighbors among %d rows: want an odd number, at most the number of rows", k,
			train.Len())
	}
	if test.Dim() != d || len(w) != d*d {
		return 0, fmt.Errorf("pairwise: rows of dimension %d and %d, a matrix of %d entries: want d, d and d²", d,
			test.Dim(), len(w))
	}
	u := make([]float64, d)
	near := make([]neighbor, 0, k+1)
	right := 0
	for i := range test.Len() {
		near = near[:0]
		for j := range train.Len() {
			distance := metric(w, test.Row(i), train.Row(j), u)
			rank, _ := slices.BinarySearchFunc(near, distance, func(n neighbor, x float64) int {
				if n.distance <= x {
					return -1
				}
				return 1
			})
			if rank < k {
				near = slices.Insert(near, rank, neighbor{distance, train.Label(j)})
				near = near[:min(len(near), k)]
			}
		}
		votes := 0.0
		for _, n := range near {
			votes += n.label
		}
		if votes*test.Label(i) > 0 {
			right++
		}
	}
	return float64(right) / float64(test.Len()), nil
}

type neighbor struct{ distance, label float64 }

// metric returns (a-b)ᵀW(a-b). u is scratch memory of length d.
func metric(w []float64, a, b dataset.Row, u []float64) float64 {
	clear(u)
	a.AddTo(u, 1)
	b.AddTo(u, -1)
	sum := 0.0
	for i, x := range u {
		row := w[i*len(u) : (i+1)*len(u)]
		for j, y := range u {
			sum += x * y * row[j]
		}
	}
	return sum
}
