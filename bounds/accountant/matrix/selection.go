package matrix

import "math"

// selection chooses at most times positions, each at least distance apart, to maximize the total weight.
type selection struct {
	times, distance int
	best            []float64
}

// maximum returns an upper bound of the maximum total of nonnegative weights. The constraint matrix, including the
// limit on the number, consists of intervals. So the linear program has integer solutions, and the maximum equals the
// minimum over λ of
//
//	λ·times + max Σ(w_i − λ) over choices of any number.
//
// Every λ gives an upper bound.
func (s *selection) maximum(w []float64) float64 {
	total, count := s.free(w, 0)
	if count <= s.times {
		return s.upward(total)
	}
	smallest, low, high := total, 0.0, 0.0
	for _, x := range w {
		high = math.Max(high, x)
	}
	for range 48 {
		price := (low + high) / 2
		t, count := s.free(w, price)
		smallest = math.Min(smallest, t+price*float64(s.times))
		switch {
		case count == s.times:
			return s.upward(smallest) // the bound is attained
		case count > s.times:
			low = price
		default:
			high = price
		}
	}
	return s.upward(smallest)
}

// upward covers the rounding of a total of len(s.best) weights, each with at most two roundings.
func (s *selection) upward(total float64) float64 { return total * (1 + float64(2*len(s.best)+8)*unit) }

// free returns the maximum total of weights minus price each, with any number of positions, and the number of
// positions.
func (s *selection) free(w []float64, price float64) (total float64, count int) {
	n := len(w)
	if len(s.best) < n+s.distance {
		s.best = make([]float64, n+s.distance)
	}
	for i := n - 1; i >= 0; i-- {
		s.best[i] = math.Max(s.best[i+1], w[i]-price+s.best[i+s.distance])
	}
	for i := 0; i < n; {
		if s.best[i] == s.best[i+1] {
			i++
			continue
		}
		count++
		i += s.distance
	}
	return s.best[0], count
}

// choose returns the maximum total, rounded up, and its positions.
func (s *selection) choose(w []float64) (total float64, places []int) {
	n, d := len(w), s.distance
	// best[i] is the maximum total of at most c + 1 positions from i on. before[i] is the maximum of at most c
	// positions.
	best, before := make([]float64, n+d), make([]float64, n+d)
	taken := make([][]bool, s.times)
	for c := range taken {
		taken[c] = make([]bool, n)
		best, before = before, best
		for i := n - 1; i >= 0; i-- {
			with := w[i] + before[i+d]
			taken[c][i] = with > best[i+1]
			best[i] = math.Max(best[i+1], with)
		}
	}
	for c, i := s.times-1, 0; c >= 0 && i < n; {
		if !taken[c][i] {
			i++
			continue
		}
		places = append(places, i)
		c, i = c-1, i+d
	}
	return best[0] * (1 + float64(2*n+8)*unit), places
}
