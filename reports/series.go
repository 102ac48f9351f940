package reports

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/verify"
)

var figureOrTable = regexp.MustCompile(`\b(Fig|Table)s?\.? (\d+)(?:(?:-| and )(\d+))?`)

// printedResult matches quantities that an experiment measures.
var printedResult = regexp.MustCompile(`\b(accuracy|error rate)\b`)

// experimentsOf returns the experiments that repeat the figures and tables named in a claim's source. The claim must
// be about an experiment, or about the printed results of one.
func (d Document) experimentsOf(r verify.Result) []result.About {
	c := r.Claim
	if c.Kind != verify.Experiment && !(c.Kind == verify.Consistency && printedResult.MatchString(r.Quantity)) {
		return nil
	}
	var found []result.About
	for _, m := range figureOrTable.FindAllStringSubmatch(c.Source, -1) {
		low, _ := strconv.Atoi(m[2])
		high, _ := strconv.Atoi(cmp.Or(m[3], m[2]))
		for n := low; n <= min(high, low+20); n++ {
			name := fmt.Sprintf("%s/%s-%d", c.Paper, strings.ToLower(m[1]), n)
			named := func(e result.About) bool { return e.Name == name }
			if i := slices.IndexFunc(d.Experiments, named); i >= 0 && !slices.ContainsFunc(found, named) {
				found = append(found, d.Experiments[i])
			}
		}
	}
	return found
}

// drawnBy returns the command that draws a whole figure.
func drawnBy(e result.About) string {
	words := []string{"dpverify", "experiment", e.Name}
	if !strings.HasPrefix(e.Data, "none:") {
		words = append(words, "--data", DataDir)
	}
	return Shell(append(words, "--format", "html", "-o", strings.ReplaceAll(e.Name, "/", "-")+".html")...)
}

// drawing names the commands that draw the figures and tables of a claim.
func drawing(experiments []result.About) inline {
	all := words(label("Experiment:"), " the whole figure or table by ")
	for i, e := range experiments {
		if i > 0 {
			all = words(all, ", ")
		}
		all = words(all, mono(drawnBy(e)))
	}
	return words(all, ".")
}
