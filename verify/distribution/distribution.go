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

// Distribution is a distribution of numbers, or of strings. The zero value is none.
type Distribution struct {
	name string
	err  error // of its parameters

	// Of numbers: P(X ≤ x) and P(X > x), both to full relative precision where they are small.
	cdf, survival func(x float64) float64
	lower, upper  float64 // beyond which nothing is
	// Values of a law on few numbers, ascending; on whole numbers where it is nil and whole is set.
	values []float64
	whole  bool
	own    bool // the functions are a user's

	categories map[string]float64 // of strings

	moments *moments
}

// moments are what is stated of a law of which nothing else is.
type moments struct{ mean, variance, lower, upper float64 }

// String names the law with its parameters.
func (l Distribution) String() string {
	if l.name == "" {
		return "no law"
	}
	return l.name
}

// Check names the parameter that is out of its domain.
func (l Distribution) Check() error {
	if l.name == "" {
		return errors.New("no law: want one such as distribution.Laplace(0, 2)")
	}
	return l.err
}

// discrete tells laws on values that have probabilities of their own.
func (l Distribution) discrete() bool { return l.whole || l.values != nil }

// wants is the error of a parameter unless it is ok, which a NaN is not.
func wants(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

// onLine is a continuous law on all numbers.
func onLine(name string, err error, cdf, survival func(float64) float64) Distribution {
	return Distribution{name: name, err: err, cdf: cdf, survival: survival, lower: math.Inf(-1), upper: math.Inf(1)}
}

// located is the error of a location and a scale.
func located(name string, location, scale float64) error {
	return errors.Join(wants(finite(location), "%s: location %v: want a finite one", name, location),
		wants(positive(scale), "%s: scale %v: want one above 0 and finite", name, scale))
}

// Laplace has the density exp(−|x − location|/scale)/(2·scale). Scale > 0.
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

// Normal has mean and standard deviation sigma > 0.
func Normal(mean, sigma float64) Distribution {
	below := func(x float64) float64 { return math.Erfc((mean-x)/sigma/math.Sqrt2) / 2 }
	return onLine(fmt.Sprintf("Normal(%.6g, %.6g)", mean, sigma), located("Normal", mean, sigma), below,
		func(x float64) float64 { return math.Erfc((x-mean)/sigma/math.Sqrt2) / 2 })
}

// Exponential has the density exp(−x/scale)/scale on x ≥ 0. Scale > 0.
func Exponential(scale float64) Distribution {
	l := onLine(fmt.Sprintf("Exponential(%.6g)", scale), located("Exponential", 0, scale),
		func(x float64) float64 { return -math.Expm1(-math.Max(0, x) / scale) },
		func(x float64) float64 { return math.Exp(-math.Max(0, x) / scale) })
	l.lower = 0
	return l
}

// Uniform on [lower, upper], finite.
func Uniform(lower, upper float64) Distribution {
	unit := func(x float64) float64 { return math.Min(1, math.Max(0, x/(upper-lower))) }
	l := onLine(fmt.Sprintf("Uniform(%.6g, %.6g)", lower, upper),
		wants(lower < upper && finite(lower) && finite(upper) && finite(upper-lower),
			"Uniform: [%v, %v]: want finite ends, the lower one below the upper one", lower, upper),
		func(x float64) float64 { return unit(x - lower) }, func(x float64) float64 { return unit(upper - x) })
	l.lower, l.upper = lower, upper
	return l
}

// Gumbel has the distribution function exp(−exp(−(x − location)/scale)). Scale > 0.
func Gumbel(location, scale float64) Distribution {
	rate := func(x float64) float64 { return math.Exp((location - x) / scale) }
	return onLine(fmt.Sprintf("Gumbel(%.6g, %.6g)", location, scale), located("Gumbel", location, scale),
		func(x float64) float64 { return math.Exp(-rate(x)) }, func(x float64) float64 { return -math.Expm1(-rate(x)) })
}

// Continuous is a law with a name and a continuous distribution function. cdf is P(X ≤ x) and
// survival P(X > x), each precise where it is small; both are looked at on a few points alone. Nothing
// lies beyond lower and upper, which may be infinite.
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

// Values are numbers with their probabilities, which sum to 1.
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

// Categories are strings with their probabilities, which sum to 1.
func Categories(probabilities map[string]float64) Distribution {
	name := fmt.Sprintf("the law of %d strings", len(probabilities))
	return Distribution{name: name, categories: probabilities, err: sums(name, probabilities)}
}

// sums is an error unless the values are probabilities that sum to 1.
func sums[K cmp.Ordered](name string, probabilities map[K]float64) error {
	total := 0.0
	for _, k := range slices.Sorted(maps.Keys(probabilities)) {
		p := probabilities[k]
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("%s: probability %v: want one in [0, 1]", name, p)
		}
		total += p
	}
	return wants(math.Abs(total-1) <= 1e-9, "%s: the probabilities sum to %v: want 1", name, total)
}

// Moments are a mean and a variance of values within [lower, upper], finite: of the law
// nothing else is stated. Variance ≥ 0.
func Moments(mean, variance, lower, upper float64) Distribution {
	l := Distribution{name: fmt.Sprintf("mean %.6g and variance %.6g", mean, variance),
		moments: &moments{mean, variance, lower, upper}}
	l.err = errors.Join(
		wants(lower < upper && finite(lower) && finite(upper), "moments: the range is [%v, %v]: want finite ends, the lower "+
			"one below the upper one, without which no moment can be certified", lower, upper),
		wants(finite(mean), "moments: mean %v: want a finite one", mean),
		wants(variance >= 0 && finite(variance), "moments: variance %v: want one of at least 0, finite", variance))
	return l
}

// Named is the law with a name and parameters as they are written in a claims file; see
// [Names].
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

// Names of the laws that [Named] knows.
func Names() []string {
	out := make([]string, len(named))
	for i, n := range named {
		out[i] = n.name
	}
	return out
}

type parameter struct {
	name     string
	required bool // else 0 unless given
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
