package dptest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Evidence adds the run to the evidence of earlier runs in a file, and decides by the evidence of all of them. With
// [EvidenceStart], a true claim is ever refuted with probability at most [Alpha]. The path is relative to the
// directory of the package, as in "testdata/noisy_count.jsonl". The package documentation describes how to begin and
// keep a file.
//
// An [Audit] with Evidence takes given pairs, from [Pair] or [Pairs]. The tests Audit, AuditMechanism, Unbiased,
// UnbiasedOver, Distribution, DistributionOver, Rate, MultiRun and Check accept the option.
func Evidence(file string) Option {
	return option{"Evidence", func(s *settings) { s.evidence.file = file }}
}

// EvidenceVersion sets the version of the tested code, for example "v2". Evidence about different versions is kept
// apart: change the version after each fix, or the evidence against the code before the fix refutes the claim forever.
// The claim and the given inputs are part of the version. The code of a statement is not: set a new version if the
// truth of [UnbiasedOver], the distribution of [DistributionOver], their space or the check of [Check] changes. A
// false claim about a later version takes more runs to refute than about the first.
func EvidenceVersion(version string) Option {
	return option{"EvidenceVersion", func(s *settings) { s.evidence.version = version }}
}

// EvidenceStart sets the number n ≥ 1 of the start of the evidence. Raise it by 1 whenever the file is lost. The n-th
// start has the share 6/(π²n²) of alpha, so alpha covers all starts. Without this option, alpha applies to each start.
func EvidenceStart(n int) Option {
	return option{"EvidenceStart", func(s *settings) { s.evidence.start = n }}
}

// evidenceOptions lists the options for the evidence of many runs. commonWithEvidence also lists the common ones.
var (
	evidenceOptions    = []string{"Evidence", "EvidenceVersion", "EvidenceStart"}
	commonWithEvidence = slices.Clip(slices.Concat(common, evidenceOptions))
)

const (
	runVariable = "DPTEST_RUN"          // sets the id of the run
	newVariable = "DPTEST_EVIDENCE_NEW" // if set, the test begins a new file or start
)

type evidenceSettings struct {
	file    string // "" for none
	version string
	start   int // 0 for the last one in the file
}

// evidenceRun is a run that adds to an evidence file.
type evidenceRun struct {
	file    *eprocess.File
	id      string
	claim   string
	version string
	outcome *eprocess.Outcome // what the run adds; nil before it is judged
}

// claimKey returns a privacy claim with all points of its curve.
func claimKey(claim privacy.Guarantee) string {
	key := claim.String()
	if points, ok := claim.Curve(); ok {
		key += fmt.Sprintf(" %v", points)
	}
	return key
}

// beginRun opens the evidence file of the test. It returns nil if the test has none.
func (j *judging) beginRun(test string) (*evidenceRun, error) {
	o := j.s.evidence
	if o.file == "" {
		return nil, nil
	}
	fresh := os.Getenv(newVariable) != ""
	file, err := eprocess.Open(o.file, eprocess.Options{Alpha: j.s.alpha, Start: o.start, New: fresh})
	if err != nil {
		return nil, errors.New(inGoTest.Replace(err.Error()))
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%q %v %v %v %q", j.statement, j.s.lo, j.s.hi, j.s.variance, o.version))
	r := &evidenceRun{file: file, id: os.Getenv(runVariable), claim: j.pkg + " " + test,
		version: fmt.Sprintf("%x", digest[:12])}
	if j.s.name != "" {
		r.claim += ": " + j.s.name
	}
	if r.id == "" {
		r.id = file.NextID()
	}
	if err = r.only(o.file); err == nil {
		err = file.Unused(r.id)
	}
	if err != nil {
		return nil, errors.Join(errors.New(inGoTest.Replace(err.Error())), file.Close())
	}
	return r, nil
}

// only returns an error if the file has evidence about another test.
func (r *evidenceRun) only(path string) error {
	for _, run := range r.file.Runs {
		for _, claim := range slices.Sorted(maps.Keys(run.Claims)) {
			if claim != r.claim {
				return fmt.Errorf("%s has the evidence of the test %q, and this is the test %q: want a file for each test; for a "+
					"renamed test begin a new file and raise dptest.EvidenceStart by 1", path, claim, r.claim)
			}
		}
	}
	return nil
}

// inGoTest replaces the flags of the command in an error of package eprocess.
var inGoTest = strings.NewReplacer(
	"give --evidence-new", "set the environment variable "+newVariable+"=1",
	"leave --evidence-new out", "unset "+newVariable+", and give each test its own file",
	" (--evidence-start, or evidence.start in the claims file)", " (dptest.EvidenceStart)",
	"give --alpha", "set dptest.Alpha to",
	"give another --run-id", "set another "+runVariable)

// check returns a check that adds the factors of this run to those of the earlier runs.
func (r *evidenceRun) check(c verify.Check, bets *eprocess.Bets) verify.Check {
	if bets != nil {
		bets.After(r.file.Runs, r.claim, r.version)
	}
	return eprocess.Check{Check: c, Claim: r.claim, Version: r.version, Weight: 1, RunID: r.id, Start: r.file.Start,
		Runs: r.file.Runs, Bets: bets, Add: func(n eprocess.Outcome) { r.outcome = &n }}
}

// seedID returns the part of the seed that makes the samples of this run differ from those of all other runs.
func (r *evidenceRun) seedID() string { return fmt.Sprintf("%d/%s", r.file.Start, r.id) }

// end adds the run to the file unless it failed, and closes the file.
func (r *evidenceRun) end(e verify.Evidence, failed error) (verify.Evidence, error) {
	switch {
	case failed != nil:
	case r.outcome != nil:
		failed = r.file.Add(r.id, false, map[string]eprocess.Outcome{r.claim: *r.outcome})
	case e.Exact || e.Verdict == verify.NotRun:
		e.Warnings = append(e.Warnings, "nothing was sampled, so the run is not added to the evidence")
	default:
		failed = errors.New("the check returned no statistics, so its runs cannot be added up: use a check of the packages " +
			"under verify, or leave dptest.Evidence out")
	}
	for _, flaw := range r.file.Flaws() {
		e.Warnings = append(e.Warnings, flaw.Error())
	}
	return e, errors.Join(failed, r.file.Close())
}

// amountOfEvidence starts the amount of evidence in the texts of [eprocess.Check].
const amountOfEvidence = "evidence against version"

// evidenceLines describes the evidence at the end of a message. It is empty if the test keeps none.
func (j *judging) evidenceLines(e verify.Evidence) string {
	if j.run == nil {
		return ""
	}
	text := line("evidence:", "run %s of start %d in %s", j.run.id, j.run.file.Start, j.s.evidence.file)
	if e.Verdict == verify.Refuted {
		text += line("", "after a fix set a new dptest.EvidenceVersion")
	}
	if i := strings.LastIndex(e.Attempt, amountOfEvidence); i >= 0 {
		text += line("", "%s", e.Attempt[i:])
	}
	if j.s.evidence.start == 0 {
		text += line("", "alpha applies to each start of the evidence; with dptest.EvidenceStart it covers all starts")
	}
	return text
}
