package calibration

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
)

// groups are the kinds of checks with their cases. A kind is added here.
var groups = []struct {
	kind, about string
	cases       func() []Case
}{
	{"audit", "Audits of black boxes whose events are searched for, of fixed sample size. True claims are the exact " +
		"guarantees of the mechanisms.", auditCases},
	{"anytime", "The same, stopped when the evidence suffices; they certify by betting, which costs more than it " +
		"must on true claims.", anytimeCases},
	{"curves", "Audits of claims that are whole privacy curves, at the truth and below it, of a fixed number of " +
		"samples, by " +
		"betting, and by betting on few samples.", curveCases},
	{"bands", "Certified bounds of a whole privacy curve and of the trade-off function, at the truth at all places at " +
		"once: " +
		"refuted is one that is false at any.", bandCases},
	{"hidden", "Leaks that audits promise to see: a mark on a few outputs betrays the input, and all else is public or " +
		"at the claim. Where the evidence says that a gross violation of the leak's mass would have been seen, no run may " +
		"confirm the claim; the same leak at the claim is not to be refuted. The claim is ε = 1 unless told, and the loss " +
		"of the mark is named.", hiddenCases},
	{"canaries", "Audits of training runs by the scores of canaries, of whom a coin of its own includes each. True " +
		"claims are at their ε, where randomized response attains it, or at their μ; some scores were chosen by an " +
		"adversary. Many runs have 30 scores of either world.", canaryCases},
	{"precision", "Audits of low-order bits: noise on a grid, which has none, and textbook floating-point noise.",
		precisionCases},
	{"events", "Privacy on given events, one of which attains the claim.", eventCases},
	{"laws", "Privacy losses of known laws, drawn anew in every run. True claims hold with equality; faults are " +
		"relative, log-uniform from 1e-9 up.", lawCases},
	{"unbiasedness", "Means of random vectors: laws of two points, rare large values, private sampling, and means " +
		"across x in directions drawn anew in every run. The effect is the deviation that the check is set to see.",
		unbiasedCases},
	{"stated", "Stated means, by a range or by a bound on the variance, stated laws, and sensitivities over pairs of " +
		"any inputs. The effect is the deviation that the check is set to see.", statedCases},
	{"found", "Audits on the pair of neighbours, and means at the input, that a search finds among those of a space, " +
		"within the same samples. True claims hold with equality at many inputs.", foundCases},
	{"sensitivity", "Adversarial search on maps and domains drawn anew in every run, whose sensitivity is known and " +
		"claimed to the last digit.", sensitivityCases},
	{"replay", "Releases that are recorded and replayed, drawn anew in every run with the space of their pairs, of " +
		"which 60 are searched. True claims hold to the last digit of what is declared or claimed; what is lowered is so " +
		"by " +
		".01 % to 30 %.",
		replayCases},
	{"rate", "Means over a grid: at their bound, on a power law, and against a bare O(·), which no sample refutes. " +
		"Where the range of the values is unknown, what confirms is Student's limit, a model: it is held to alpha on " +
		"normal values, and errs more often on few and skewed ones. In a finite range nothing rests on a model: values " +
		"that are rare and large are among the false claims.", rateCases},
	{"compare", "Orders of random quantities that have none, and of trainings of learners on synthetic rows.",
		compareCases},
	{"relation", "Formulas on both sides of identities at points drawn anew in every run, with and without a fault at " +
		"one of the points, relative, log-uniform from 1e-10 up.", relationCases},
	{"printed", "Printed tables drawn anew in every run and rounded as papers round, ties either way; one number of the " +
		"faulty ones was changed.", printedCases},
	{"significance", "Significance of printed results, at level α. False claims are about methods that do not differ, " +
		"true ones about methods that differ plainly.", significanceCases},
	{"accounting", "Accounted (ε, δ) of compositions drawn anew in every run, against their laws, their " +
		"samples and each other.", accountingCases},
}

// must returns a value of the tables, whose constructor gets constants.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// drawn is a check on an instance of its own in every run.
func drawn(build func(r *rand.Rand) (verify.Check, error)) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		check, err := build(s.Stream("instance"))
		if err != nil {
			return nil, err
		}
		return check.Prepare(ctx, s)
	})
}

// exactCase is a check that computes, on an instance of its own in every run.
func exactCase(name string, isTrue bool, build func(r *rand.Rand) (verify.Check, error)) Case {
	return Case{Name: name, isTrue: isTrue, exact: true, check: drawn(build)}
}

// exactPair is a true claim, and the same with its fault, which its name gets.
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

// releaseFunc is a mechanism made of its Release.
type releaseFunc[D, O any] func(*rand.Rand, D) (O, error)

func (f releaseFunc[D, O]) Release(r *rand.Rand, input D) (O, error) { return f(r, input) }
