package distribution

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Distribution is a distribution of numbers or strings. The zero value is invalid: create one by a constructor such as
// [Laplace], or by [Named].
type Distribution struct {
	name string
	err  error // invalid parameters

	// For numbers: P(X ≤ x) and P(X > x), both accurate in relative terms if they are small.
	cdf, survival func(x float64) float64
	lower, upper  float64 // ends of the support
	// values lists the support in ascending order if it is finite. If it is nil and whole is set, the support consists of
	// integers.
	values []float64
	whole  bool
	own    bool // cdf and survival come from the caller of Continuous

	categories map[string]float64 // probabilities of strings

	moments *moments
}

// moments holds the mean, the variance and the range if nothing else is stated.
type moments struct{ mean, variance, lower, upper float64 }

// String returns the name and parameters of the distribution.
func (l Distribution) String() string {
	if l.name == "" {
		return "no law"
	}
	return l.name
}

// Key identifies the distribution among those with the same name, by its probabilities at some places to nine digits.
// The name lacks the probabilities of values and strings, and rounds parameters.
func (l Distribution) Key() string {
	key := fmt.Sprintf("%s [%.9g, %.9g]", l, l.lower, l.upper)
	if m := l.moments; m != nil {
		key += fmt.Sprintf(" %.9g %.9g [%.9g, %.9g]", m.mean, m.variance, m.lower, m.upper)
	}
	for _, v := range slices.Sorted(maps.Keys(l.categories)) {
		key += fmt.Sprintf(" %q:%.9g", v, l.categories[v])
	}
	if l.cdf == nil || l.err != nil {
		return key
	}
	places := l.values
	if places == nil {
		places = []float64{0}
		for k := -10; k <= 10; k++ {
			places = append(places, math.Ldexp(-1, k), math.Ldexp(1, k))
		}
	}
	for _, x := range places {
		key += fmt.Sprintf(" %.9g:%.9g", x, l.cdf(x))
	}
	return key
}

// Check returns an error that names the parameter outside its domain.
func (l Distribution) Check() error {
	if l.name == "" {
		return errors.New("no law: want one such as distribution.Laplace(0, 2)")
	}
	return l.err
}

// discrete reports whether single values have positive probability.
func (l Distribution) discrete() bool { return l.whole || l.values != nil }

// wants returns the formatted error unless ok holds. Conditions must be false for NaN.
func wants(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

// onLine returns a continuous distribution on all real numbers.
func onLine(name string, err error, cdf, survival func(float64) float64) Distribution {
	return Distribution{name: name, err: err, cdf: cdf, survival: survival, lower: math.Inf(-1), upper: math.Inf(1)}
}

// located returns an error unless the location is finite and the scale positive and finite.
func located(name string, location, scale float64) error {
	return errors.Join(wants(finite(location), "%s: location %v: want a finite number", name, location),
		wants(positive(scale), "%s: scale %v: want a finite number above 0", name, scale))
}

// Laplace returns the distribution with density exp(−|x − location|/scale)/(2·scale), for scale > 0.
func Laplace(location, scale float64) Distribution {
	below := func(z float64) float64 {
		if z < 0 {
			return math.Exp(z) / 2
		}
		return 1 - math.Exp(-z)/2
	}
	return onLine(fmt.Sprintf("Laplace(%.6g, %.6g)", location, scale), located("Laplace", location, scale),
		func(x float64) float64 { return below((x - location) / scale) },
		func(x float64) float64 { return below((location - x) / scale) })
}

// Normal returns the normal distribution with the given mean and standard deviation sigma > 0.
func Normal(mean, sigma float64) Distribution {
	below := func(x float64) float64 { return math.Erfc((mean-x)/sigma/math.Sqrt2) / 2 }
	return onLine(fmt.Sprintf("Normal(%.6g, %.6g)", mean, sigma), located("Normal", mean, sigma), below,
		func(x float64) float64 { return math.Erfc((x-mean)/sigma/math.Sqrt2) / 2 })
}

// Exponential returns the distribution with density exp(−x/scale)/scale on x ≥ 0, for scale > 0. Its mean is scale.
func Exponential(scale float64) Distribution {
	l := onLine(fmt.Sprintf("Exponential(%.6g)", scale), located("Exponential", 0, scale),
		func(x float64) float64 { return -math.Expm1(-math.Max(0, x) / scale) },
		func(x float64) float64 { return math.Exp(-math.Max(0, x) / scale) })
	l.lower = 0
	return l
}

// Uniform returns the uniform distribution on [lower, upper]; both ends are finite.
func Uniform(lower, upper float64) Distribution {
	unit := func(x float64) float64 { return math.Min(1, math.Max(0, x/(upper-lower))) }
	l := onLine(fmt.Sprintf("Uniform(%.6g, %.6g)", lower, upper),
		wants(lower < upper && finite(lower) && finite(upper) && finite(upper-lower),
			"Uniform: [%v, %v]: want finite ends, the lower one below the upper one", lower, upper),
		func(x float64) float64 { return unit(x - lower) }, func(x float64) float64 { return unit(upper - x) })
	l.lower, l.upper = lower, upper
	return l
}

// Gumbel returns the distribution with distribution function exp(−exp(−(x − location)/scale)), for scale > 0.
func Gumbel(location, scale float64) Distribution {
	rate := func(x float64) float64 { return math.Exp((location - x) / scale) }
	return onLine(fmt.Sprintf("Gumbel(%.6g, %.6g)", location, scale), located("Gumbel", location, scale),
		func(x float64) float64 { return math.Exp(-rate(x)) }, func(x float64) float64 { return -math.Expm1(-rate(x)) })
}

// Continuous returns the distribution with a given name and a continuous distribution function. cdf(x) is P(X ≤ x) and
// survival(x) is P(X > x), each accurate if it is small; the check tests only at the sampled outputs that they sum to
// 1. The support is within [lower, upper], whose ends may be infinite.
func Continuous(name string, cdf, survival func(x float64) float64, lower, upper float64) Distribution {
	l := Distribution{name: name, cdf: cdf, survival: survival, lower: lower, upper: upper, own: true}
	switch {
	case name == "":
		l.name, l.err = "a law", errors.New("a law without a name")
	case cdf == nil || survival == nil:
		l.err = fmt.Errorf("%s: want both a distribution function and its complement", name)
	case !(lower < upper):
		l.err = fmt.Errorf("%s: ends %v and %v: want the lower one below the upper one", name, lower, upper)
	}
	return l
}

// Values returns the distribution on finitely many numbers with the given probabilities, which sum to 1.
func Values(probabilities map[float64]float64) Distribution {
	l := Distribution{name: fmt.Sprintf("the law of %d values", len(probabilities)), lower: math.Inf(1),
		upper:  math.Inf(-1),
		values: slices.Sorted(maps.Keys(probabilities))}
	l.err = sums(l.name, probabilities)
	for _, v := range l.values {
		l.err = errors.Join(l.err, wants(finite(v), "%s: value %v: want a finite one", l.name, v))
		l.lower, l.upper = math.Min(l.lower, v), math.Max(l.upper, v)
	}
	sum := func(take func(v float64) bool) float64 {
		s := 0.0
		for _, v := range l.values {
			if take(v) {
				s += probabilities[v]
			}
		}
		return math.Min(1, s)
	}
	l.cdf = func(x float64) float64 { return sum(func(v float64) bool { return v <= x }) }
	l.survival = func(x float64) float64 { return sum(func(v float64) bool { return v > x }) }
	return l
}

// Categories returns the distribution on finitely many strings with the given probabilities, which sum to 1.
func Categories(probabilities map[string]float64) Distribution {
	name := fmt.Sprintf("the law of %d strings", len(probabilities))
	return Distribution{name: name, categories: probabilities, err: sums(name, probabilities)}
}

// sums returns an error unless all values are probabilities and their sum is 1.
func sums[K cmp.Ordered](name string, probabilities map[K]float64) error {
	total := 0.0
	for _, k := range slices.Sorted(maps.Keys(probabilities)) {
		p := probabilities[k]
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("%s: probability %v: want a value in [0, 1]", name, p)
		}
		total += p
	}
	return wants(math.Abs(total-1) <= 1e-9, "%s: the probabilities sum to %v: want 1", name, total)
}

// Moments states only the mean and the variance ≥ 0 of a distribution on the finite range [lower, upper]. Any
// distribution with these moments fulfills the claim.
func Moments(mean, variance, lower, upper float64) Distribution {
	l := Distribution{name: fmt.Sprintf("mean %.6g and variance %.6g", mean, variance),
		moments: &moments{mean, variance, lower, upper}}
	l.err = errors.Join(
		wants(lower < upper && finite(lower) && finite(upper), "moments: the range is [%v, %v]: want finite ends, the "+
			"lower "+
			"one below the upper one; moments of unbounded values cannot be certified", lower, upper),
		wants(finite(mean), "moments: mean %v: want a finite number", mean),
		wants(variance >= 0 && finite(variance), "moments: variance %v: want a finite number of at least 0", variance))
	return l
}

// Named returns the distribution with a name of [Names] and the parameters of a claims file. An unknown name, an
// unknown or missing parameter, and a value outside the domain are errors.
func Named(name string, parameters map[string]float64) (Distribution, error) {
	i := slices.IndexFunc(named, func(n namedLaw) bool { return n.name == name })
	if i < 0 {
		return Distribution{}, fmt.Errorf("law %q: want one of %v", name, Names())
	}
	n := named[i]
	args := make([]float64, len(n.parameters))
	for k, p := range n.parameters {
		x, given := parameters[p.name]
		if !given && p.required {
			return Distribution{}, fmt.Errorf("law %s: no %s", name, strconv.Quote(p.name))
		}
		args[k] = x
	}
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.ContainsFunc(n.parameters, func(p parameter) bool { return p.name == key }) {
			return Distribution{}, fmt.Errorf("law %s: no parameter is named %q; there are %s", name, key,
				strings.Join(n.names(), ", "))
		}
	}
	l := n.of(args)
	return l, l.Check()
}

// Names returns the names that [Named] accepts.
func Names() []string {
	out := make([]string, len(named))
	for i, n := range named {
		out[i] = n.name
	}
	return out
}

type parameter struct {
	name     string
	required bool // otherwise the default is 0
}

type namedLaw struct {
	name       string
	parameters []parameter
	of         func(p []float64) Distribution
}

func (n namedLaw) names() (out []string) {
	for _, p := range n.parameters {
		out = append(out, p.name)
	}
	return out
}

var named = []namedLaw{
	{"laplace", []parameter{{"location", false}, {"scale", true}}, func(p []float64) Distribution {
		return Laplace(p[0],
			p[1])
	}},
	{"normal", []parameter{{"mean", false}, {"sigma", true}}, func(p []float64) Distribution {
		return Normal(p[0],
			p[1])
	}},
	{"exponential", []parameter{{"scale", true}}, func(p []float64) Distribution { return Exponential(p[0]) }},
	{"uniform", []parameter{{"lower", true}, {"upper", true}}, func(p []float64) Distribution {
		return Uniform(p[0],
			p[1])
	}},
	{"gumbel", []parameter{{"location", false}, {"scale", true}}, func(p []float64) Distribution {
		return Gumbel(p[0],
			p[1])
	}},
	{"discrete-laplace", []parameter{{"location", false}, {"scale", true}},
		func(p []float64) Distribution { return DiscreteLaplace(p[0], p[1]) }},
	{"discrete-gaussian", []parameter{{"location", false}, {"sigma", true}},
		func(p []float64) Distribution { return DiscreteGaussian(p[0], p[1]) }},
	{"geometric", []parameter{{"p", true}}, func(p []float64) Distribution { return Geometric(p[0]) }},
	{"bernoulli", []parameter{{"p", true}}, func(p []float64) Distribution { return Bernoulli(p[0]) }},
	{"binomial", []parameter{{"n", true}, {"p", true}}, func(p []float64) Distribution { return Binomial(p[0], p[1]) }},
	{"moments", []parameter{{"mean", true}, {"variance", true}, {"lower", true}, {"upper", true}},
		func(p []float64) Distribution { return Moments(p[0], p[1], p[2], p[3]) }},
}
