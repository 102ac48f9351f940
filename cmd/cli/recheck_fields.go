package cli

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// fieldClass is the class of a field in a report.
type fieldClass int

const (
	unknownClass fieldClass = iota
	// derivedClass fields follow from other fields. They are recomputed and compared.
	derivedClass
	// inputClass fields state the claim and the request. They are compared with the claims if these are known.
	inputClass
	// freeClass fields are quoted: a report cannot check them. They include observations, such as counts and example
	// outputs, from which derived fields follow. Only another run can show that observations come from the mechanism.
	freeClass
	// insideClass fields are objects and lists. Their own fields have a class.
	insideClass
)

// fieldClasses lists the fields of a report (dpverify/report/v1) by class, one a line, with [] for each element of a
// list. A field below a field with a class other than inside has the same class.
var fieldClasses = parseFieldClasses(map[fieldClass]string{
	derivedClass: `
		schema selected command
		claims[].verdict claims[].exact claims[].quantity claims[].sense claims[].claimed claims[].measured
		claims[].lower claims[].upper claims[].ratio claims[].alpha claims[].samples claims[].method claims[].power
		claims[].detects claims[].detects.effect claims[].detects.relative claims[].detects.probability
		claims[].detects.mass
		claims[].sizes claims[].sizes.near claims[].sizes.near_delta claims[].sizes.near_mass claims[].sizes.near_seen
		claims[].sizes.gross claims[].sizes.gross_delta claims[].sizes.gross_mass claims[].sizes.wanted_mass
		claims[].sizes.probability
		claims[].delta_lower claims[].witness
		claims[].assumed claims[].assumed[].name claims[].assumed[].assumption claims[].assumed[].delta
		claims[].assumed[].alpha claims[].assumed[].lower claims[].assumed[].gamma_zero claims[].assumed[].gamma_claim
		claims[].observed claims[].observed.delta claims[].observed.alpha claims[].observed.claimed
		claims[].observed.observed claims[].observed.numbers claims[].observed.numbers[].quantity
		claims[].observed.numbers[].claimed claims[].observed.numbers[].observed claims[].observed.numbers[].lower
		claims[].observed.numbers[].upper claims[].observed.reason claims[].observed.conditions
		claims[].levels claims[].levels[].alpha claims[].levels[].samples
		claims[].cells claims[].cells[].at claims[].cells[].claimed claims[].cells[].measured claims[].cells[].lower
		claims[].cells[].upper claims[].cells[].exact_value claims[].cells[].delta_lower claims[].cells[].samples
		claims[].series claims[].series[].name claims[].series[].along claims[].series[].quantity claims[].series[].points
		claims[].series[].points[].at claims[].series[].points[].x claims[].series[].points[].mean
		claims[].series[].points[].lower claims[].series[].points[].upper claims[].series[].points[].runs
		claims[].warnings claims[].unseeded
		claims[].why.event claims[].why.rate claims[].why.other_rate claims[].why.likelier claims[].why.pair
		claims[].why.smallest
		claims[].violated_at claims[].violated_at.epsilon claims[].violated_at.delta claims[].violated_at.measured
		claims[].band claims[].band.alpha claims[].band.delta claims[].band.delta[].at claims[].band.delta[].claimed
		claims[].band.delta[].certified claims[].band.trade_off claims[].band.trade_off[].at
		claims[].band.trade_off[].claimed claims[].band.trade_off[].certified
		claims[].tried claims[].tried.cases claims[].tried.case claims[].tried.from claims[].tried.to
		claims[].tried.nearest claims[].tried.nearest.at claims[].tried.nearest.claimed claims[].tried.nearest.measured
		claims[].tried.nearest.lower claims[].tried.nearest.upper claims[].tried.nearest.exact_value
		claims[].tried.nearest.delta_lower claims[].tried.nearest.samples claims[].tried.margin
		claims[].attempt claims[].needed claims[].severity claims[].direction
		claims[].counterexample claims[].counterexample.at claims[].counterexample.claimed
		claims[].counterexample.measured claims[].counterexample.lower claims[].counterexample.upper
		claims[].counterexample.exact_value claims[].counterexample.delta_lower claims[].counterexample.samples
		claims[].counterexample.choice
		claims[].reproduce
		claims[].basis.method claims[].basis.why
		counts counts[].paper counts[].origin counts[].tested counts[].false counts[].true counts[].empty
		counts[].not_run counts[].undecided
		replays replays[].paper replays[].learner replays[].control replays[].finds replays[].claims`,
	inputClass: `
		seed alpha budget interrupted notes
		papers papers[].id papers[].title papers[].authors papers[].year papers[].edition papers[].assessment
		papers[].items papers[].errata papers[].errata[].place papers[].errata[].printed
		papers[].errata[].meant papers[].errata[].why papers[].errata[].bears papers[].errata[].formerly
		claims[].id claims[].paper claims[].source claims[].statement claims[].kind claims[].origin claims[].place claims[].formerly
		claims[].corrected claims[].data
		claims[].remark claims[].remark.rank claims[].remark.bears claims[].remark.shown claims[].remark.title
		claims[].remark.why claims[].remark.formula claims[].remark.instead claims[].remark.picture
		claims[].remark.caption claims[].remark.consequence claims[].remark.also`,
	freeClass: `
		version go title
		claims[].seconds
		claims[].why.outputs
		claims[].why.growth claims[].why.growth.quantity claims[].why.growth.alpha claims[].why.growth.points
		claims[].why.growth.points[].distance claims[].why.growth.points[].lower claims[].why.growth.points[].pairs
		claims[].why.likeness claims[].why.likeness.fault claims[].why.likeness.words claims[].why.likeness.evidence
		claims[].why.likeness.level
		claims[].basis.facts claims[].basis.share claims[].basis.noted claims[].basis.unseeded`,
	insideClass: `claims claims[].why claims[].basis`,
})

func parseFieldClasses(texts map[fieldClass]string) map[string]fieldClass {
	all := make(map[string]fieldClass)
	for _, c := range slices.Sorted(maps.Keys(texts)) {
		for _, path := range strings.Fields(texts[c]) {
			all[path] = c
		}
	}
	return all
}

var listIndex = regexp.MustCompile(`\[\d+\]`)

// classOf returns the class of the field at a path, or the class of the statistics that contain it.
func classOf(path string) fieldClass {
	path = listIndex.ReplaceAllString(path, "[]")
	for {
		if c, known := fieldClasses[path]; known {
			return c
		}
		// an element of a list of plain values, or the statistics of a method
		switch {
		case strings.HasSuffix(path, "[]"):
			path = strings.TrimSuffix(path, "[]")
		case strings.HasPrefix(path, factsPath+".") || strings.HasPrefix(path, factsPath+"["):
			return fieldClasses[factsPath]
		default:
			return unknownClass
		}
	}
}

const factsPath = "claims[].basis.facts"
