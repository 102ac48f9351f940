package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// These types are the part of SARIF 2.1.0 (OASIS standard, 2020) that a run needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        unlinked    `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string       `json:"id"`
		Name          string       `json:"name"`
		Short         sarifText    `json:"shortDescription"`
		Full          sarifText    `json:"fullDescription"`
		Help          sarifText    `json:"help"`
		Configuration sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text unlinked `json:"text"`
	}
	sarifInvocation struct {
		CommandLine   unlinked            `json:"commandLine,omitempty"`
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   *sarifProperties   `json:"properties,omitempty"`
	}
	// sarifProperties are fields of dpverify's JSON report.
	sarifProperties struct {
		Origin    verify.Origin `json:"origin"`
		Severity  Severity      `json:"severity,omitempty"`
		Direction string        `json:"direction,omitempty"`
	}
	sarifSuppression struct {
		Kind          string   `json:"kind"`
		Status        string   `json:"status"`
		Justification unlinked `json:"justification,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"` // nil if no file is known
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name unlinked `json:"fullyQualifiedName"`
		Kind string   `json:"kind"`
	}
)

// fingerprintKey names the method that computes a fingerprint. Another method needs another name.
const fingerprintKey = "dpverifyClaim/v1"

// SARIF writes a run as SARIF 2.1.0. A rule is a kind of claim. Refuted and contradictory claims are errors, and
// claims that are true but empty are warnings. Findings of the baseline are suppressed, with their reasons. Claims
// that could not be judged or decided are notifications of the invocation.
//
// A fingerprint depends only on the id of a claim, so an alert keeps its identity when its figures or its line
// change. A claim without a known place is reported at the first line of its paper's file.
func SARIF(w io.Writer, d Document) error {
	var run sarifRun
	run.ColumnKind = "unicodeCodePoints"
	run.Tool.Driver = sarifDriver{Name: "dpverify", Version: unlinked(format.OneLine(d.Version)),
		InformationURI: "https://github.com/dpverify/dpverify", Rules: sarifRules()}
	invocation := sarifInvocation{CommandLine: unlinked(format.OneLine(d.Command)), Successful: !d.Run.Interrupted}
	run.Results = []sarifResult{}
	severities := newLookup(d).severities
	for _, r := range d.Run.Results {
		switch {
		case format.IsWrong(r.Verdict), r.Verdict == verify.Vacuous:
			result := d.sarifResult(r)
			if o := r.Claim.Origin; o != "" {
				failed := severities[r.Claim.ID]
				result.Properties = &sarifProperties{o, failed.Severity, failed.direction}
			}
			run.Results = append(run.Results, result)
		case format.IsSupported(r.Verdict), r.Verdict == verify.Untestable:
		default:
			n := sarifNotification{Level: "warning", Message: sarifText{unlinked(r.Claim.ID + ": " + headline(r))},
				Locations: d.sarifLocations(r.Claim)}
			if r.Verdict == verify.Error {
				n.Level, invocation.Successful = "error", false
			}
			invocation.Notifications = append(invocation.Notifications, n)
		}
	}
	run.Invocations = []sarifInvocation{invocation}
	return format.WriteJSON(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func (d Document) sarifResult(r verify.Result) sarifResult {
	hash := sha256.Sum256([]byte(r.Claim.ID))
	out := sarifResult{
		RuleID: string(r.Claim.Kind), RuleIndex: slices.Index(verify.Kinds, r.Claim.Kind), Level: d.level(r),
		Message:   sarifText{unlinked(r.Claim.ID + ": " + headline(r) + "\n" + strings.Join(d.details(r), "\n"))},
		Locations: d.sarifLocations(r.Claim), Fingerprints: map[string]string{fingerprintKey: hex.EncodeToString(hash[:16])},
	}
	if e, ok := d.Excused[r.Claim.ID]; ok && e.Known {
		out.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted",
			Justification: unlinked(format.OneLine(e.Reason))}}
	}
	return out
}

// level returns the SARIF level of a finding.
func (d Document) level(r verify.Result) string {
	e, excused := d.Excused[r.Claim.ID]
	if r.Verdict == verify.Error || format.IsWrong(r.Verdict) && (!excused || e.Known) {
		return "error"
	}
	return "warning"
}

func (d Document) sarifLocations(c verify.Claim) []sarifLocation {
	at := d.place(c)
	logical := []sarifLogical{{unlinked(c.ID), "member"}}
	if at.File == "" {
		return []sarifLocation{{Logical: logical}}
	}
	file := sarifArtifact{URI: (&url.URL{Path: at.File}).EscapedPath(), BaseID: "%SRCROOT%"}
	if path.IsAbs(at.File) {
		file = sarifArtifact{URI: (&url.URL{Scheme: "file", Path: at.File}).String()}
	}
	return []sarifLocation{{
		Physical: &sarifPhysical{file, sarifRegion{StartLine: max(1, at.Line), StartColumn: at.Column}},
		Logical:  logical,
	}}
}

// sarifRules returns a rule for each kind of claim, in the order of verify.Kinds.
func sarifRules() []sarifRule {
	about := map[verify.Kind]string{
		verify.Privacy:      "A release is at least as private as claimed.",
		verify.Unbiasedness: "An estimate has the claimed expectation.",
		verify.Sensitivity:  "A result differs between neighboring data sets by at most the claimed sensitivity.",
		verify.Rate:         "An error decreases at the claimed rate.",
		verify.Identity:     "A formula gives the claimed values.",
		verify.Consistency:  "The statements of the paper agree.",
		verify.Experiment:   "A repeated experiment gives the claimed result.",
		verify.Law:          "An output has the claimed distribution.",
	}
	var rules []sarifRule
	for _, k := range verify.Kinds {
		rules = append(rules, sarifRule{
			ID: string(k), Name: strings.ToUpper(string(k[:1])) + string(k[1:]) + "Claim",
			Short: sarifText{unlinked(about[k])},
			Full: sarifText{unlinked(about[k]) +
				" A finding is a counterexample, exact or certified at the stated error probability, " +
				"or a statement that is empty."},
			Help: sarifText{"The message ends with the command that repeats the finding; `dpverify explain ID` says how a " +
				"claim of the claim set is measured."},
			// Each result states its level.
			Configuration: sarifDefault{Level: "error"},
		})
	}
	return rules
}
