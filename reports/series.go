package reports

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical/study"
	"github.com/dpverify/dpverify/verify"
)

// mostSeriesRows is the longest table of a claim's series; of a longer one as many
// rows are shown, at even distances. The JSON has them all.
const mostSeriesRows = 6

// series shows the curves that a claim's run measured: a picture, and a table for those
// who have none.
func (s *section) series(r verify.Result) {
	for _, p := range pictures(r.Series) {
		s.say(seriesWords(p, r.Series))
		if c := p.draw(); c != nil {
			s.add(c)
		}
		s.add(pictureTable(&p))
	}
}

// seriesWords tell what is shown, and of how many runs.
func seriesWords(p picture, all []verify.Series) string {
	least, most := int64(math.MaxInt64), int64(0)
	for _, s := range all {
		for _, point := range s.Points {
			if s.Along == p.along && s.Quantity == p.quantity && point.Runs > 1 {
				least, most = min(least, point.Runs), max(most, point.Runs)
			}
		}
	}
	what := "Means of this run: " + p.quantity
	if p.along != "" {
		what = "Curves of this run: " + p.quantity + " along " + p.along
	}
	if most == 0 {
		return what + ", computed."
	}
	runs := whole(most)
	if least < most {
		runs = whole(least) + " to " + runs
	}
	return fmt.Sprintf("%s, over %s runs [%.0f %% interval of each mean, Student's t; no verdict rests on these].", what, runs, 100*verify.SeriesConfidence)
}

// pictureTable has a row for each place and a column for each series.
func pictureTable(p *picture) *grid {
	first := right(p.along)
	if p.along == "" {
		first = left("at")
	}
	t := &grid{Columns: []column{first}, Wide: true, Long: true}
	type place struct {
		at string
		x  float64
	}
	var places []place
	for _, c := range p.curves {
		t.Columns = append(t.Columns, right(c.name))
		for _, point := range c.points {
			if at := (place{point.at, point.x}); point.at != "" {
				at.x = 0 // no number
				if !slices.Contains(places, at) {
					places = append(places, at)
				}
			} else if !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
	}
	if p.along != "" {
		slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.x, b.x) })
	}
	for _, at := range thinned(places, mostSeriesRows) {
		row := []inline{words(at.at)}
		if at.at == "" {
			row[0] = words(Figure(verify.Num(at.x)))
		}
		for _, c := range p.curves {
			i := slices.IndexFunc(c.points, func(q curvePoint) bool { return q.at == at.at && (q.at != "" || q.x == at.x) })
			if i < 0 {
				row = append(row, words(absent))
				continue
			}
			row = append(row, words(meanCell(c.points[i])))
		}
		t.row(row...)
	}
	return t
}

// thinned takes some of a long list, its first and its last among them.
func thinned[T any](all []T, most int) []T {
	if len(all) <= most {
		return all
	}
	some := make([]T, most)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(most-1)]
	}
	return some
}

var figureOrTable = regexp.MustCompile(`\b(Fig|Table)s?\.? (\d+)(?:(?:-| and )(\d+))?`)

// printedResult is a quantity that an experiment measures.
var printedResult = regexp.MustCompile(`\b(accuracy|error rate)\b`)

// experimentsOf are the experiments that repeat the figures and tables where a claim
// about an experiment, or about the printed results of one, stands.
func (d Document) experimentsOf(r verify.Result) []study.About {
	c := r.Claim
	if c.Kind != verify.Experiment && !(c.Kind == verify.Consistency && printedResult.MatchString(r.Quantity)) {
		return nil
	}
	var found []study.About
	for _, m := range figureOrTable.FindAllStringSubmatch(c.Source, -1) {
		low, _ := strconv.Atoi(m[2])
		high, _ := strconv.Atoi(cmp.Or(m[3], m[2]))
		for n := low; n <= min(high, low+20); n++ {
			name := fmt.Sprintf("%s/%s-%d", c.Paper, strings.ToLower(m[1]), n)
			named := func(e study.About) bool { return e.Name == name }
			if i := slices.IndexFunc(d.Experiments, named); i >= 0 && !slices.ContainsFunc(found, named) {
				found = append(found, d.Experiments[i])
			}
		}
	}
	return found
}

// drawnBy is the command that draws a whole figure.
func drawnBy(e study.About) string {
	words := []string{"dpverify", "experiment", e.Name}
	if !strings.HasPrefix(e.Data, "none:") {
		words = append(words, "--data", DataDir)
	}
	return Shell(append(words, "--format", "html", "-o", strings.ReplaceAll(e.Name, "/", "-")+".html")...)
}

// drawing names the commands that draw what a claim speaks of.
func drawing(experiments []study.About) inline {
	all := words(label("Experiment:"), " the whole figure or table by ")
	for i, e := range experiments {
		if i > 0 {
			all = words(all, ", ")
		}
		all = words(all, mono(drawnBy(e)))
	}
	return words(all, ".")
}
