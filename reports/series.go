package reports

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical/study/studydata"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/series"
)

// mostSeriesRows is the longest table of a claim's series; of a longer one as many
// rows are shown, at even distances. The JSON has them all.
const mostSeriesRows = 6

// addSeries shows the curves that a claim's run measured: a picture, and a table for those
// who have none.
func addSeries(s *article.Section, r verify.Result) {
	for _, p := range chart.Pictures(slices.Concat(r.Series, chart.BandSeries(r.Band))) {
		if band := chart.BandWords(r.Band, p.Quantity); band != "" {
			s.Say(fmt.Sprintf("%s (all but error probability %.2g, of its own).", band, r.Band.Alpha))
		} else {
			s.Say(seriesWords(p, r.Series))
		}
		if c := p.Draw(); c != nil {
			s.Add(c)
		}
		s.Add(pictureTable(&p))
	}
}

// seriesWords tell what is shown, and of how many runs.
func seriesWords(p chart.Picture, all []verify.Series) string {
	least, most := int64(math.MaxInt64), int64(0)
	for _, s := range all {
		for _, point := range s.Points {
			if s.Along == p.Along && s.Quantity == p.Quantity && point.Runs > 1 {
				least, most = min(least, point.Runs), max(most, point.Runs)
			}
		}
	}
	what := "Means of this run: " + p.Quantity
	if p.Along != "" {
		what = "Curves of this run: " + p.Quantity + " along " + p.Along
	}
	if most == 0 {
		return what + ", computed."
	}
	runs := figures.Whole(most)
	if least < most {
		runs = figures.Whole(least) + " to " + runs
	}
	return fmt.Sprintf("%s, over %s runs [%.0f %% interval of each mean, Student's t; no verdict rests on these].", what,
		runs, 100*series.Confidence)
}

// pictureTable has a row for each place and a column for each series.
func pictureTable(p *chart.Picture) *article.Grid {
	first := markdown.Right(p.Along)
	if p.Along == "" {
		first = markdown.Left("at")
	}
	t := &article.Grid{Columns: []markdown.Column{first}, Wide: true, Long: true}
	type place struct {
		at string
		x  float64
	}
	var places []place
	for _, c := range p.Curves {
		t.Columns = append(t.Columns, markdown.Right(c.Name))
		for _, point := range c.Points {
			if at := (place{point.At, point.X}); point.At != "" {
				at.x = 0 // no number
				if !slices.Contains(places, at) {
					places = append(places, at)
				}
			} else if !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
	}
	if p.Along != "" {
		slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.x, b.x) })
	}
	for _, at := range figures.Thinned(places, mostSeriesRows) {
		row := []article.Inline{article.Words(at.at)}
		if at.at == "" {
			row[0] = article.Words(figures.Figure(verify.Num(at.x)))
		}
		for _, c := range p.Curves {
			i := slices.IndexFunc(c.Points,
				func(q chart.CurvePoint) bool { return q.At == at.at && (q.At != "" || q.X == at.x) })
			if i < 0 {
				row = append(row, article.Words(figures.Absent))
				continue
			}
			row = append(row, article.Words(chart.MeanCell(c.Points[i])))
		}
		t.Row(row...)
	}
	return t
}

var figureOrTable = regexp.MustCompile(`\b(Fig|Table)s?\.? (\d+)(?:(?:-| and )(\d+))?`)

// printedResult is a quantity that an experiment measures.
var printedResult = regexp.MustCompile(`\b(accuracy|error rate)\b`)

// experimentsOf are the experiments that repeat the figures and tables where a claim
// about an experiment, or about the printed results of one, stands.
func (d Document) experimentsOf(r verify.Result) []studydata.About {
	c := r.Claim
	if c.Kind != verify.Experiment && !(c.Kind == verify.Consistency && printedResult.MatchString(r.Quantity)) {
		return nil
	}
	var found []studydata.About
	for _, m := range figureOrTable.FindAllStringSubmatch(c.Source, -1) {
		low, _ := strconv.Atoi(m[2])
		high, _ := strconv.Atoi(cmp.Or(m[3], m[2]))
		for n := low; n <= min(high, low+20); n++ {
			name := fmt.Sprintf("%s/%s-%d", c.Paper, strings.ToLower(m[1]), n)
			named := func(e studydata.About) bool { return e.Name == name }
			if i := slices.IndexFunc(d.Experiments, named); i >= 0 && !slices.ContainsFunc(found, named) {
				found = append(found, d.Experiments[i])
			}
		}
	}
	return found
}

// drawnBy is the command that draws a whole figure.
func drawnBy(e studydata.About) string {
	words := []string{"dpverify", "experiment", e.Name}
	if !strings.HasPrefix(e.Data, "none:") {
		words = append(words, "--data", DataDir)
	}
	return Shell(append(words, "--format", "html", "-o", strings.ReplaceAll(e.Name, "/", "-")+".html")...)
}

// drawing names the commands that draw what a claim speaks of.
func drawing(experiments []studydata.About) article.Inline {
	all := article.Words(article.Label("Experiment:"), " the whole figure or table by ")
	for i, e := range experiments {
		if i > 0 {
			all = article.Words(all, ", ")
		}
		all = article.Words(all, article.Mono(drawnBy(e)))
	}
	return article.Words(all, ".")
}
