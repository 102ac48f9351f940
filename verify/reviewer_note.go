package verify

// Impact states what a finding affects, for users of a paper's method.
type Impact string

const (
	ImpactPrivacy Impact = "privacy" // privacy of a user at the paper's settings
	ImpactUtility Impact = "utility" // results of the algorithm there, and what is reported of them
	ImpactTheorem Impact = "theorem" // a statement of the paper in its stated range
	ImpactProof   Impact = "proof"   // a step of a proof; the statement may still be true
	ImpactExtreme Impact = "extreme" // the end of a range that nobody uses, a cited lemma, a misprint
)

// Impacts lists all impacts, most severe first.
var Impacts = []Impact{ImpactPrivacy, ImpactUtility, ImpactTheorem, ImpactProof, ImpactExtreme}

// Words returns the impact as a title.
func (b Impact) Words() string {
	switch b {
	case ImpactPrivacy:
		return "the privacy that a user gets at the paper's settings"
	case ImpactUtility:
		return "what comes out at the paper's settings"
	case ImpactTheorem:
		return "a statement of the paper in its stated range"
	case ImpactProof:
		return "a step of a proof"
	case ImpactExtreme:
		return "an extreme or a detail"
	}
	return ""
}

// Erratum is a misprint in a paper, such as a missing square or a wrong index. The intended meaning is certain, so
// it has no verdict.
type Erratum struct {
	Place   string `yaml:"place" json:"place"`
	Printed string `yaml:"printed" json:"printed"`
	Meant   string `yaml:"meant" json:"meant"`
	Reason  string `yaml:"why" json:"why"`     // why this is certain
	Bearing string `yaml:"bears" json:"bears"` // what depends on it, as text, such as "nothing"
	// Formerly lists the ids of claims in older ledgers about it.
	Formerly []string `yaml:"formerly" json:"formerly,omitempty"`
}

// ReviewerNote is a reviewer's explanation of a failed claim, for a reader who knows the paper but not this
// program: what the finding affects, and why it occurs. It does not affect the verdict or the figures of the run.
type ReviewerNote struct {
	ID     string `json:"-" yaml:"id"`        // id of the claim
	Rank   int    `json:"rank" yaml:"-"`      // rank in the JSON report from 1, most severe first; 0 elsewhere
	Impact Impact `json:"bears" yaml:"bears"` // what it affects
	// SettingsClaim is the id of the claim that shows the consequence at the settings of the paper's own
	// experiments. It is required for ImpactPrivacy and ImpactUtility.
	SettingsClaim string `json:"shown" yaml:"shown"`
	// Title names the faulty object and the fault. {claimed} and {found} are replaced by the figures of the
	// claim.
	Title  string `json:"title" yaml:"title"`
	Reason string `json:"why" yaml:"why"` // cause in a sentence or two; "" if the statement suffices
	// Consequence states the effect on the paper's conclusion and what a user should do.
	Consequence string `json:"consequence,omitempty" yaml:"consequence"`
	// Also names other items of the paper with the same fault, as reports name them ("Theorem 5").
	Also []string `json:"also,omitempty" yaml:"also"`
	// Formula is the formula in the paper and CorrectedFormula the correct one, as Unicode text.
	Formula          string `json:"formula" yaml:"formula"`
	CorrectedFormula string `json:"instead" yaml:"instead"`
	// Picture is the id of the claim whose points show the finding best, and Caption describes them. ""
	// means the claim itself.
	Picture string `json:"picture,omitempty" yaml:"picture"`
	Caption string `json:"caption,omitempty" yaml:"caption"`
}
