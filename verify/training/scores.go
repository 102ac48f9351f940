package training

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// Scores holds canary scores and inclusion coins; a larger score is evidence for inclusion.
type Scores struct {
	Name     string // name of the file
	Score    Score  // the distribution of the scores, if the file states it
	values   []float64
	included []bool
}

// NewScores returns scores that share the given slices. It returns an error unless all scores are finite and not all
// equal, there is one coin for each, and the coins include some canaries but not all.
func NewScores(name string, values []float64, included []bool) (*Scores, error) {
	s := &Scores{Name: name, values: values, included: included}
	if len(values) != len(included) {
		return nil, fmt.Errorf("%d scores and %d coins: want one for each canary", len(values), len(included))
	}
	for i, x := range values {
		if x-x != 0 {
			return nil, fmt.Errorf("score %d is %v: want finite numbers", i, x)
		}
	}
	return s, s.check()
}

// Len returns the number of canaries.
func (s *Scores) Len() int { return len(s.values) }

// Digest returns a hash of the scores and coins. It does not depend on the file name.
func (s *Scores) Digest() string {
	h := sha256.New()
	var row [9]byte
	for i, x := range s.values {
		binary.LittleEndian.PutUint64(row[:], math.Float64bits(x))
		row[8] = 0
		if s.included[i] {
			row[8] = 1
		}
		h.Write(row[:]) // never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// in returns the number of included canaries.
func (s *Scores) in() (n int) {
	for _, coin := range s.included {
		if coin {
			n++
		}
	}
	return n
}

func (s *Scores) check() error {
	n := s.in()
	switch {
	case len(s.values) == 0:
		return errors.New("there are no canaries")
	case n == 0:
		return fmt.Errorf("none of the %d canaries was included: want a coin for each", len(s.values))
	case n == len(s.values):
		return fmt.Errorf("all of the %d canaries were included: want a coin for each", len(s.values))
	}
	for _, x := range s.values {
		if x != s.values[0] {
			return nil
		}
	}
	return fmt.Errorf("all %d scores are equal to %v: they contain no information about the coins", len(s.values),
		s.values[0])
}

// Bounds for the tests of independent coins.
const (
	// A p-value of at most unfair gives a warning. At most dependent, no verdict is given.
	unfair    = 1e-3
	dependent = 1e-9
)

// coins holds the counts that the tests of independent coins use.
type coins struct {
	Canaries int    `json:"canaries"`
	Included int    `json:"included"`
	Opposite [2]int `json:"opposite_pairs"`  // see opposites, at distance 1 and half the file
	Repeated int    `json:"repeated_scores"` // distinct scores, if each is repeated with one coin; else 0
}

func (s *Scores) coins() coins {
	c := coins{Canaries: len(s.values), Included: s.in(), Repeated: s.repeated()}
	for i, apart := range []int{1, len(s.values) / 2} {
		if n, all := s.opposites(apart); all {
			c.Opposite[i] = n
		}
	}
	return c
}

// given allows for a number of included canaries that was fixed beforehand. If the number is the expected number,
// rounded up or down, given returns the probability that independent coins include this number. Otherwise it returns
// 1.
//
// A random set of fixed size has the distribution of independent coins, conditional on their number. The probability
// of an event is then at most its probability under independent coins, divided by the returned probability. Tests and
// power allow for this factor.
func (c coins) given(chance float64) float64 {
	expected := chance * float64(c.Canaries)
	if math.Abs(expected-float64(c.Included)) >= 1 {
		return 1
	}
	tails, err := confidence.BinomialTest(int64(c.Included), int64(c.Canaries), chance)
	if err != nil {
		return 1
	}
	const rounding = 1e-9
	return (tails.Less + tails.Greater - 1) * (1 - rounding)
}

// expectedNumbers returns the expected number of included canaries, rounded down and up.
func expectedNumbers(canaries int, chance float64) (down, up int) {
	mean := chance * float64(canaries)
	return int(math.Floor(mean)), int(math.Ceil(mean))
}

// expected applies given to the expected number of included canaries, rounded down and up. It returns the probability
// that independent coins include one of these two numbers, and the smaller of the two results of given.
func expected(canaries int, chance float64) (all, least float64) {
	down, up := expectedNumbers(canaries, chance)
	least = coins{Canaries: canaries, Included: down}.given(chance)
	if down == up {
		return least, least
	}
	other := coins{Canaries: canaries, Included: up}.given(chance)
	return least + other, min(least, other)
}

// judged tests whether the coins are independent with the given inclusion probability, and returns warnings. If sound
// is false, no verdict can rest on the coins. Each of its three tests errs with probability at most dependent.
func (c coins) judged(chance float64) (warnings []string, sound bool) {
	sound = true
	m, in := c.Canaries, c.Included
	tails, err := confidence.BinomialTest(int64(in), int64(m), chance)
	if p := 2 * min(tails.Less, tails.Greater); err == nil && p <= unfair {
		sound = p > dependent
		warnings = append(warnings, fmt.Sprintf("the coins do not look as stated: %d of %d canaries were included, but "+
			"the stated inclusion probability is %g (p = %.2g); state the true probability", in, m, chance, p))
	}
	for i, what := range []string{"next to each other", "half the file apart"} {
		if n := c.Opposite[i]; float64(n)*math.Ln2 > -math.Log(dependent) {
			sound = false
			warnings = append(warnings, fmt.Sprintf("exactly one canary of all %d pairs %s was included: coins of pairs "+
				"are not independent; give one row a pair, with the difference of the scores", n, what))
			break
		}
	}
	if n := c.Repeated; n > 0 {
		sound = false
		warnings = append(warnings, fmt.Sprintf("the rows repeat one another: each of %d scores occurs several times, "+
			"with the same coin", n))
	}
	return warnings, sound
}

// opposites pairs the rows at a distance and counts the pairs. It reports whether exactly one canary in each pair is
// included. It is false for a file in which the included canaries come first, because rows half the file apart then
// differ by the order of the file.
func (s *Scores) opposites(apart int) (n int, all bool) {
	m := len(s.included)
	if m%2 != 0 || apart < 1 {
		return 0, false
	}
	changes := 0
	for i := 1; i < m; i++ {
		if s.included[i] != s.included[i-1] {
			changes++
		}
	}
	for i := 0; i+apart < m; i++ {
		if i/apart%2 == 0 {
			if s.included[i] == s.included[i+apart] {
				return 0, false
			}
			n++
		}
	}
	return n, changes > 1
}

// mayRepeat reports whether each of the first 64 scores occurs more than once, always with one coin. For most files
// it is quickly false.
func (s *Scores) mayRepeat() bool {
	const looked = 64
	first := s.values[:min(looked, len(s.values))]
	counts := make(map[float64][2]int, looked)
	for i, x := range s.values {
		c, known := counts[x]
		if !known && i >= len(first) {
			continue
		}
		if s.included[i] {
			c[0]++
		} else {
			c[1]++
		}
		counts[x] = c
	}
	for _, c := range counts {
		if c[0]+c[1] < 2 || c[0] > 0 && c[1] > 0 {
			return false
		}
	}
	return true
}

// repeated returns the number of distinct scores if the number of occurrences of each is a multiple of a common
// divisor ≥ 2, always with one coin. It returns 0 otherwise, or if there are too few scores to exclude chance.
func (s *Scores) repeated() int {
	const least = 60 // the counts of 60 values are all multiples of another number with probability at most 2^−60
	if !s.mayRepeat() {
		return 0
	}
	type tally struct{ in, out int }
	counts := make(map[float64]tally)
	for i, x := range s.values {
		c := counts[x]
		if s.included[i] {
			c.in++
		} else {
			c.out++
		}
		counts[x] = c
		if len(counts) > len(s.values)/2 {
			return 0
		}
	}
	divisor := 0
	for _, x := range slices.Sorted(maps.Keys(counts)) {
		c := counts[x]
		if c.in > 0 && c.out > 0 {
			return 0
		}
		for a, b := divisor, c.in+c.out; ; a, b = b, a%b {
			if b == 0 {
				divisor = a
				break
			}
		}
	}
	if divisor < 2 || len(counts) < least {
		return 0
	}
	return len(counts)
}
