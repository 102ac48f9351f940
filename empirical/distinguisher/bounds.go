package distinguisher

import "math"

// manyColumns are worth bounds.
const manyColumns = 4

// bounds are upper bounds of the gains of all cuts of a node. They cost a fraction of the gains: only the
// columns whose bound is not below the best gain found are looked at exactly, so that the trees are the same as
// without them.
//
// Both derivatives of the loss at a row are rounded to whole numbers and share one word, the gradient in the
// upper half and the second derivative in the lower: a sum of words is the sums of both. Sums of whole numbers
// are exact in any order, and those of one part of a node are those of the node less those of the other part.
type bounds struct {
	bins       [][]uint8
	steps      []uint64
	perG, perH float64   // units of either in 1
	below      [][]int32 // training rows up to each bin of each column
	depths     []histograms
	spare      [256]uint64
	most       []float64
}

// histograms are the sums in every bin of every column.
type histograms [][256]uint64

func newBounds(t *booster) *bounds {
	b := &bounds{bins: t.bins, steps: make([]uint64, len(t.a)), most: make([]float64, len(t.bins))}
	var weight float64
	for i := range t.a {
		weight += t.a[i] + t.b[i]
	}
	// No sum leaves its half, whatever is rounded up: gradients are between −weight and weight, second derivatives
	// between 0 and a quarter of it.
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

// root are the sums of all rows, for a tree of the given depth; nil without bounds.
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

// divide gives either part of a node its sums, where it may be split to a depth; those of the node are lost.
func (b *bounds) divide(sums histograms, left, right []int32, depth int) (ofLeft, ofRight histograms) {
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

// abreast is how many columns are summed at a time: the next addition need not wait for the last one.
const abreast = 4

// next are the columns from f on with their sums, cleared; where they end, one that is of no use.
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

// gains are upper bounds of the gains of every column in a node of so many rows with the sums g and h;
// −∞ where no cut leaves enough on both sides.
func (b *bounds) gains(sums histograms, rows int, g, h float64) []float64 {
	const slack = 1e-9 // for the rounding of the gains
	whole := g * g / (h + ridge) * (1 - slack)
	least, more := leastLeafWeight*b.perH, ridge*b.perH
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
			// Each row is rounded by at most half a unit; sums of doubles, by less than one.
			errL := float64(min(int(n), rows))/2 + 1
			errR := float64(min(len(b.steps)-int(n), rows))/2 + 1
			hl, hr := float64(uint32(left))+errL, float64(uint32(right))+errR
			if hl < least || hr < least {
				continue
			}
			gl, gr := math.Abs(float64(int32(left>>32)))+errL, math.Abs(float64(int32(right>>32)))+errR
			hl, hr = max(hl-2*errL, least), max(hr-2*errR, least)
			if v := gl*gl/(hl+more) + gr*gr/(hr+more); v > best {
				best = v
			}
		}
		b.most[f] = best*scale - whole
	}
	return b.most
}
