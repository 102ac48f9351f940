package dependence

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// SuccessionTest tests whether successive outputs are closer to each other than independent draws, as if the
// mechanism carried a state from one output to the next.
//
// It compares two adjacent outputs with another adjacent pair 32 outputs later. If the two largest of the four values
// are both strictly larger than the others, independent values have both in the same pair with probability 1/3, for any
// distribution. The test leaves out values in ascending or descending order, as sorted outputs have. The probability
// is then at most 3/11. Outputs with only two values are never counted as alike, because such values are in order if
// the two largest are in the same pair. The test bets on the event that both are. By Ville's inequality, its error
// probability is at most [SuccessionAlpha].
type SuccessionTest struct {
	row   [followRow][WatchedNumbers]float64 // the last outputs
	n     int                                // number of outputs in row
	wide  int                                // number of watched numbers in each output
	near  [WatchedNumbers]int64              // fours whose two largest values are in the same pair
	fours [WatchedNumbers]int64              // counted groups of two pairs
}

const (
	// WatchedNumbers is the maximum number of values in each output that are tested.
	WatchedNumbers = 8
	// SuccessionAlpha bounds the probability that independent outputs are called dependent.
	SuccessionAlpha = 1e-12
	// followRow is the number of outputs in a row. The first half of a row is compared with the second.
	followRow = 64
	// nearBound bounds the probability that the two largest values are in the same pair, under independence.
	nearBound = 3. / 11
)

// nearBets are the probabilities of this event that are bet on. Each bet is a test with an equal share of the error.
var nearBets = []float64{0.32, 0.45, 0.7}

// nearGains holds the log gain of each bet if the two largest values are in the same pair, and if not. It is computed
// once, because the test runs on every output.
var nearGains = func() (gains [][2]float64) {
	for _, q := range nearBets {
		gains = append(gains, [2]float64{math.Log(q / nearBound), math.Log((1 - q) / (1 - nearBound))})
	}
	return gains
}()

// nearThreshold is the log wealth at which one bet rejects. All bets share the error probability.
var nearThreshold = math.Log(float64(WatchedNumbers*len(nearBets)) / SuccessionAlpha)

// Add adds the numbers of the next output.
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

// Break starts a new row: the next output does not follow the last one.
func (f *SuccessionTest) Break() { f.n = 0 }

// bet counts two pairs of the k-th number.
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

// Word describes evidence of dependence; "" if there is none.
func (f *SuccessionTest) Word() string {
	for k := range WatchedNumbers {
		if f.evident(k) {
			return fmt.Sprintf("outputs that follow one another are alike: among %d groups of two adjacent pairs, the "+
				"two largest values are in one pair in %d, but at most 3 of 11 are expected", f.fours[k], f.near[k])
		}
	}
	return ""
}

// evident reports whether a bet on number k has won enough.
func (f *SuccessionTest) evident(k int) bool {
	near, other := float64(f.near[k]), float64(f.fours[k]-f.near[k])
	return slices.ContainsFunc(nearGains, func(gain [2]float64) bool {
		return near*gain[0]+other*gain[1] >= nearThreshold
	})
}

// AppendNumbers appends the numbers in a decoded value to dst, until dst has limit numbers. It skips other values.
func AppendNumbers(dst []float64, v any, limit int) []float64 {
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
		for i := 0; i < len(v) && len(dst) < limit; i++ {
			dst = AppendNumbers(dst, v[i], limit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(dst) < limit {
				dst = AppendNumbers(dst, v[key], limit)
			}
		}
	}
	return dst
}
