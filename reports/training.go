package reports

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// TrainingSchema names the JSON form of the table of trainings.
const TrainingSchema = "dpverify/training/v1"

// Training returns the table of trainings. The parameter training says in words what was trained, and what the
// accountant was told.
func Training(rows []results.TrainingRow, training, repeat string) Sheet {
	s := section{Level: 1, Title: words("Canaries and runs until a broken training is refuted")}
	if len(rows) > 0 {
		r := rows[0]
		s.Say(fmt.Sprintf("%s. Of that the accountant proves ε ≤ %s at δ = %g; ε = %s is claimed, and the account's "+
			"trade-off "+
			"function. One run has as many canaries as the table says, each included by a coin of its own: runs of "+
			"twice as many follow one another, each with twice the share of the error probability, until one refutes. "+
			"Many runs have one canary, and train with it and without it by turns; bets on the scores may stop at any "+
			"time. Each of the two errs with probability "+
			"at most %g, over all its runs. A fault has the median of its seeds, with the least and the most; the cost "+
			"is the seconds of a processor that a seed took in the mean.", training, format.Figure(r.Account), r.Delta,
			format.Figure(r.Claimed), r.Alpha))
	}
	table := &grid{Columns: []format.Column{format.Left("training"), format.Left("attack"), format.Right("account's ε"),
		format.Left("one run: canaries"), format.Right("seconds"), format.Left("many runs: trainings"),
		format.Right("seconds")}}
	for _, r := range rows {
		cells := []inline{words(cmp.Or(r.Fault, "sound")), words(r.Attack), words(format.Figure(r.Account))}
		if r.Cannot != "" {
			table.Row(append(cells, words("not measured: "+r.Cannot), words("–"), words("–"), words("–"))...)
			continue
		}
		for _, f := range []results.Detection{r.OneRun, r.Runs} {
			cells = append(cells, words(trainingFoundText(f, r.Seeds, r.Fault == "")), words(fmt.Sprintf("%.2g", f.Seconds)))
		}
		table.Row(cells...)
	}
	s.Add(command(repeat), table)
	s.Say("What was not found up to a size is not shown to be private: the attack is too weak for it, or the size too " +
		"small.")
	return Sheet{Body: s}
}

// trainingFoundText say at what size a design refuted, or that it did not.
func trainingFoundText(f results.Detection, seeds int, sound bool) string {
	whole := func(n verify.Number) string {
		if math.IsInf(n.X, 1) {
			return "–"
		}
		return fmt.Sprint(int(n.X))
	}
	switch {
	case f.Seeds == 0 && sound:
		return fmt.Sprintf("never refuted in %d, up to %d", seeds, f.UpTo)
	case f.Seeds == 0:
		return fmt.Sprintf("not found up to %d", f.UpTo)
	case math.IsInf(f.Median.X, 1):
		return fmt.Sprintf("not found up to %d in %d of %d, else from %s", f.UpTo, seeds-f.Seeds, seeds, whole(f.Min))
	case sound:
		return fmt.Sprintf("refuted in %d of %d", f.Seeds, seeds)
	case f.Seeds < seeds:
		return fmt.Sprintf("%s [%s, –], found in %d of %d", whole(f.Median), whole(f.Min), f.Seeds, seeds)
	}
	return fmt.Sprintf("%s [%s, %s]", whole(f.Median), whole(f.Min), whole(f.Max))
}
