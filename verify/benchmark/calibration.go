package benchmark

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Case is a check on a claim whose truth is known.
type Case struct {
	Name  string
	True  bool // the claim holds, with equality: the worst case of a test
	Check verify.Check
}

// CalibrationRow is how often a check refuted over its runs.
type CalibrationRow struct {
	Name     string        `json:"check"`
	True     bool          `json:"claim_true"`
	Alpha    float64       `json:"alpha"`
	Runs     int64         `json:"runs"`
	Refuted  int64         `json:"refuted"`
	Lower    verify.Number `json:"lower"` // exact 99.9 % interval of the rate
	Upper    verify.Number `json:"upper"`
	Expected string        `json:"expected"`
}

// Calibrated tells whether the rate agrees with what is stated: at most alpha
// where the claim is true, at least 99 % where it is false, as far as the interval can tell.
func (r CalibrationRow) Calibrated() bool {
	if r.True {
		return r.Lower.X <= r.Alpha
	}
	return r.Upper.X >= 0.99
}

// CalibrationOptions of a calibration.
type CalibrationOptions struct {
	Alpha    float64
	Runs     int
	Seed     empirical.Seed
	Pool     *empirical.Pool
	Progress func(done, of int) // may be nil
}

// Calibrate runs every case and counts refutations.
func Calibrate(ctx context.Context, cases []Case, o CalibrationOptions) ([]CalibrationRow, error) {
	var rows []CalibrationRow
	done := 0
	var mu sync.Mutex
	for _, c := range cases {
		refuted := int64(0)
		errs := make([]error, o.Runs)
		var runs sync.WaitGroup
		slots := make(chan struct{}, o.Pool.Size())
		for i := range o.Runs {
			slots <- struct{}{}
			runs.Go(func() {
				defer func() { <-slots }()
				settings := verify.Settings{Budget: verify.Standard, Alpha: o.Alpha, Seed: o.Seed.Derive("calibration", c.Name, strconv.Itoa(i))}
				e, err := verify.Judge(ctx, c.Check, settings, o.Pool, nil)
				mu.Lock()
				defer mu.Unlock()
				errs[i] = err
				if e.Verdict == verify.Refuted {
					refuted++
				}
				if done++; o.Progress != nil {
					o.Progress(done, o.Runs*len(cases))
				}
			})
		}
		runs.Wait()
		for _, err := range errs {
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		lower, upper, err := empirical.ClopperPearson(refuted, int64(o.Runs), 1e-3)
		if err != nil {
			return nil, err
		}
		row := CalibrationRow{Name: c.Name, True: c.True, Alpha: o.Alpha, Runs: int64(o.Runs), Refuted: refuted, Lower: verify.Num(lower), Upper: verify.Num(upper)}
		if row.Expected = "at most alpha"; !c.True {
			row.Expected = "at least 99 %"
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Cases are the privacy checks on true claims, at equality, and on twins with a
// known fault: fixed sample size and anytime, on scalar, vector and discrete
// outputs, all with adaptive witnesses; and the given-event check.
func Cases() ([]Case, error) {
	var out []Case
	const eps = 1.0
	laplace, err1 := mechanism.NewLaplace(1 / eps)
	half, err2 := broken.NewHalfScaleLaplace(eps, 1)
	histogram, err3 := mechanism.NewNoisyHistogram(1 / eps)
	inverted, err4 := mechanism.NewNoisyHistogram(1 / (2 * eps))
	response, err5 := mechanism.NewKaryResponse(3, eps)
	doubled, err6 := mechanism.NewKaryResponse(3, 2*eps)
	gauss, err7 := mechanism.NewGaussian(1)
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
		if err != nil {
			return nil, err
		}
	}
	scalar := []verify.Neighbours[float64]{{Name: "0 and 1", A: 0, B: 1}}
	vector := []verify.Neighbours[[]float64]{
		{Name: "first 0 and 1", A: fill(3, 0), B: withFirst(fill(3, 0), 1)},
		{Name: "first 5 and 4", A: withFirst(fill(3, 0), 5), B: withFirst(fill(3, 0), 4)},
	}
	symbols := []verify.Neighbours[int]{{Name: "0 and 1", A: 0, B: 1}, {Name: "1 and 2", A: 1, B: 2}}
	pure := verify.ApproximateDP(eps, 0)
	for _, anytime := range []bool{false, true} {
		mode := "fixed"
		if anytime {
			mode = "anytime"
		}
		out = append(out,
			audited(mode+", scalar", true, laplace, scalar, pure, anytime),
			audited(mode+", scalar at twice ε", false, half, scalar, pure, anytime),
			audited(mode+", vector", true, histogram, vector, pure, anytime),
			audited(mode+", vector at twice ε", false, inverted, vector, pure, anytime),
			audited(mode+", discrete", true, response, symbols, pure, anytime),
			audited(mode+", discrete at twice ε", false, doubled, symbols, pure, anytime),
		)
	}
	return append(out,
		audited("fixed, scalar, μ-GDP", true, gauss, scalar, verify.GaussianDP(1), false),
		audited("fixed, scalar, μ-GDP at half μ", false, gauss, scalar, verify.GaussianDP(0.5), false),
		audited("fixed, scalar, ρ-zCDP", true, gauss, scalar, verify.ZeroConcentratedDP(0.5), false),
		audited("fixed, scalar, ρ-zCDP at a ninth", false, gauss, scalar, verify.ZeroConcentratedDP(0.5/9), false),
		Case{Name: "given events", True: true, Check: givenEvents(laplace)},
		Case{Name: "given events at twice ε", True: false, Check: givenEvents(half)},
	), nil
}

func audited[D, O any](name string, isTrue bool, m verify.Mechanism[D, O], pairs []verify.Neighbours[D], g verify.Guarantee, anytime bool) Case {
	return Case{name, isTrue, verify.Audit[D, O]{Mechanism: m, Pairs: pairs, Guarantee: g, Samples: 4000, Anytime: anytime}}
}

// givenEvents tests the event that decides: the half-line beyond the larger input.
func givenEvents(m verify.Mechanism[float64, float64]) verify.Check {
	return verify.SampledPrivacy[float64, float64]{
		Samples: 4000, Effect: 1.5,
		Cells: []verify.PrivacyCell[float64, float64]{{
			At: "0 and 1", Mechanism: m, A: 1, B: 0, Epsilon: 1,
			Events: []verify.Event[float64]{
				{Name: "output ≥ 1", Holds: func(o float64) bool { return o >= 1 }},
				{Name: "output ≤ 0", Holds: func(o float64) bool { return o <= 0 }},
			},
		}},
	}
}
