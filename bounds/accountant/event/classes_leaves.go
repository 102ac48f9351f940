package event

import (
	"math"
	"math/big"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/strictyaml"
)

// given reports whether an optional field has a value.
func (n *node) given(name string) bool {
	v, ok := n.fields[name]
	return ok && strictyaml.Value(v) != nil
}

func (n *node) number(name, want string, valid func(float64) bool) (float64, error) {
	return number(n.fields[name], name, want, valid)
}

// numbers returns the numbers of a list.
func (n *node) numbers(name, want string, valid func(float64) bool) ([]float64, error) {
	list, ok := n.fields[name].(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return nil, strictyaml.At(n.fields[name], "%s: want a list of at least one number", name)
	}
	out := make([]float64, len(list.Values))
	for i, v := range list.Values {
		var err error
		if out[i], err = number(v, name, want, valid); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// wholeNumbers returns an integer, or a list of at least one, each at least minimum.
func (n *node) wholeNumbers(name string, minimum int64) ([]int64, error) {
	values := []ast.Node{n.fields[name]}
	if list, ok := values[0].(*ast.SequenceNode); ok && len(list.Values) > 0 {
		values = list.Values
	}
	out := make([]int64, len(values))
	for i, v := range values {
		var err error
		if out[i], err = wholeNumber(v, name, minimum); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// noisy returns additive noise given as a multiple of the sensitivity. The multiplier 0 means no privacy.
func (n *node) noisy(build func(float64) Event) (Event, error) {
	multiplier, err := n.number("noise_multiplier", wantNotBelow0, notBelow0)
	if multiplier == 0 && err == nil {
		return nonPrivate, nil
	}
	return build(multiplier), err
}

// discreteLaplace returns integer noise with P(k) ∝ exp(−a|k|).
func (n *node) discreteLaplace() (Event, error) {
	rate, err := n.number("noise_parameter", wantPositive, positive)
	if err != nil {
		return Event{}, err
	}
	sensitivity, err := wholeNumber(n.fields["sensitivity"], "sensitivity", 1)
	return DiscreteLaplace(rate).WithSensitivity(float64(sensitivity)), err
}

// response returns k-ary randomized response. It reports the true value with probability 1 − p + p/k and each other
// value with probability p/k.
func (n *node) response() (Event, error) {
	p, err := n.number("noise_parameter", wantProbability, probability)
	if err != nil {
		return Event{}, err
	}
	k, err := wholeNumber(n.fields["num_buckets"], "num_buckets", 1)
	switch {
	case err != nil:
		return Event{}, err
	case k == 1 || p == 1:
		return Compose(), nil
	case p == 0:
		return nonPrivate, nil
	case k > math.MaxInt32:
		return Event{}, strictyaml.At(n.fields["num_buckets"], "num_buckets is %d: want at most %d", k,
			math.MaxInt32)
	}
	// Compute the odds of the true value minus 1 in exact decimals. Round the logarithm up.
	shown := Decimal(p)
	odds := new(big.Rat).Sub(big.NewRat(1, 1), shown)
	odds.Mul(odds, big.NewRat(k, 1)).Quo(odds, shown)
	x, _ := odds.Float64()
	const rounding = 1.0 / (1 << 51)
	return RandomizedResponse(math.Log1p(x)*(1+rounding), int(k)), nil
}

func (n *node) approximate() (Event, error) {
	epsilon, err := n.number("epsilon", wantNotBelow0, notBelow0)
	if err != nil {
		return Event{}, err
	}
	delta, err := n.number("delta", wantProbability, probability)
	if delta == 0 {
		return Pure(epsilon), err
	}
	return Approximate(epsilon, delta), err
}

func (n *node) concentrated() (Event, error) {
	rho, err := n.number("rho", wantNotBelow0, notBelow0)
	if err != nil {
		return Event{}, err
	}
	if xi, given := n.fields["xi"]; given {
		_, err = number(xi, "xi", "0: the accountant supports ρ-zCDP, not (ξ, ρ)-zCDP",
			func(x float64) bool { return x == 0 })
	}
	return Concentrated(rho), err
}

func (n *node) exponential() (Event, error) {
	epsilon, err := n.number("epsilon", wantNotBelow0, notBelow0)
	return Exponential(epsilon), err
}

func (n *node) permuteAndFlip() (Event, error) {
	epsilon, err := n.number("epsilon", wantNotBelow0, notBelow0)
	if err != nil {
		return Event{}, err
	}
	return n.valid(PermuteAndFlip(epsilon))
}

// discreteGaussian returns integer noise with P(z) ∝ exp(−‖z‖²/2σ²) on a function of ℓ2 sensitivity s. In one
// dimension, the function moves by an integer of at most s. In other dimensions, only the ρ-zCDP of the mechanism
// is used. A move by v costs at most v²/2σ² in each coordinate (Canonne, Kamath & Steinke 2020, Theorem 4), and
// Rényi divergences of independent coordinates add up. So ρ = m/2σ², where m is the largest integer up to s².
func (n *node) discreteGaussian() (Event, error) {
	sigma, err := n.number("sigma", wantPositive, positive)
	if err != nil {
		return Event{}, err
	}
	sensitivity, dimension := 1.0, int64(0)
	if n.given("sensitivity") {
		const most = 1e6
		sensitivity, err = n.number("sensitivity", "a number of 1 to 1e6, as integers move by integers",
			func(x float64) bool { return x >= 1 && x <= most })
		if err != nil {
			return Event{}, err
		}
	}
	if n.given("dimension") {
		if dimension, err = wholeNumber(n.fields["dimension"], "dimension", 1); err != nil {
			return Event{}, err
		}
	}
	if dimension == 1 {
		n.note("the sensitivity is read as the contribution of one record; replace-one moves the sum by twice as much")
		return n.valid(DiscreteGaussian(sigma).WithSensitivity(sensitivity))
	}
	n.note("only its ρ-zCDP is used, because its dimension is not 1; the sensitivity is read as the function's " +
		"sensitivity for the chosen neighbors")
	square := new(big.Rat).Mul(Decimal(sensitivity), Decimal(sensitivity))
	whole := new(big.Rat).SetInt(new(big.Int).Quo(square.Num(), square.Denom()))
	twice := new(big.Rat).Mul(Decimal(sigma), Decimal(sigma))
	rho, _ := whole.Quo(whole, twice.Add(twice, twice)).Float64()
	return n.valid(Concentrated(math.Nextafter(rho, math.Inf(1))))
}

// mixture returns a Gaussian whose shift has the given values and probabilities.
func (n *node) mixture() (Event, error) {
	sigma, err := n.number("standard_deviation", wantPositive, positive)
	if err != nil {
		return Event{}, err
	}
	shifts, err := n.numbers("sensitivities", wantNotBelow0, notBelow0)
	if err != nil {
		return Event{}, err
	}
	weights, err := n.numbers("sampling_probs", wantProbability, probability)
	if err != nil {
		return Event{}, err
	}
	if len(shifts) != len(weights) {
		return Event{}, strictyaml.At(n.fields["sampling_probs"], "%d sampling_probs of %d sensitivities: want one for each",
			len(weights), len(shifts))
	}
	return n.valid(GaussianMixture(sigma, shifts, weights))
}

// treeAggregation returns the noisy sums of the nodes of binary trees. A record is in one leaf of one tree. The
// tree over t leaves publishes a node once all leaves below it have been seen. A node of height h has 2^h ≤ t
// leaves, so each leaf is below at most ⌊log₂ t⌋ + 1 published nodes, one of each height. The first leaf attains
// this number. Each node has independent noise, so a record is in as many Gaussian releases as the largest tree has
// heights.
func (n *node) treeAggregation() (Event, error) {
	steps, err := n.wholeNumbers("step_counts", 0)
	if err != nil {
		return Event{}, err
	}
	noise, err := n.noisy(Gaussian)
	if err != nil {
		return Event{}, err
	}
	levels := 0
	for _, t := range steps {
		levels = max(levels, big.NewInt(t).BitLen())
	}
	n.note("a record is in one leaf of one tree, and thus in the sums of as many nodes as the largest tree has levels")
	return Repeat(int64(levels), noise), nil
}
