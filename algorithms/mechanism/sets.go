package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// counted returns the different items in alphabetical order with their counts, so that random draws do not depend
// on the order of a map.
func counted(items []string) (keys []string, counts []int) {
	sorted := slices.Clone(items)
	slices.Sort(sorted)
	for _, item := range sorted {
		if n := len(keys); n == 0 || keys[n-1] != item {
			keys, counts = append(keys, item), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return keys, counts
}

// PartitionSelection releases the partitions whose noisy number of users reaches a threshold (Korolova,
// Kenthapadi, Mishra & Ntoulas 2009). Each user has one partition. A partition without users is never released. At
// scale 1/ε, adding or removing a user is (ε, δ)-DP, where δ is the probability that a partition with one user
// passes.
type PartitionSelection struct{ scale, threshold float64 }

// NewPartitionSelection returns the mechanism at a finite scale > 0 and a finite threshold; else an error that wraps
// ErrDomain.
func NewPartitionSelection(scale, threshold float64) (*PartitionSelection, error) {
	const owner = "partition selection"
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	if err := domain.Finite(owner, "threshold", threshold); err != nil {
		return nil, err
	}
	return &PartitionSelection{scale: scale, threshold: threshold}, nil
}

// Release returns the partitions that pass, in alphabetical order. users[i] is the partition of user i.
func (m *PartitionSelection) Release(r *rand.Rand, users []string) ([]string, error) {
	passing := []string{}
	keys, counts := counted(users)
	for i, key := range keys {
		if float64(counts[i])+m.scale*noise.Laplace(r) >= m.threshold {
			passing = append(passing, key)
		}
	}
	return passing, nil
}

// LogDensity returns the log probability of a set of partitions in alphabetical order.
func (m *PartitionSelection) LogDensity(users, out []string) float64 {
	keys, counts := counted(users)
	var sum float64
	seen := 0
	for i, key := range keys {
		t := (m.threshold - float64(counts[i])) / m.scale
		if slices.Contains(out, key) {
			seen++
			sum += math.Log(laplaceTail(t))
		} else {
			sum += math.Log(laplaceTail(-t))
		}
	}
	if seen < len(out) {
		return math.Inf(-1)
	}
	return sum
}

// ThresholdedHistogram releases the noisy counts, with discrete Laplace noise, of the items whose noisy count
// reaches a threshold (the stability-based histogram of Bun, Nissim & Stemmer 2016). At rate ε, adding or removing
// an item is (ε, δ)-DP, where δ is the probability that a count of 1 passes.
type ThresholdedHistogram struct {
	rate      float64
	threshold int
	noise     *DiscreteLaplace
}

// NewThresholdedHistogram returns the mechanism at a rate in [1e-6, 700] and a threshold of at least 1; else an error
// that wraps ErrDomain.
func NewThresholdedHistogram(rate float64, threshold int) (*ThresholdedHistogram, error) {
	noise, err := NewDiscreteLaplace(rate)
	if err != nil {
		return nil, err
	}
	if threshold < 1 {
		return nil, domain.Error("thresholded histogram", "threshold", threshold, ">= 1")
	}
	return &ThresholdedHistogram{rate: rate, threshold: threshold, noise: noise}, nil
}

// Release returns a JSON object of items with their noisy counts.
func (m *ThresholdedHistogram) Release(r *rand.Rand, items []string) (any, error) {
	out := map[string]any{}
	keys, counts := counted(items)
	for i, key := range keys {
		noisy, err := m.noise.Release(r, counts[i])
		if err != nil {
			return nil, err
		}
		if noisy >= m.threshold {
			out[key] = float64(noisy)
		}
	}
	return out, nil
}

// Distribution returns the distribution of the release of one item with the given count. The first probability is
// that the item is not released. The next ones are for noisy counts threshold, threshold+1, …, and the last is for
// all counts from threshold+span-1. The releases of different items are independent.
func (m *ThresholdedHistogram) Distribution(count, span int) []float64 {
	law := make([]float64, 1+span)
	if count == 0 {
		law[0] = 1
		return law
	}
	law[0] = m.tail(1 + count - m.threshold) // the noise is symmetric
	for i := range span - 1 {
		law[1+i] = math.Exp(m.noise.LogDensity(count, m.threshold+i))
	}
	law[span] = m.tail(m.threshold + span - 1 - count)
	return law
}

// tail returns the probability of noise of at least k: a^k/(1+a) for k ≥ 1, a = e^(-rate).
func (m *ThresholdedHistogram) tail(k int) float64 {
	if k <= 0 {
		return 1 - m.tail(1-k)
	}
	return math.Exp(-m.rate*float64(k)) / (1 + math.Exp(-m.rate))
}

// Trie releases strings that many users have, letter by letter. A prefix whose noisy number of users reaches the
// threshold is extended by every letter of the alphabet, and strings of full length that pass are released (the
// trie of Zhu et al. 2020, "Federated Heavy Hitters Discovery with Differential Privacy", with noise instead of
// their sampling). A string is counted once at each length, so at scale length/ε adding or removing a user is
// ε-DP.
type Trie struct {
	alphabet         string
	length           int
	scale, threshold float64
}

// NewTrie returns the mechanism for strings of the given length over an alphabet of at least two single bytes,
// with at most 16 strings in total, at a finite scale > 0 and a finite threshold. Other values give an error that
// wraps ErrDomain.
func NewTrie(alphabet string, length int, scale, threshold float64) (*Trie, error) {
	const owner = "trie"
	if length < 1 || len(alphabet) < 2 || !(math.Pow(float64(len(alphabet)), float64(length)) <= 16) {
		return nil, domain.Error(owner, "length", length, fmt.Sprintf(">= 1, and at most 16 strings of %q", alphabet))
	}
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	if err := domain.Finite(owner, "threshold", threshold); err != nil {
		return nil, err
	}
	return &Trie{alphabet: alphabet, length: length, scale: scale, threshold: threshold}, nil
}

// Release returns the strings that pass, in the order of the alphabet. Each user has one string of full length.
func (m *Trie) Release(r *rand.Rand, users []string) ([]string, error) {
	for i, s := range users {
		if len(s) != m.length {
			return nil, domain.Error("trie", fmt.Sprintf("length of string %d", i), len(s), fmt.Sprint(m.length))
		}
	}
	prefixes := []string{""}
	for range m.length {
		longer := []string{}
		for _, prefix := range prefixes {
			for i := range m.alphabet {
				next := prefix + m.alphabet[i:i+1]
				if float64(starting(users, next))+m.scale*noise.Laplace(r) >= m.threshold {
					longer = append(longer, next)
				}
			}
		}
		prefixes = longer
	}
	return prefixes, nil
}

// starting returns the number of strings that start with the prefix.
func starting(users []string, prefix string) (n int) {
	for _, s := range users {
		if s[:len(prefix)] == prefix {
			n++
		}
	}
	return n
}

// Distribution returns the probabilities of the sets of strings. A set is read as a binary number whose lowest bit
// is the first string in the order of the alphabet.
func (m *Trie) Distribution(users []string) []float64 { return m.below(users, "") }

// below returns the distribution of the released strings that start with a prefix which has passed. The next
// letters are independent: each contributes the strings below it, or none.
func (m *Trie) below(users []string, prefix string) []float64 {
	if len(prefix) == m.length {
		return []float64{0, 1} // the string itself is released
	}
	joint := []float64{1}
	for i := range m.alphabet {
		next := prefix + m.alphabet[i:i+1]
		t := (m.threshold - float64(starting(users, next))) / m.scale
		part := m.below(users, next)
		for j := range part {
			part[j] *= laplaceTail(t)
		}
		part[0] += laplaceTail(-t)
		both := make([]float64, len(joint)*len(part))
		for high, p := range part {
			for low, q := range joint {
				both[high*len(joint)+low] = p * q
			}
		}
		joint = both
	}
	return joint
}
