package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
)

// groups are the kinds of checks with their cases. Add a new kind here.
var groups = []struct {
	kind, about string
	cases       func() []Case
}{
	{"audit", "Black-box audits that search for an event, with a fixed number of samples. True claims are " +
		"the exact guarantees of the mechanisms.", auditCases},
	{"anytime", "Sequential black-box audits, which stop when the evidence is sufficient. They err less " +
		"often on true claims than alpha permits.", anytimeCases},
	{"evidence", fmt.Sprintf("Each project adds up the evidence of black-box audits over %d nightly runs, with %d "+
		"samples of each input per run. ", projectNights, projectSamples) + "Some events occur on random nights: the " +
		"version changes, the evidence file is lost and the next start begins, a second machine begins to collect, or " +
		"its runs are merged. A project is refuted if on any night the evidence refutes the present version. True " +
		"claims hold with equality on every night. The last row has a fault in the procedure: each run draws its " +
		"samples 8 times and adds the draw with the largest evidence, so the factors depend on the samples.",
		evidenceCases},
	{"curves", "Audits of whole privacy curves, at the true curve and below it: with a fixed number of " +
		"samples, sequential, and sequential with few samples.", curveCases},
	{"bands", "Simultaneous bounds of the privacy curve and of the trade-off function, at the truth. A run " +
		"is counted as refuted if a bound is false at any point.", bandCases},
	{"hidden", "Leaks that audits promise to detect. A mark on a few outputs reveals information about the " +
		"input. Outputs without the mark either reveal nothing or have exactly the claimed privacy loss. By " +
		"default the claim is ε = 1. The name of a row gives the privacy loss of the mark. If the evidence " +
		"states that a large violation of the leak's probability would have been detected, no run may confirm " +
		"the claim. If the mark has only the claimed privacy loss, the claim is true and must not be refuted.",
		hiddenCases},
	{"canaries", "Audits of training runs by the scores of canaries, which independent bits include. True " +
		"claims are at the ε that randomized response attains, or at the true μ. An adversary chose some " +
		"scores. Multi-run audits have 30 scores with the record and 30 without it.", canaryCases},
	{"precision", "Audits of low-order bits: noise on a grid, which has no leak, and textbook floating-point " +
		"noise.", precisionCases},
	{"events", "Privacy on given events, one of which attains the claim.",
		eventCases},
	{"laws", "Privacy losses of known distributions, drawn again in every run. True claims hold with " +
		"equality. Faults are relative, log-uniform from 1e-9 up.", lawCases},
	{"unbiasedness", "Means of random vectors: distributions of two points, rare large values, private " +
		"sampling, and means orthogonal to x, with a new direction in each run. The effect is the difference that " +
		"the check is set to detect.", unbiasedCases},
	{"stated", "Stated means, by a range or by a bound on the variance, stated distributions, and " +
		"sensitivities over pairs of any inputs. The effect is the difference that the check is set to " +
		"detect.", statedCases},
	{"found", "Privacy audits at the pair of neighbors, and checks of means and distributions at the input, that " +
		"an input search selects. Search and check share one number of samples. True claims hold with equality " +
		"at many inputs.", foundCases},
	{"sensitivity", "Adversarial search on maps and domains that every run draws. The sensitivity is known, " +
		"and claimed to the last digit.", sensitivityCases},
	{"replay", "Record and replay of releases that every run draws, with 60 pairs from a space of pairs. " +
		"True claims hold to the last digit of the declared or claimed number. Faults lower this number by " +
		"0.01 % to 30 %.", replayCases},
	{"rate", "Means over a grid: at their bound, on a power law, and against a bare O(·), which no sample " +
		"refutes. If the range of the values is unknown, the check confirms by Student's limit, which is a " +
		"model. It errs at most with probability alpha on normal values, and more often on few and skewed " +
		"ones. In a finite range the check uses no model: false claims include values that are rare and " +
		"large.", rateCases},
	{"compare", "Orders of random quantities that have no order, and of training algorithms on synthetic " +
		"rows.", compareCases},
	{"relation", "Formulas on both sides of identities at points that every run draws. False claims have a " +
		"fault at one of the points, relative, log-uniform from 1e-10 up.", relationCases},
	{"printed", "Tables that every run draws and rounds as papers round, ties in either direction. In false " +
		"claims one number was changed.", printedCases},
	{"significance", "Significance of reported results, at level α. False claims are about methods that do " +
		"not differ, true ones about methods that differ clearly.", significanceCases},
	{"accounting", "Accounted (ε, δ) of compositions that every run draws, compared with their " +
		"distributions, their samples and each other.", accountingCases},
}

// must returns v and panics on an error, for constructors with constant arguments.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// drawn returns a check that draws a new instance in every run.
func drawn(build func(r *rand.Rand) (verify.Check, error)) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		check, err := build(s.Stream("instance"))
		if err != nil {
			return nil, err
		}
		return check.Prepare(ctx, s)
	})
}

// exactCase returns a case of a check that computes exactly, with a new instance in every run.
func exactCase(name string, isTrue bool, build func(r *rand.Rand) (verify.Check, error)) Case {
	return Case{Name: name, isTrue: isTrue, exact: true, check: drawn(build)}
}

// exactPair returns a case with a true claim, and one with a fault, whose name contains the fault.
func exactPair(name, fault string, build func(r *rand.Rand, isTrue bool) (verify.Check, error)) []Case {
	half := func(name string, isTrue bool) Case {
		return exactCase(name, isTrue, func(r *rand.Rand) (verify.Check, error) { return build(r, isTrue) })
	}
	return []Case{half(name, true), half(name+", "+fault, false)}
}

// logUniform draws from [low, high], both above 0.
func logUniform(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}

// between draws an integer from {low, …, high}.
func between(r *rand.Rand, low, high int) int { return low + r.IntN(high-low+1) }

// releaseFunc is a mechanism given by its Release function.
type releaseFunc[D, O any] func(*rand.Rand, D) (O, error)

func (f releaseFunc[D, O]) Release(r *rand.Rand, input D) (O, error) { return f(r, input) }
