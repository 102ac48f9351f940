package event_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

const gauss1 = `{"class_name": "GaussianDpEvent", "noise_multiplier": 1}`

// normal returns the weights of N(mean, sigma²) on a grid of step 1/500 over [−40, 40].
func normal(mean, sigma float64) []float64 {
	w := make([]float64, 40001)
	for i := range w {
		z := (float64(i-20000)/500 - mean) / sigma
		w[i] = math.Exp(-z*z/2) / (sigma * math.Sqrt(2*math.Pi) * 500)
	}
	return w
}

// mixed returns Σ weights[i]·parts[i].
func mixed(weights []float64, parts ...[]float64) []float64 {
	out := make([]float64, len(parts[0]))
	for k, part := range parts {
		for i, x := range part {
			out[i] += weights[k] * x
		}
	}
	return out
}

// divergence returns Σ max(0, p − e^ε q) in the worse order of p and q.
func divergence(p, q []float64, epsilon float64) float64 {
	var forth, back float64
	for i := range p {
		forth += math.Max(0, p[i]-math.Exp(epsilon)*q[i])
		back += math.Max(0, q[i]-math.Exp(epsilon)*p[i])
	}
	return math.Max(forth, back)
}

// integers returns the normalized weights on −200..200.
func integers(weight func(k float64) float64) []float64 {
	out, sum := []float64{}, 0.0
	for k := -200.0; k <= 200; k++ {
		out = append(out, weight(k))
		sum += out[len(out)-1]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// treeNodes returns the largest number of published nodes above and at a leaf, by listing the blocks [i·2^h, (i+1)·2^h)
// that end within the steps.
func treeNodes(steps int) (most int) {
	for leaf := range steps {
		nodes := 0
		for size := 1; size <= steps; size *= 2 {
			if (leaf/size+1)*size <= steps {
				nodes++
			}
		}
		most = max(most, nodes)
	}
	return most
}

// δ at an ε of every class, against sums over the outputs, or over a fine grid of them. The sums over a grid are exact
// to about 1e-7 (the trapezoidal rule with one kink).
func TestClasses(t *testing.T) {
	const epsilon = 0.3
	e := math.Exp(epsilon)
	none := normal(0, 1)
	pure := func(a, lost float64) float64 { return lost + (1-lost)*(math.Exp(a)-e)/(1+math.Exp(a)) }
	gaussian := func(mu float64) float64 { return divergence(normal(0, 1), normal(mu, 1), epsilon) }
	dgauss := func(k float64) float64 { return math.Exp(-k * k / 8) }
	dlaplace := func(k float64) float64 { return math.Exp(-0.4 * math.Abs(k)) }
	flipped := math.Exp(-0.5) / 2
	for _, c := range []struct {
		class, text string
		low, high   float64 // of the true δ
		width       float64 // of the bracket, at most
	}{
		{"NoOpDpEvent", `{"class_name": "NoOpDpEvent"}`, 0, 0, 0},
		{"NonPrivateDpEvent", `{"class_name": "NonPrivateDpEvent"}`, 1, 1, 1e-12},
		{"GaussianDpEvent", gauss1, gaussian(1), gaussian(1), 1e-6},
		{"LaplaceDpEvent", `{"class_name": "LaplaceDpEvent", "noise_multiplier": 2}`, -math.Expm1((epsilon - 0.5) / 2), -math.Expm1((epsilon - 0.5) / 2), 1e-6},
		{"DiscreteLaplaceDpEvent", `{"class_name": "DiscreteLaplaceDpEvent", "noise_parameter": 0.4, "sensitivity": 3}`,
			divergence(integers(dlaplace), integers(func(k float64) float64 { return dlaplace(k - 3) }), epsilon), math.NaN(), 1e-4},
		{"DiscreteGaussianDpEvent", `{"class_name": "DiscreteGaussianDpEvent", "sigma": 2.0, "sensitivity": 1.5, "dimension": 1}`,
			divergence(integers(dgauss), integers(func(k float64) float64 { return dgauss(k - 1) }), epsilon), math.NaN(), 1e-6},
		// In two dimensions a record moves (1, 1): two losses, bounded by the ρ of a Gaussian with μ = √2/2.
		{"DiscreteGaussianDpEvent", `["m", "DiscreteGaussianDpEvent", 2.0, 1.42, 2]`, gaussian(math.Sqrt2 / 2), math.NaN(), 1},
		{"DiscreteGaussianDpEvent", `["m", "DiscreteGaussianDpEvent", 2.0, 1.42, null]`, gaussian(math.Sqrt2 / 2), math.NaN(), 1},
		{"MixtureOfGaussiansDpEvent", `{"class_name": "MixtureOfGaussiansDpEvent", "standard_deviation": 1, "sensitivities": [0, 1, 2], "sampling_probs": [0.5, 0.3, 0.2]}`,
			divergence(none, mixed([]float64{0.5, 0.3, 0.2}, none, normal(1, 1), normal(2, 1)), epsilon), math.NaN(), 1e-4},
		{"RandomizedResponseDpEvent", `{"class_name": "RandomizedResponseDpEvent", "noise_parameter": 0.6, "num_buckets": 3}`,
			divergence([]float64{0.6, 0.2, 0.2}, []float64{0.2, 0.6, 0.2}, epsilon), math.NaN(), 1e-6},
		{"EpsilonDeltaDpEvent", `{"class_name": "EpsilonDeltaDpEvent", "epsilon": 0.5, "delta": 0.001}`, pure(0.5, 0.001), math.NaN(), 1e-6},
		{"ZCDpEvent", `{"class_name": "ZCDpEvent", "rho": 0.5, "xi": 0.0}`, gaussian(1), math.NaN(), 1},
		// The supremum over t of the responses with losses t and t − 1: (e^{1/2} − e^{ε/2})²/(e − 1).
		{"ExponentialMechanismDpEvent", `{"class_name": "ExponentialMechanismDpEvent", "epsilon": 1}`, math.Pow(math.Exp(0.5)-math.Exp(epsilon/2), 2) / (math.E - 1), math.NaN(), 0.03},
		// Two candidates with equal scores that then move apart by two, and all that 0.5-DP allows.
		{"PermuteAndFlipDpEvent", `{"class_name": "PermuteAndFlipDpEvent", "epsilon": 0.5}`, divergence([]float64{0.5, 0.5}, []float64{1 - flipped, flipped}, epsilon), pure(0.5, 0), 0.2},
		{"SelfComposedDpEvent", `{"class_name": "SelfComposedDpEvent", "count": 4, "event": ` + gauss1 + `}`, gaussian(2), math.NaN(), 1e-6},
		{"ComposedDpEvent", `{"class_name": "ComposedDpEvent", "events": [{"class_name": "GaussianDpEvent", "noise_multiplier": 0.8}, {"class_name": "GaussianDpEvent", "noise_multiplier": 0.6}]}`,
			gaussian(math.Hypot(1/0.8, 1/0.6)), math.NaN(), 1e-6},
		{"PoissonSampledDpEvent", `{"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.25, "event": ` + gauss1 + `}`,
			divergence(none, mixed([]float64{0.75, 0.25}, none, normal(1, 1)), epsilon), math.NaN(), 1e-4},
		// The record and the one that takes its place are opposite: the others are as the second, the sum moves by 2.
		{"SampledWithoutReplacementDpEvent", `{"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 8, "sample_size": 2, "event": ` + gauss1 + `}`,
			divergence(none, mixed([]float64{0.75, 0.25}, none, normal(2, 1)), epsilon), math.NaN(), 0.02},
		{"SampledWithoutReplacementDpEvent", `{"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 8, "sample_size": 2, "event": {"class_name": "ComposedDpEvent", "events": [{"class_name": "NoOpDpEvent"}, {"class_name": "SelfComposedDpEvent", "count": 4, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 2}}]}}`,
			divergence(none, mixed([]float64{0.75, 0.25}, none, normal(2, 1)), epsilon), math.NaN(), 0.02},
		// Of two records one is kept. The other one contributes −1, so that it moves the sum by 2 if it is lost.
		{"TruncatedSubsampledGaussianDpEvent", `{"class_name": "TruncatedSubsampledGaussianDpEvent", "dataset_size": 2, "sampling_probability": 0.5, "truncated_batch_size": 1, "noise_multiplier": 1}`,
			divergence(mixed([]float64{0.25, 0.375, 0.375}, none, normal(1, 1), normal(-1, 1)), mixed([]float64{0.5, 0.5}, none, normal(-1, 1)), epsilon), math.NaN(), 1},
		{"TruncatedSubsampledGaussianDpEvent", `{"class_name": "TruncatedSubsampledGaussianDpEvent", "dataset_size": 9, "sampling_probability": 0.25, "truncated_batch_size": 12, "noise_multiplier": 1}`,
			divergence(none, mixed([]float64{0.75, 0.25}, none, normal(1, 1)), epsilon), math.NaN(), 1e-4},
		{"SingleEpochTreeAggregationDpEvent", `{"class_name": "SingleEpochTreeAggregationDpEvent", "noise_multiplier": 5, "step_counts": [100, 3]}`,
			gaussian(math.Sqrt(float64(treeNodes(100))) / 5), math.NaN(), 1e-6},
		{"SingleEpochTreeAggregationDpEvent", `{"class_name": "SingleEpochTreeAggregationDpEvent", "noise_multiplier": 5, "step_counts": 64}`,
			gaussian(math.Sqrt(float64(treeNodes(64))) / 5), math.NaN(), 1e-6},
		// A score that does not look at the data releases one run.
		{"RepeatAndSelectDpEvent", `{"class_name": "RepeatAndSelectDpEvent", "mean": 10, "shape": 1, "event": ` + gauss1 + `}`, gaussian(1), math.NaN(), 1},
	} {
		if math.IsNaN(c.high) {
			c.high = c.low
		}
		t.Run(c.class, func(t *testing.T) {
			f, err := event.ReadFile([]byte(c.text), "")
			if err != nil {
				t.Fatal(err)
			}
			var adjacency event.Adjacency
			if f.Adjacency != nil {
				adjacency = *f.Adjacency
			}
			r, err := accountant.Deltas(f.Event, adjacency, epsilon, accountant.Options{Methods: []string{"best"}})
			if err != nil {
				t.Fatal(err)
			}
			if b := r[0].Bracket; !(b.Lower <= c.high+1e-6 && b.Upper >= c.low-1e-6 && b.Width() <= c.width) {
				t.Errorf("%v under %v: δ in [%v, %v], want %v to %v with a width of at most %v", f.Event, adjacency,
					b.Lower, b.Upper, c.low, c.high, c.width)
			}
		})
	}
}

// ρ of a discrete Gaussian in two dimensions that moves by (1, 1), against its Rényi divergence of order 2, which is 2ρ:
// the sum over both coordinates of log Σ P²/Q.
func TestDiscreteGaussianVectors(t *testing.T) {
	p, q := integers(func(k float64) float64 { return math.Exp(-k * k / 8) }), integers(func(k float64) float64 {
		return math.Exp(-(k - 1) * (k - 1) / 8)
	})
	sum := 0.0
	for i := range p {
		if q[i] > 0 {
			sum += p[i] * p[i] / q[i]
		}
	}
	for _, dimension := range []string{"2", "7", "null"} {
		f, err := event.ReadFile([]byte(`["m", "DiscreteGaussianDpEvent", 2.0, 1.5, `+dimension+`]`), "")
		if want := math.Log(sum); err != nil || f.Event.Kind != event.KindConcentrated || math.Abs(f.Event.A-want) > 1e-12 {
			t.Errorf("dimension %s: %v (%v), want ρ = %v", dimension, f.Event, err, want)
		}
	}
}

// A tree into which a program nested each step, and a file of more lines than the parser of YAML reads.
func TestDeepAndLong(t *testing.T) {
	const steps = 1500
	deep := strings.Repeat(`{"class_name": "ComposedDpEvent", "events": [`, steps) + gauss1 + strings.Repeat(`, `+gauss1+`]}`, steps)
	right := strings.Repeat(`{"class_name": "ComposedDpEvent", "events": [`+gauss1+`, `, steps) + gauss1 + strings.Repeat(`]}`, steps)
	long := `{"class_name": "ComposedDpEvent", "events": [` + strings.Repeat(gauss1+",\n\n\n", steps) + gauss1 + `]}`
	for _, text := range []string{deep, right, long} {
		f, err := event.ReadFile([]byte(text), "")
		if err != nil || len(f.Event.Parts) != steps+1 || f.Event.Parts[steps].Kind != event.KindGaussian {
			t.Errorf("%.60s…: %d parts (%v), want %d", text, len(f.Event.Parts), err, steps+1)
		}
	}
	wrong := strings.Replace(deep, `plier": 1`, `plier": -1`, 1)
	if _, err := event.ReadFile([]byte(wrong), ""); err == nil || !strings.Contains(err.Error(), "noise_multiplier is -1") {
		t.Errorf("a mistake deep inside: %v", err)
	}
}

// The adjacency of a tree is replace-one if dp_accounting supports a class only for replaced records.
func TestAdjacencyOfTrees(t *testing.T) {
	batch := `{"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 8, "sample_size": 2, "event": ` + gauss1 + `}`
	f, err := event.ReadFile([]byte("["+gauss1+", "+batch+"]"), "")
	if err != nil || f.Adjacency == nil || *f.Adjacency != event.ReplaceOne || !strings.Contains(strings.Join(f.Notes, " "), "replaced record") {
		t.Errorf("%+v (%v)", f, err)
	}
	if f, err = event.ReadFile([]byte(gauss1), ""); err != nil || f.Adjacency != nil {
		t.Errorf("%+v (%v)", f, err)
	}
}

// The mean number of runs, by summing Definition 1 of Papernot & Steinke (2022) with the γ that was read.
func TestMeanNumberOfRuns(t *testing.T) {
	for _, shape := range []float64{0, 0.5, 1, 2} {
		for _, mean := range []float64{1.001, 2, 30} {
			f, err := event.ReadFile(fmt.Appendf(nil, `{"class_name": "RepeatAndSelectDpEvent", "mean": %v, "shape": %v, "event": %s}`, mean, shape, gauss1), "")
			if err != nil || f.Event.Kind != event.KindSelect || f.Event.A != shape {
				t.Fatal(f.Event, err)
			}
			gamma := f.Event.B
			var sum, all float64
			for k, p := 1.0, 1.0; k < 1e5; k++ {
				sum, all = sum+k*p, all+p
				p *= (1 - gamma) * (k + shape) / (k + 1)
			}
			if got := sum / all; !(got >= mean*(1-1e-12) && got <= mean*(1+1e-10)) {
				t.Errorf("shape %v: γ = %v has a mean of %v, want %v", shape, gamma, got, mean)
			}
		}
	}
	one, err := event.ReadFile([]byte(`{"class_name": "RepeatAndSelectDpEvent", "mean": 1, "shape": 0, "event": `+gauss1+`}`), "")
	if err != nil || one.Event.Kind != event.KindGaussian {
		t.Errorf("one run: %v (%v)", one.Event, err)
	}
}

func TestClassesRefuse(t *testing.T) {
	wrap := func(class, fields string) string { return `{"class_name": "` + class + `", ` + fields + `}` }
	for _, c := range []struct{ text, want string }{
		{`{"class_name": "UnsupportedDpEvent"}`, `1:1: unsupported event: class "UnsupportedDpEvent": its author did not describe`},
		{wrap("NewDpEvent", `"x": 1`), `class "NewDpEvent" is none of ComposedDpEvent`},
		{wrap("DiscreteGaussianDpEvent", `"sigma": 2, "sensitivity": 0.5, "dimension": 1`), "sensitivity is 0.5: want a number from 1 to 1e6"},
		{wrap("DiscreteGaussianDpEvent", `"sigma": 2, "dimension": 0`), "dimension is 0: want a whole number of at least 1"},
		{wrap("DiscreteGaussianDpEvent", `"sigma": 1e5, "dimension": 1`), "for larger σ use gaussian"},
		{wrap("DiscreteGaussianDpEvent", `"sigma": 0`), "sigma is 0: want a number above 0"},
		{wrap("MixtureOfGaussiansDpEvent", `"standard_deviation": 1, "sensitivities": [1, 2], "sampling_probs": [1]`), "1 sampling_probs of 2 sensitivities"},
		{wrap("MixtureOfGaussiansDpEvent", `"standard_deviation": 1, "sensitivities": [1, 2], "sampling_probs": [0.5, 0.4]`), "the weights add up to 0.9"},
		{wrap("MixtureOfGaussiansDpEvent", `"standard_deviation": 1, "sensitivities": [], "sampling_probs": []`), "want a list of at least one number"},
		{wrap("SampledWithoutReplacementDpEvent", `"source_dataset_size": 9, "sample_size": 10, "event": `+gauss1), "10 records in a batch, it must be between 1 and 9"},
		{wrap("SampledWithoutReplacementDpEvent", `"source_dataset_size": 9, "sample_size": 2, "event": {"class_name": "NonPrivateDpEvent"}`), "want a mechanism with Gaussian noise"},
		{wrap("TruncatedSubsampledGaussianDpEvent", `"dataset_size": 9, "sampling_probability": 0.5, "truncated_batch_size": 3, "noise_multiplier": 0`), "noise_multiplier is 0: want a number above 0"},
		{wrap("SingleEpochTreeAggregationDpEvent", `"noise_multiplier": 1, "step_counts": []`), "step_counts is not a number: want a whole number"},
		{wrap("SingleEpochTreeAggregationDpEvent", `"noise_multiplier": 1, "step_counts": [-1]`), "step_counts is -1"},
		{wrap("RepeatAndSelectDpEvent", `"mean": 0.5, "shape": 1, "event": `+gauss1), "mean is 0.5: want a number of at least 1"},
		{wrap("RepeatAndSelectDpEvent", `"mean": 5, "shape": Infinity, "event": `+gauss1), "shape is Infinity"},
		{wrap("PermuteAndFlipDpEvent", `"epsilon": -1`), "epsilon is -1"},
	} {
		if f, err := event.ReadFile([]byte(c.text), ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.text, f.Event, err, c.want)
		}
	}
}
