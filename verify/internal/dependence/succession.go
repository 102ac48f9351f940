package dependence

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// SuccessionTest watches whether outputs that follow one another are too near to each other to have been drawn
// afresh, as those of a mechanism are that carries a state from one to the next.
//
// Of four independent values, two in a row and two further on, the two largest, where a gap tells them
// from the others, are the first two or the last two with probability 1/3, whatever the law; 3/11 at
// most if fours in ascending or descending order, as of sorted outputs, are left out. (So nothing is told
// of outputs of two values alone.) It bets against that, so that the error probability covers every
// look: independent outputs are ever called dependent with probability at most [SuccessionAlpha].
type SuccessionTest struct {
	row   [followRow][WatchedNumbers]float64 // the last outputs
	n     int                                // of them
	wide  int                                // numbers of each that are watched
	near  [WatchedNumbers]int64              // fours of which the two largest stand side by side
	fours [WatchedNumbers]int64
}

const (
	// WatchedNumbers is how many numbers of each output are watched.
	WatchedNumbers = 8
	// SuccessionAlpha bounds the probability that independent outputs are called dependent.
	SuccessionAlpha = 1e-12
	// followRow is the length of a row, whose first half is compared with the second.
	followRow = 64
	// nearLaw is the probability, at most, under independence.
	nearLaw = 3. / 11
)

// nearBets are the probabilities that are bet on, with an equal share of the wealth each.
var nearBets = []float64{0.32, 0.45, 0.7}

// nearGains are the logarithms of what each bet wins by a four whose two largest are neighbours, and by another:
// outputs are looked at too often to take them every time.
var nearGains = func() (gains [][2]float64) {
	for _, q := range nearBets {
		gains = append(gains, [2]float64{math.Log(q / nearLaw), math.Log((1 - q) / (1 - nearLaw))})
	}
	return gains
}()

// nearLeast is what a bet must win by itself, as a logarithm; all of them share the error.
var nearLeast = math.Log(float64(WatchedNumbers*len(nearBets)) / SuccessionAlpha)

// Add takes the next output, by its numbers.
func (f *SuccessionTest) Add(numbers []float64) {
	wide := min(len(numbers), WatchedNumbers)
	if f.n == 0 || wide < f.wide {
		f.wide = wide
	}
	copy(f.row[f.n][:], numbers)
	if f.n++; f.n < followRow {
		return
	}
	f.n = 0
	for k := range f.wide {
		for i := 0; i < followRow/2; i += 2 {
			j := i + followRow/2
			f.bet(k, [4]float64{f.row[i][k], f.row[i+1][k], f.row[j][k], f.row[j+1][k]})
		}
	}
}

// Break begins a new row: the next output does not follow the last one.
func (f *SuccessionTest) Break() { f.n = 0 }

// bet counts four values of number k.
func (f *SuccessionTest) bet(k int, x [4]float64) {
	sorted := x
	slices.Sort(sorted[:])
	reversed := x
	slices.Reverse(reversed[:])
	if !(sorted[1] < sorted[2]) || math.IsNaN(sorted[0]) || x == sorted || reversed == sorted {
		return
	}
	f.fours[k]++
	if large := sorted[2]; (x[0] >= large) == (x[1] >= large) {
		f.near[k]++
	}
}

// Word says how the outputs depend on one another; "" where nothing shows.
func (f *SuccessionTest) Word() string {
	for k := range WatchedNumbers {
		if f.evident(k) {
			return fmt.Sprintf("outputs that follow one another are alike: of %d fours, of two neighbours each, the two "+
				"largest are neighbours in %d, where at most 3 of 11 are expected", f.fours[k], f.near[k])
		}
	}
	return ""
}

// evident tells whether a bet on number k has won enough.
func (f *SuccessionTest) evident(k int) bool {
	near, other := float64(f.near[k]), float64(f.fours[k]-f.near[k])
	return slices.ContainsFunc(nearGains, func(gain [2]float64) bool {
		return near*gain[0]+other*gain[1] >= nearLeast
	})
}

// AppendNumbers appends those in a decoded value to dst, up to so many; what is none is left out.
func AppendNumbers(dst []float64, v any, most int) []float64 {
	switch v := v.(type) {
	case float64:
		return append(dst, v)
	case int64:
		return append(dst, float64(v))
	case uint64:
		return append(dst, float64(v))
	case json.Number:
		if x, err := v.Float64(); err == nil {
			return append(dst, x)
		}
	case []any:
		for i := 0; i < len(v) && len(dst) < most; i++ {
			dst = AppendNumbers(dst, v[i], most)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(dst) < most {
				dst = AppendNumbers(dst, v[key], most)
			}
		}
	}
	return dst
}
