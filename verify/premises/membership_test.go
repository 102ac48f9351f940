package premises

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
)

// A sampler returns the batches of a training on n records.
type sampler func(r *rand.Rand, n, steps int) [][]int32

// rates samples each record independently at its own rate.
func rates(rate func(record int) float64) sampler {
	return func(r *rand.Rand, n, steps int) [][]int32 {
		out := make([][]int32, steps)
		for i := range out {
			for record := range n {
				if r.Float64() < rate(record) {
					out[i] = append(out[i], int32(record))
				}
			}
		}
		return out
	}
}

func poissonSampler(q float64) sampler { return rates(func(int) float64 { return q }) }

func permutation(r *rand.Rand, n int) []int32 {
	out := make([]int32, n)
	for i, x := range r.Perm(n) {
		out[i] = int32(x)
	}
	return out
}

// drawn draws each batch without replacement.
func drawn(size int) sampler {
	return func(r *rand.Rand, n, steps int) [][]int32 {
		out := make([][]int32, steps)
		for i := range out {
			out[i] = permutation(r, n)[:size]
		}
		return out
	}
}

// replaced draws each batch with replacement.
func replaced(size int) sampler {
	return func(r *rand.Rand, n, steps int) [][]int32 {
		out := make([][]int32, steps)
		for i := range out {
			for range size {
				out[i] = append(out[i], int32(r.IntN(n)))
			}
		}
		return out
	}
}

// favored draws each batch without replacement from the other records, and adds record 17.
func favored(size int) sampler {
	return func(r *rand.Rand, n, steps int) [][]int32 {
		out := drawn(size)(r, n, steps)
		for i := range out {
			if !slices.Contains(out[i], 17) {
				out[i][0] = 17
			}
		}
		return out
	}
}

// epochs cuts the order of each epoch into batches. The last batch is smaller or dropped if the size does not divide n.
func epochs(size int, dropLast bool, order func(r *rand.Rand, n, epoch int, before []int32) []int32) sampler {
	return func(r *rand.Rand, n, steps int) (out [][]int32) {
		var now []int32
		for epoch := 0; len(out) < steps; epoch++ {
			now = order(r, n, epoch, now)
			for at := 0; at < n; at += size {
				if end := at + size; end <= n || !dropLast {
					out = append(out, now[at:min(end, n)])
				}
			}
		}
		return out[:steps]
	}
}

func shuffledOrder(r *rand.Rand, n, _ int, _ []int32) []int32 { return permutation(r, n) }

func fixedOrder(r *rand.Rand, n, epoch int, before []int32) []int32 {
	if epoch > 0 {
		return before
	}
	return permutation(r, n)
}

func positionOrder(_ *rand.Rand, n, _ int, _ []int32) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

func logOf(n int, batches [][]int32) *Log {
	l := &Log{Records: n}
	for _, b := range batches {
		l.Steps = append(l.Steps, Step{Batch: b})
	}
	return l
}

// judgeMembership returns the evidence of a log, which must follow from the stored statistics.
func judgeMembership(t *testing.T, l *Log, claim Training, alpha float64) verify.Evidence {
	t.Helper()
	trial, err := membership(l, claim).Check.Prepare(context.Background(), verify.Settings{Alpha: alpha})
	if err != nil {
		t.Fatal(err)
	}
	e, err := trial.Judge(empirical.NoTally{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Statistics.Judge(verify.Settings{Alpha: alpha})
	if err != nil || fmt.Sprintf("%+v", again.Counterexample) != fmt.Sprintf("%+v", e.Counterexample) ||
		again.Verdict != e.Verdict || again.Power != e.Power {
		t.Fatalf("statistics %s judged again: %v, %+v, want %+v", e.Statistics, err, again, e)
	}
	return e
}

func TestMembershipFalseAlarms(t *testing.T) {
	const alpha = 0.05
	claims := []struct {
		claim Training
		from  sampler
		n     int
		steps []int
	}{
		{Training{Sampling: Poisson, Rate: 0.01}, poissonSampler(0.01), 20, []int{10, 500}},
		{Training{Sampling: Poisson, Rate: 0.01}, poissonSampler(0.01), 2000, []int{10, 60}},
		{Training{Sampling: Poisson, Rate: 0.1}, poissonSampler(0.1), 200, []int{1, 40}},
		{Training{Sampling: Poisson, Rate: 0.3}, poissonSampler(0.3), 33, []int{2, 100}},
		{Training{Sampling: Poisson, Rate: 0.5}, poissonSampler(0.5), 20, []int{10, 50}},
		{Training{Sampling: Poisson, Rate: 0.9}, poissonSampler(0.9), 50, []int{10, 50}},
		{Training{Sampling: Poisson, Rate: 1}, poissonSampler(1), 20, []int{10}},
		{Training{Sampling: Poisson, Rate: 0.3}, poissonSampler(0.3), 1, []int{10, 100}},
		{Training{Sampling: WithoutReplacement, Batch: 1}, drawn(1), 20, []int{10, 100}},
		{Training{Sampling: WithoutReplacement, Batch: 7}, drawn(7), 50, []int{1, 60}},
		{Training{Sampling: WithoutReplacement, Batch: 15}, drawn(15), 20, []int{10, 60}},
		{Training{Sampling: Shuffled, Batch: 5}, epochs(5, false, shuffledOrder), 20, []int{3, 4, 30}},
		{Training{Sampling: Shuffled, Batch: 7}, epochs(7, false, shuffledOrder), 25, []int{5, 40}},
		{Training{Sampling: Shuffled, Batch: 7}, epochs(7, true, shuffledOrder), 25, []int{5, 40}},
		{Training{Sampling: Shuffled, Batch: 20}, epochs(20, true, shuffledOrder), 25, []int{2, 20}},
		{Training{Sampling: Shuffled, Batch: 1}, epochs(1, false, shuffledOrder), 10, []int{30}},
		{Training{Sampling: Fixed, Batch: 7}, epochs(7, false, fixedOrder), 25, []int{3, 40}},
		{Training{Sampling: Fixed, Batch: 7}, epochs(7, true, fixedOrder), 25, []int{3, 40}},
	}
	runs, alarms := map[Sampling]int64{}, map[Sampling]int64{}
	r := empirical.NewSeed(1).Derive("membership").Rand()
	for range testutil.Size(50, 500) {
		for _, c := range claims {
			for _, steps := range c.steps {
				e := judgeMembership(t, logOf(c.n, c.from(r, c.n, steps)), c.claim, alpha)
				runs[c.claim.Sampling]++
				if e.Verdict == verify.Refuted {
					alarms[c.claim.Sampling]++
				}
			}
		}
	}
	for sampling, n := range runs {
		if _, most := confidence.BinomialRange(n, alpha, 1e-3); alarms[sampling] > most {
			t.Errorf("%s: %d of %d sound runs refuted, want at most %d", sampling, alarms[sampling], n, most)
		}
	}
	if alarms[Fixed] > 0 {
		t.Errorf("%d fixed orders refuted", alarms[Fixed])
	}
}

func TestMembershipAlternatives(t *testing.T) {
	weighted := rates(func(record int) float64 { return 0.02 + 0.16*float64(record%100)/99 })
	canary := rates(func(record int) float64 {
		if record == 17 {
			return 0.2
		}
		return 0.1
	})
	poisson := Training{Sampling: Poisson, Rate: 0.1}
	without := Training{Sampling: WithoutReplacement, Batch: 10}
	shuffled := Training{Sampling: Shuffled, Batch: 10}
	fixed := Training{Sampling: Fixed, Batch: 10}
	oneBatch := func(r *rand.Rand, n, steps int) [][]int32 {
		return slices.Repeat(drawn(10)(r, n, 1), steps)
	}
	burst := func(r *rand.Rand, n, steps int) [][]int32 {
		return append(poissonSampler(0.1)(r, n, steps-1), poissonSampler(0.4)(r, n, 1)...)
	}
	// bufferOrder permutes within quarters of the positions.
	bufferOrder := func(r *rand.Rand, n, _ int, _ []int32) (out []int32) {
		for quarter := range 4 {
			for _, i := range r.Perm(n / 4) {
				out = append(out, int32(quarter*n/4+i))
			}
		}
		return out
	}
	batchOrder := func(r *rand.Rand, n, epoch int, before []int32) []int32 {
		if epoch == 0 {
			return permutation(r, n)
		}
		var out []int32
		for _, i := range r.Perm(n / 10) {
			out = append(out, before[10*i:10*i+10]...)
		}
		return out
	}
	for _, test := range []struct {
		claim Training
		from  sampler
		n     int
		steps int
		by    testKind // a test that refutes the claim; "" if the structure of the batches does
		want  string   // in the counterexample
	}{
		{poisson, epochs(10, false, shuffledOrder), 100, 40, windowTest, "shuffled once per epoch"},
		{poisson, epochs(10, false, shuffledOrder), 100, 10, windowTest, "shuffled or in a fixed order"},
		{poisson, epochs(10, true, shuffledOrder), 105, 40, windowTest, "shuffled once per epoch"},
		{poisson, epochs(10, false, fixedOrder), 100, 20, overlapTest,
			"fixed batches in the same order: steps at a distance of 10"},
		{poisson, epochs(10, false, positionOrder), 100, 20, neighborTest, "contiguous positions; fixed batches"},
		{poisson, epochs(100, false, fixedOrder), 1000, 20, overlapTest, "fixed batches in the same order"},
		{poisson, drawn(10), 100, 40, sizeSpread, "drawn without replacement, of fixed size: the batches have 10 to 10"},
		{poisson, favored(10), 100, 300, inclusionTest, "of fixed size: the batches have 10 to 10 records; a record treated"},
		{poisson, replaced(10), 100, 40, "", "with replacement: step"},
		{poisson, weighted, 100, 200, recordSpread, "weighted: record"},
		{poisson, weighted, 100, 2000, neighborTest, "weighted: record"},
		{poisson, oneBatch, 100, 40, overlapTest, "one batch repeated in each step"},
		{without, oneBatch, 100, 40, overlapTest, "one batch repeated in each step"},
		{poisson, canary, 100, 500, inclusionTest, "a record treated differently: record 17 is in"},
		{poisson, poissonSampler(0.13), 100, 200, rateTest, "another sampling rate, 0.1"},
		{poisson, burst, 100, 40, sizeTest, "a rate that varies between steps"},
		{Training{Sampling: Poisson, Rate: 1}, poissonSampler(0.99), 100, 20, "", "batches of another size: step"},
		{without, poissonSampler(0.1), 100, 40, "", "as in Poisson sampling: step"},
		{without, epochs(10, false, shuffledOrder), 100, 40, windowTest, "shuffled once per epoch"},
		{without, epochs(10, false, fixedOrder), 100, 20, overlapTest, "fixed batches in the same order"},
		{without, epochs(10, false, positionOrder), 100, 20, neighborTest, "contiguous positions"},
		{without, favored(10), 100, 300, inclusionTest, "weighted: record 17 is in 300 of 300 steps"},
		{without, replaced(10), 100, 20, "", "with replacement"},
		{shuffled, epochs(10, false, fixedOrder), 100, 20, halfTest, "fixed batches in the same order"},
		{shuffled, epochs(10, false, bufferOrder), 1000, 300, halfTest, "shuffled within parts of the data"},
		{shuffled, epochs(10, false, batchOrder), 100, 30, batchTest, "the same batches in another order"},
		{shuffled, epochs(10, false, positionOrder), 100, 20, batchTest, "fixed batches in the same order"},
		{shuffled, epochs(10, false, positionOrder), 1000, 100, halfNeighbors, "depend on the positions"},
		{shuffled, drawn(10), 100, 20, "", "independent batches"},
		{shuffled, poissonSampler(0.1), 100, 20, "", "as in Poisson sampling: step"},
		{fixed, epochs(10, false, shuffledOrder), 100, 20, "", "batches change between epochs"},
		{fixed, drawn(10), 100, 20, "", "independent batches"},
	} {
		r := empirical.NewSeed(2).Derive("membership").Rand()
		l := logOf(test.n, test.from(r, test.n, test.steps))
		e := judgeMembership(t, l, test.claim, 0.01)
		if e.Verdict != verify.Refuted || e.Exact != (test.by == "") || !strings.Contains(e.Counterexample.Label, test.want) {
			t.Errorf("claimed %+v: %s, %q (%s), want refuted with %q", test.claim, e.Verdict, e.Counterexample.Label,
				e.Counterexample.Choice, test.want)
		}
		if test.by == recordSpread && e.Counterexample.Claimed.X != 20 {
			t.Errorf("the counterexample has %v for the inclusions of a record, want 20", e.Counterexample.Claimed)
		}
		if test.by != "" && !refutedBy(collectMembership(l, test.claim), test.by, 0.01) {
			t.Errorf("claimed %+v: %q is not refuted by the test of the %s", test.claim, test.want, test.by)
		}
	}
}

// refutedBy reports whether the tests of one kind refute the claim.
func refutedBy(f membershipStatistics, kind testKind, alpha float64) bool {
	list := f.findings()
	return slices.ContainsFunc(list, func(x finding) bool { return x.kind == kind && x.p <= alpha/float64(len(list)) })
}

func TestMembershipPower(t *testing.T) {
	for _, test := range []struct {
		claim Training
		from  sampler
		steps int
		want  verify.Verdict
		text  string // in the power, the needed size or the attempt
	}{
		{Training{Sampling: Poisson, Rate: 0.1}, poissonSampler(0.1), 100, verify.Consistent, "one record sampled at a rate of at least"},
		{Training{Sampling: Poisson, Rate: 0.1}, poissonSampler(0.1), 1, verify.Inconclusive, "about 7 steps would"},
		{Training{Sampling: Poisson, Rate: 2e-4}, poissonSampler(0), 5, verify.Inconclusive, "a sampler without any records; about"},
		{Training{Sampling: WithoutReplacement, Batch: 10}, drawn(10), 40, verify.Consistent, "a fixed order of batches"},
		{Training{Sampling: Shuffled, Batch: 10}, epochs(10, false, shuffledOrder), 40, verify.Consistent, "a fixed order of batches"},
		{Training{Sampling: Shuffled, Batch: 10}, epochs(10, false, shuffledOrder), 10, verify.Inconclusive, "about 11 steps would"},
		{Training{Sampling: Fixed, Batch: 10}, epochs(10, false, fixedOrder), 19, verify.Inconclusive, "two epochs, 20 steps"},
		{Training{Sampling: Fixed, Batch: 10}, epochs(10, false, fixedOrder), 20, verify.Holds, "equal"},
		{Training{Sampling: Poisson, Rate: 1}, poissonSampler(1), 3, verify.Holds, "includes each record"},
	} {
		r := empirical.NewSeed(3).Derive("membership").Rand()
		e := judgeMembership(t, logOf(100, test.from(r, 100, test.steps)), test.claim, 0.01)
		if e.Tried.Margin.Set && e.Tried.Margin.X < 0 {
			t.Errorf("claimed %+v: %s with the margin %v", test.claim, e.Verdict, e.Tried.Margin)
		}
		if e.Verdict != test.want || !strings.Contains(e.Power+e.Needed+e.Attempt, test.text) {
			t.Errorf("claimed %+v: %s, %s | %s | %s, want %s with %q", test.claim, e.Verdict, e.Power, e.Needed, e.Attempt,
				test.want, test.text)
		}
	}
}

// One record at the stated rate must be refuted with probability at least 0.99.
func TestMembershipDetectsStatedRates(t *testing.T) {
	const n, steps, runs, alpha = 20, 200, 300, 0.05
	r := empirical.NewSeed(5).Derive("membership").Rand()
	low, high := recordRates(steps, 0.3, alpha/8/(2*n))
	for _, rate := range []float64{low, high} {
		from := rates(func(record int) float64 {
			if record == 7 {
				return rate
			}
			return 0.3
		})
		detected := int64(0)
		for range runs {
			e := judgeMembership(t, logOf(n, from(r, n, steps)), Training{Sampling: Poisson, Rate: 0.3}, alpha)
			if e.Verdict == verify.Refuted {
				detected++
			}
		}
		if least, _ := confidence.BinomialRange(runs, verify.TargetPower, 1e-3); detected < least || rate <= 0 || rate >= 1 {
			t.Errorf("rate %v: detected in %d of %d runs, want at least %d", rate, detected, runs, least)
		}
	}
}

func TestPremisesNameMembership(t *testing.T) {
	p := membership(logOf(10, [][]int32{{1}}), Training{Sampling: Poisson, Rate: 0.1})
	if p.Name != "membership" || p.Statement != "each step includes each record independently with probability 0.1" {
		t.Errorf("premise %q: %s", p.Name, p.Statement)
	}
}

func TestMembershipStatisticsCheck(t *testing.T) {
	r := empirical.NewSeed(4).Derive("membership").Rand()
	poisson := collectMembership(logOf(100, poissonSampler(0.1)(r, 100, 40)), Training{Sampling: Poisson, Rate: 0.1})
	shuffled := collectMembership(logOf(100, epochs(10, false, shuffledOrder)(r, 100, 40)),
		Training{Sampling: Shuffled, Batch: 10})
	broken := collectMembership(logOf(100, replaced(10)(r, 100, 40)), Training{Sampling: Poisson, Rate: 0.1})
	for _, f := range []membershipStatistics{poisson, shuffled, broken} {
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
	}
	for i, change := range []func() membershipStatistics{
		func() membershipStatistics { f := poisson; f.Sampling = "other"; return f },
		func() membershipStatistics { f := poisson; f.Rate = 1.5; return f },
		func() membershipStatistics { f := poisson; f.Records = 0; return f },
		func() membershipStatistics { f := poisson; f.Steps = -1; return f },
		func() membershipStatistics { f := poisson; f.Members = 40 * 100; return f },
		func() membershipStatistics { f := poisson; f.Sizes[1].Count = 101; return f },
		func() membershipStatistics { f := poisson; f.Sizes[0].At = 41; return f },
		func() membershipStatistics { f := poisson; f.Inclusions[0].At = 100; return f },
		func() membershipStatistics { f := poisson; f.Inclusions[1].Count = 41; return f },
		func() membershipStatistics { f := poisson; f.SizeSpread = math.NaN(); return f },
		func() membershipStatistics { f := poisson; f.RecordSpread = 1e9; return f },
		func() membershipStatistics { f := poisson; f.Unseen = -1; return f },
		func() membershipStatistics { f := poisson; f.Neighbors = 2001; return f },
		func() membershipStatistics { f := poisson; f.Overlaps[0].Lag = 40; return f },
		func() membershipStatistics { f := poisson; f.Overlaps[1].Mean = math.Inf(1); return f },
		func() membershipStatistics { f := poisson; f.Epochs = shuffled.Epochs; return f },
		func() membershipStatistics { f := shuffled; f.Epochs = nil; return f },
		func() membershipStatistics { f := shuffled; f.Epochs = &epochCounts{Length: 12}; return f },
		func() membershipStatistics { f := shuffled; f.Epochs = &epochCounts{Length: 10, Common: 11}; return f },
		func() membershipStatistics { f := broken; f.Broken = &breach{Kind: "other", Step: 1}; return f },
		func() membershipStatistics { f := broken; f.Broken = &breach{Kind: recordTwice, Step: 41}; return f },
		func() membershipStatistics {
			f := broken
			f.Broken = &breach{Kind: otherOrder, Step: 1, Other: 1}
			return f
		},
		func() membershipStatistics {
			f := poisson
			f.Rate, f.Epochs = 1, nil
			return f
		},
	} {
		if f := change(); f.Check() == nil {
			t.Errorf("change %d: no error for %+v", i, f)
		}
	}
}
