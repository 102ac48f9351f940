package verify

// Impact says on what a finding bears, for who uses what a paper proposes.
type Impact string

const (
	ImpactPrivacy Impact = "privacy" // the privacy that a user gets at the paper's settings
	ImpactUtility Impact = "utility" // what comes out of the algorithm there, and what is reported of it
	ImpactTheorem Impact = "theorem" // a statement of the paper in its stated range
	ImpactProof   Impact = "proof"   // a step of a proof, while the statement may stand
	ImpactExtreme Impact = "extreme" // an end of a range that nobody uses, a cited lemma, a slip of the pen
)

// Impacts are all of them, the gravest first.
var Impacts = []Impact{ImpactPrivacy, ImpactUtility, ImpactTheorem, ImpactProof, ImpactExtreme}

// Words is a bearing as the title of what bears on it.
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

// Erratum is a slip of the pen in a paper, such as a missing square or a wrong index. What is meant is certain, so it
// has no verdict.
type Erratum struct {
	Place   string `yaml:"place" json:"place"`
	Printed string `yaml:"printed" json:"printed"`
	Meant   string `yaml:"meant" json:"meant"`
	Reason  string `yaml:"why" json:"why"`     // why this is certain
	Bearing string `yaml:"bears" json:"bears"` // what rests on it, in words: "nothing"
	// Formerly are the ids of claims of older ledgers about it.
	Formerly []string `yaml:"formerly" json:"formerly,omitempty"`
}

// ReviewerNote is what a referee adds to a claim that failed, for a reader who has seen the paper and
// nothing of this program: what it bears on, and why it is so. It decides nothing: verdicts and
// figures are those of the run.
type ReviewerNote struct {
	ID     string `json:"-" yaml:"id"`        // of the claim
	Rank   int    `json:"rank" yaml:"-"`      // in the JSON report, from 1, the gravest first; 0 elsewhere
	Impact Impact `json:"bears" yaml:"bears"` // on what
	// SettingsClaim is the id of the claim that shows the consequence at the settings of the paper's own
	// experiments; needed where Impact is ImpactPrivacy or ImpactUtility.
	SettingsClaim string `json:"shown" yaml:"shown"`
	// Title names the faulty object and the fault. {claimed} and {found} stand for the figures of the claim.
	Title  string `json:"title" yaml:"title"`
	Reason string `json:"why" yaml:"why"` // why it is so, in a sentence or two; "" if the statement says it all
	// Consequence says what becomes of the paper's conclusion, and what a user should do.
	Consequence string `json:"consequence,omitempty" yaml:"consequence"`
	// Also names other items of the paper with the same fault, as reports name them ("Theorem 5").
	Also []string `json:"also,omitempty" yaml:"also"`
	// Formula is the formula that the paper prints, and CorrectedFormula the one that holds, in Unicode text.
	Formula          string `json:"formula" yaml:"formula"`
	CorrectedFormula string `json:"instead" yaml:"instead"`
	// Picture is the id of the claim whose points show the finding best, and Caption says what is seen
	// there; "" for the claim itself, where a finding has no picture of its own.
	Picture string `json:"picture,omitempty" yaml:"picture"`
	Caption string `json:"caption,omitempty" yaml:"caption"`
}
