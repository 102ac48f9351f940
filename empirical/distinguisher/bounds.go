package distinguisher

import "math"

// manyColumns is the number of columns from which bounds save time.
const manyColumns = 4

// bounds holds upper bounds on the gains of all cuts of a node. They cost much less than exact gains. Only columns
// whose bound reaches the best gain are evaluated exactly, so the trees are the same as without bounds.
//
// Both derivatives of the loss at a row are rounded to integers and packed in one word: the gradient in the upper
// half, the second derivative in the lower half. Adding words adds both. Integer sums are exact in any order, so
// the sums of one child are the sums of the node minus the sums of the other child.
type bounds struct {
	bins       [][]uint8
	steps      []uint64
	perG, perH float64   // integer units per unit of each derivative
	below      [][]int32 // number of training rows in bins up to each bin, by column
	depths     []histograms
	spare      [256]uint64
	upper      []float64
}

// histograms holds the sums in every bin of every column.
type histograms [][256]uint64

func newBounds(t *booster) *bounds {
	b := &bounds{bins: t.bins, steps: make([]uint64, len(t.a)), upper: make([]float64, len(t.bins))}
	var weight float64
	for i := range t.a {
		weight += t.a[i] + t.b[i]
	}
	// No sum overflows its half, including rounding. Gradients are between −weight and weight, second derivatives
	// between 0 and weight/4.
	rows := float64(len(t.a))
	b.perG, b.perH = (math.MaxInt32-rows)/weight, (math.MaxUint32-rows)/(weight/4)
	for f, bins := range t.bins {
		below := make([]int32, t.columns[f].Count)
		for _, bin := range bins {
			below[bin]++
		}
		for k := 1; k < len(below); k++ {
			below[k] += below[k-1]
		}
		b.below = append(b.below, below)
	}
	return b
}

// root returns the sums over all rows for a tree of the given depth, or nil without bounds.
func (b *bounds) root(steps [][2]float64, depth int) histograms {
	if b == nil {
		return nil
	}
	for len(b.depths) < depth {
		b.depths = append(b.depths, make(histograms, len(b.bins)))
	}
	for i, s := range steps {
		b.steps[i] = uint64(int64(math.Floor(s[0]*b.perG+0.5)))<<32 + uint64(s[1]*b.perH+0.5)
	}
	sums := b.depths[depth-1]
	for f := 0; f < len(b.bins); f += abreast {
		bins, into := b.next(sums, f)
		n := len(b.steps)
		bins0, bins1, bins2, bins3 := bins[0][:n], bins[1][:n], bins[2][:n], bins[3][:n]
		into0, into1, into2, into3 := into[0], into[1], into[2], into[3]
		for i, s := range b.steps {
			into0[bins0[i]] += s
			into1[bins1[i]] += s
			into2[bins2[i]] += s
			into3[bins3[i]] += s
		}
	}
	return sums
}

// divide returns the sums of both children of a node, or nil if they are leaves. It overwrites the sums of the
// node.
func (b *bounds) divide(sums histograms, left, right []int32, depth int) (leftSums, rightSums histograms) {
	if b == nil || depth == 0 {
		return nil, nil
	}
	few := left
	if len(left) > len(right) {
		few = right
	}
	ofFew := b.depths[depth-1]
	for f := 0; f < len(b.bins); f += abreast {
		bins, into := b.next(ofFew, f)
		bins0, bins1, bins2, bins3 := bins[0], bins[1], bins[2], bins[3]
		into0, into1, into2, into3 := into[0], into[1], into[2], into[3]
		for _, row := range few {
			s := b.steps[row]
			into0[bins0[row]] += s
			into1[bins1[row]] += s
			into2[bins2[row]] += s
			into3[bins3[row]] += s
		}
	}
	for f, below := range b.below {
		of, less := &sums[f], &ofFew[f]
		for k := range below {
			of[k] -= less[k]
		}
	}
	if len(left) > len(right) {
		return sums, ofFew
	}
	return ofFew, sums
}

// abreast is the number of columns summed together, so that successive additions are independent.
const abreast = 4

// next sets the sums of the columns from f on to zero and returns these columns and sums. Beyond the last column it
// returns a dummy.
func (b *bounds) next(sums histograms, f int) (bins [abreast][]uint8, into [abreast]*[256]uint64) {
	for k := range abreast {
		bins[k], into[k] = b.bins[f], &b.spare
		if f+k < len(b.bins) {
			bins[k], into[k] = b.bins[f+k], &sums[f+k]
			clear(into[k][:])
		}
	}
	return bins, into
}

// gains returns upper bounds on the gain of every column for a node with the given number of rows and sums g and h.
// A bound is −∞ if no cut leaves enough weight on both sides.
func (b *bounds) gains(sums histograms, rows int, g, h float64) []float64 {
	const slack = 1e-9 // for the rounding of the gains
	unsplit := g * g / (h + ridge) * (1 - slack)
	minWeight, penalty := minLeafWeight*b.perH, ridge*b.perH
	scale := b.perH / (b.perG * b.perG) * (1 + slack)
	var all uint64
	for k := range b.below[0] {
		all += sums[0][k]
	}
	for f, below := range b.below {
		of, left := &sums[f], uint64(0)
		best := math.Inf(-1)
		for k, n := range below[:len(below)-1] {
			left += of[k]
			right := all - left
			// Each row has a rounding error of at most half a unit, and the float64 sums of less than one unit.
			errL := float64(min(int(n), rows))/2 + 1
			errR := float64(min(len(b.steps)-int(n), rows))/2 + 1
			hl, hr := float64(uint32(left))+errL, float64(uint32(right))+errR
			if hl < minWeight || hr < minWeight {
				continue
			}
			gl, gr := math.Abs(float64(int32(left>>32)))+errL, math.Abs(float64(int32(right>>32)))+errR
			hl, hr = max(hl-2*errL, minWeight), max(hr-2*errR, minWeight)
			if v := gl*gl/(hl+penalty) + gr*gr/(hr+penalty); v > best {
				best = v
			}
		}
		b.upper[f] = best*scale - unsplit
	}
	return b.upper
}
