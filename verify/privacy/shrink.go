package privacy

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// PairAudit is an audit that also searches for the pairs of inputs. If it refutes the claim, it searches for the
// smallest pair on which it can certify a violation (shrinking, as in property-based testing).
//
// It splits alpha in advance: [AuditShare] of it for the audit of the chosen pairs, and the rest in equal parts for
// the certificates of the shrinking, of which there are at most [ShrinkCertificates]. Each certificate draws new
// samples, so it is wrong with probability at most its share, whatever was found before. By the union bound, any of
// them is wrong with probability at most alpha.
type PairAudit[D, O any] struct {
	// Audit holds the mechanism, the claim and the settings. Its Pairs are always audited, and may be
	// empty.
	Audit Audit[D, O]
	// Proposed holds further pairs. If there are more than eight, or a Space, the audit uses the pairs for
	// which a small sample predicts the largest certified value.
	Proposed []inputs.Pair[D]
	// Space generates pairs: edge pairs, neighbors of a pair for the local search, and smaller pairs for
	// shrinking. May be nil.
	Space inputs.PairSpace[D]
	// Smaller returns pairs simpler than p, boldest steps first. It is used if the space has none. Every
	// chain of smaller pairs must end. May be nil.
	Smaller func(p inputs.Pair[D]) []inputs.Pair[D]
}

const (
	// AuditShare is the share of alpha for the audit of the chosen pairs.
	AuditShare = 0.5
	// ShrinkCertificates is the maximum number of certificates of the shrinking. The rest of alpha is
	// divided equally among them, whether they are used or not.
	ShrinkCertificates = 64
)

// Finding is the outcome of a PairAudit.
type Finding[D any] struct {
	verify.Evidence         // of the smallest pair if there is one, else of the audit
	Event           string  // certified event, as text
	Swapped         bool    // the event is likelier under B of the smallest pair
	Alpha           float64 // error probability of the whole finding
	// Pairs holds the audited pairs.
	Pairs []inputs.Pair[D]
	// Smallest is the smallest pair on which a violation was certified separately. It is nil if there is no
	// violation, or only one of several pairs together.
	Smallest *inputs.Pair[D]
	// Certificates is the number of certificates that the shrinking tried.
	Certificates int
}

// Check returns an error that names the parameter outside its domain.
func (p PairAudit[D, O]) Check() error {
	pairs := slices.Concat(p.Audit.Pairs, p.Proposed)
	if p.Space != nil {
		if err := p.Space.Check(); err != nil {
			return err
		}
	} else if len(pairs) == 0 {
		return errNoPairs
	}
	if err := inputs.CheckPairs(pairs); err != nil {
		return err
	}
	return p.Audit.checkHow()
}

// Judge searches for pairs, audits them, and shrinks a violation. It returns an error for an invalid parameter, a
// failing mechanism or a canceled context.
func (p PairAudit[D, O]) Judge(ctx context.Context, s verify.Settings, pool *empirical.Pool) (Finding[D], error) {
	s.Pool = pool
	f := Finding[D]{Alpha: s.Alpha}
	if err := p.Check(); err != nil {
		return f, err
	}
	var repeats string
	p.Audit.Pairs, repeats = inputs.MergedPairs(p.Audit.Pairs)
	pairs, err := empirical.Do(ctx, pool, func(ctx context.Context) ([]inputs.Pair[D], error) {
		return p.candidates(ctx, s.Part(AuditShare, "candidates"))
	})
	if err != nil {
		return f, fmt.Errorf("choosing pairs: %w", err)
	}
	f.Pairs = pairs
	c, err := p.certify(ctx, pairs, s.Part(AuditShare, "audit"), pool)
	if err != nil {
		return f, err
	}
	f.take(c)
	if f.Verdict == verify.Refuted {
		shrink[D, O]{p, s, pool, &f, map[string]bool{}}.run(ctx, pairs, c)
		if f.Smallest != nil {
			f.Diagnosis.Pair = "A = " + diagnosis.InputText(f.Smallest.A) + ", B = " + diagnosis.InputText(f.Smallest.B)
			f.Diagnosis.Smallest = true
			f.Counterexample.Choice = fmt.Sprintf("the smallest pair on which a separate certificate shows a violation, "+
				"of %s tried",
				verify.Plural(1+f.Certificates, "pair"))
		}
	}
	if repeats != "" {
		f.Warnings = append(f.Warnings, repeats)
	}
	return f, nil
}

// take stores a certificate in the finding. A certificate of several pairs together has no smallest pair.
func (f *Finding[D]) take(c certificate[D]) {
	before := f.Diagnosis
	f.Evidence, f.Event, f.Swapped, f.Smallest = c.Evidence, c.event, c.swapped, nil
	if f.Statistics != nil && f.Statistics.Reason == "" {
		f.Statistics.Share = c.alpha / f.Alpha
	}
	if len(c.pairs) == 1 && c.Verdict == verify.Refuted {
		f.Smallest = &c.pairs[0]
	}
	f.Diagnosis.Keep(before)
}

// certificate is the evidence of an audit with its pairs.
type certificate[D any] struct {
	verify.Evidence
	alpha   float64 // alpha of the certificate
	pairs   []inputs.Pair[D]
	event   string
	swapped bool
}

// certify audits distinct pairs on new samples.
func (p PairAudit[D, O]) certify(ctx context.Context, pairs []inputs.Pair[D], s verify.Settings,
	pool *empirical.Pool) (certificate[D], error) {
	audit := p.Audit
	audit.Pairs = pairs
	unchanged := inputs.Unchanged("mechanism", inputs.PairKey, pairs...)
	e, err := verify.Judge(ctx, audit, s, pool, nil)
	if err == nil {
		err = unchanged()
	}
	if err != nil {
		return certificate[D]{}, err
	}
	c := certificate[D]{Evidence: e, alpha: s.Alpha, event: e.WorstCase}
	for _, event := range e.Events {
		c.pairs = append(c.pairs, pairs[event.Pair])
	}
	if len(e.Events) == 1 {
		c.event, c.swapped = e.Events[0].Event, e.Events[0].Swapped
	}
	return c, nil
}

// shrink searches for smaller violating pairs.
type shrink[D, O any] struct {
	PairAudit[D, O]
	settings verify.Settings
	pool     *empirical.Pool
	*Finding[D]
	tried map[string]bool
}

// run first tries the audited pairs that are smaller than the violating one, in increasing size. From the first
// violating pair it continues with smaller pairs from the space or from Smaller. It ends if no smaller pair
// violates the claim or the certificates are used up.
func (s shrink[D, O]) run(ctx context.Context, pairs []inputs.Pair[D], found certificate[D]) {
	pairs = slices.Clone(pairs)
	slices.SortStableFunc(pairs, func(x, y inputs.Pair[D]) int {
		return cmp.Compare(inputs.PairLength(x), inputs.PairLength(y))
	})
	if len(found.pairs) == 1 {
		s.tried[inputs.PairKey(found.pairs[0])] = true
		pairs = pairs[:slices.IndexFunc(pairs,
			func(x inputs.Pair[D]) bool { return inputs.PairKey(x) == inputs.PairKey(found.pairs[0]) })]
	}
	s.first(ctx, pairs)
	for s.Smallest != nil && s.first(ctx, s.smaller(*s.Smallest)) {
	}
}

// smaller returns smaller pairs from the space, or else from Smaller.
func (s shrink[D, O]) smaller(p inputs.Pair[D]) (out []inputs.Pair[D]) {
	if s.Space != nil {
		out = s.Space.Smaller(p)
	}
	if len(out) == 0 && s.Smaller != nil {
		out = s.Smaller(p)
	}
	return out
}

// first certifies the first violating pair. It skips pairs that the mechanism rejects.
func (s shrink[D, O]) first(ctx context.Context, pairs []inputs.Pair[D]) bool {
	for _, pair := range pairs {
		if s.Certificates == ShrinkCertificates || ctx.Err() != nil {
			return false
		}
		if text := inputs.PairKey(pair); s.tried[text] {
			continue
		} else {
			s.tried[text] = true
		}
		s.Certificates++
		c, err := s.certify(ctx, []inputs.Pair[D]{pair},
			s.settings.Part((1-AuditShare)/ShrinkCertificates, "shrink", fmt.Sprint(s.Certificates)), s.pool)
		if err == nil && c.Verdict == verify.Refuted {
			s.take(c)
			return true
		}
	}
	return false
}
