// Package recompute recomputes the evidence for a claim from its sufficient statistics, without a mechanism or samples.
//
//	recompute.go   evidence from sufficient statistics
//	figures.go     contradictions between the figures of evidence that cannot be recomputed
//
// Recomputed evidence shows that verdicts, intervals, powers and texts follow from the statistics. Only another run can
// show that the statistics come from the mechanism.
package recompute

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/replay"
	"github.com/dpverify/dpverify/verify/sensitivity"
	"github.com/dpverify/dpverify/verify/training"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// method recomputes the evidence from a basis.
type method func(verify.SufficientStatistics, verify.Settings) (verify.Evidence, error)

// methodOf returns the method with a name.
func methodOf(name string) (method, bool) {
	m, known := map[string]method{
		privacy.AuditMethod:      privacy.Recompute,
		privacy.SampledMethod:    privacy.RecomputeSampled,
		privacy.AnytimeMethod:    privacy.RecomputeAnytime,
		privacy.UntestedMethod:   privacy.RecomputeUntested,
		mean.RateMethod:          mean.RecomputeRate,
		mean.UnbiasedMethod:      mean.RecomputeUnbiased,
		mean.StatedMethod:        mean.RecomputeStated,
		mean.CompareMethod:       mean.RecomputeCompare,
		distribution.Method:      distribution.Recompute,
		training.OneRunMethod:    training.RecomputeOneRun,
		training.MultiRunMethod:  training.RecomputeMultiRun,
		worstcase.Method:         worstcase.Recompute,
		sensitivity.PairsMethod:  sensitivity.RecomputePairs,
		replay.Method:            replay.Recompute,
		accounting.Method:        accounting.Recompute,
		accounting.AgainstMethod: around(accounting.RecomputeAgainst),
		outputs.RecordedMethod:   around(outputs.RecomputeRecorded),
	}[name]
	return m, known
}

// around returns the method of a check that adds to the evidence of another check and stores that check's basis.
func around(m func(verify.SufficientStatistics, verify.Settings, func(verify.SufficientStatistics,
	verify.Settings) (verify.Evidence, error)) (
	verify.Evidence, error)) method {
	return func(b verify.SufficientStatistics, s verify.Settings) (verify.Evidence, error) {
		return m(b, s, Evidence)
	}
}

// ErrUnknown is wrapped by the error for a basis whose method this version does not have.
var ErrUnknown = errors.New("this version has no method")

// Evidence returns the evidence that follows from a basis, at the claim's alpha and the budget of its run. It uses no
// other settings. Errors name a statistic that is out of its domain, or wrap [ErrUnknown].
func Evidence(b verify.SufficientStatistics, s verify.Settings) (verify.Evidence, error) {
	judge, known := methodOf(b.Method)
	if !known {
		return verify.Evidence{}, fmt.Errorf("%w %q", ErrUnknown, b.Method)
	}
	if b.Share != 0 {
		if !(b.Share > 0 && b.Share <= 1) {
			return verify.Evidence{}, fmt.Errorf("share %v: want a share in (0, 1]", b.Share)
		}
		s.Alpha *= b.Share
	}
	e, err := judge(b, s)
	switch {
	case err != nil:
		return e, err
	case e.Exact && b.Share != 0:
		return e, fmt.Errorf("share %v: want no share, since nothing was sampled", b.Share)
	}
	e.Warnings = append(e.Warnings, b.Noted...)
	e.Unseeded = e.Unseeded || b.Unseeded
	e.Statistics = &b
	return e, nil
}

// Difference is a place at which a report differs from itself or from the claims.
type Difference struct {
	Field      string `json:"field"`
	Stored     string `json:"stored"`
	Recomputed string `json:"recomputed"`
}

// rounding is what another machine may make of a figure, relative to it.
const rounding = 1e-9

// AlmostEqual reports whether two figures are equal up to rounding.
func AlmostEqual(a, b float64) bool {
	switch {
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= rounding*math.Max(math.Abs(a), math.Abs(b))+1e-15
}
