package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// RandomizedResponse keeps a bit with probability e^ε/(e^ε+1) and flips it otherwise (Warner 1965; Han et al.
// 2018, Prop. 2, eq. (10)). It is exactly ε-locally private: the two entries of a column of its matrix have ratio
// e^ε.
type RandomizedResponse struct {
	epsilon float64
	flip    coin
}

// NewRandomizedResponse returns randomized response at privacy epsilon, finite and > 0; else an error that
// wraps ErrDomain.
func NewRandomizedResponse(epsilon float64) (*RandomizedResponse, error) {
	if err := domain.Positive("randomized response", "epsilon", epsilon); err != nil {
		return nil, err
	}
	return &RandomizedResponse{epsilon: epsilon, flip: newCoin(logistic(-epsilon))}, nil
}

func checkSymbol(owner string, x, k int) error {
	if x < 0 || x >= k {
		return domain.Error(owner, "x", x, fmt.Sprintf("0..%d", k-1))
	}
	return nil
}

// Release returns a noisy copy of x ∈ {0, 1}.
func (m *RandomizedResponse) Release(r *rand.Rand, x int) (int, error) {
	if err := checkSymbol("randomized response", x, 2); err != nil {
		return 0, err
	}
	if m.flip.toss(r) {
		return 1 - x, nil
	}
	return x, nil
}

// ReleaseN fills out with independent noisy copies of x.
func (m *RandomizedResponse) ReleaseN(r *rand.Rand, x int, out []int) error {
	if err := checkSymbol("randomized response", x, 2); err != nil {
		return err
	}
	for i := range out {
		out[i] = x
		if m.flip.toss(r) {
			out[i] = 1 - x
		}
	}
	return nil
}

// ReleaseLabel returns a noisy copy of a label y ∈ {-1, +1}, the form of Prop. 2. It draws the same random values
// as Release for the bit (y+1)/2.
func (m *RandomizedResponse) ReleaseLabel(r *rand.Rand, y int) (int, error) {
	if y != -1 && y != 1 {
		return 0, domain.Error("randomized response", "label", y, "-1 or +1")
	}
	if m.flip.toss(r) {
		return -y, nil
	}
	return y, nil
}

// Distribution returns the probabilities of 0 and 1 given x ∈ {0, 1}: row x of eq. (10).
func (m *RandomizedResponse) Distribution(x int) []float64 {
	if checkSymbol("", x, 2) != nil {
		return nil
	}
	law := make([]float64, 2)
	law[x], law[1-x] = logistic(m.epsilon), logistic(-m.epsilon)
	return law
}

// KaryResponse keeps one of k ≥ 2 symbols with probability e^ε/(e^ε+k-1). Otherwise it releases one of the others,
// each equally likely (Kairouz, Oh & Viswanath 2014). It is exactly ε-locally private: the entries of a column
// have ratio e^ε.
type KaryResponse struct {
	k       int
	epsilon float64
	flip    coin
}

// NewKaryResponse returns randomized response over 0..k-1, k ≥ 2, at privacy epsilon, finite and > 0; else
// an error that wraps ErrDomain.
func NewKaryResponse(k int, epsilon float64) (*KaryResponse, error) {
	const owner = "k-ary response"
	if k < 2 {
		return nil, domain.Error(owner, "k", k, ">= 2")
	}
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return nil, err
	}
	return &KaryResponse{k: k, epsilon: epsilon, flip: newCoin(logistic(math.Log(float64(k-1)) - epsilon))}, nil
}

// Release returns a noisy copy of x ∈ 0..k-1.
func (m *KaryResponse) Release(r *rand.Rand, x int) (int, error) {
	if err := checkSymbol("k-ary response", x, m.k); err != nil {
		return 0, err
	}
	return m.draw(r, x), nil
}

// ReleaseN fills out with independent noisy copies of x.
func (m *KaryResponse) ReleaseN(r *rand.Rand, x int, out []int) error {
	if err := checkSymbol("k-ary response", x, m.k); err != nil {
		return err
	}
	for i := range out {
		out[i] = m.draw(r, x)
	}
	return nil
}

func (m *KaryResponse) draw(r *rand.Rand, x int) int {
	if !m.flip.toss(r) {
		return x
	}
	other := int(r.Uint64N(uint64(m.k - 1)))
	if other >= x {
		other++
	}
	return other
}

// Distribution returns the probabilities of 0..k-1 given x ∈ 0..k-1.
func (m *KaryResponse) Distribution(x int) []float64 {
	if checkSymbol("", x, m.k) != nil {
		return nil
	}
	odds := math.Log(float64(m.k-1)) - m.epsilon // log odds of flipping against keeping
	law := make([]float64, m.k)
	for i := range law {
		law[i] = logistic(odds) / float64(m.k-1)
	}
	law[x] = logistic(-odds)
	return law
}
