package reports

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// TrainingSchema names the JSON form of the table of training audits.
const TrainingSchema = "dpverify/training/v1"

// Training returns the table of training audits. The parameter training describes the training algorithm and the
// event that the accountant was given.
func Training(rows []results.TrainingRow, training, repeat string) Sheet {
	s := section{Level: 1, Title: words("Canaries and runs until a faulty training algorithm is refuted")}
	if len(rows) > 0 {
		r := rows[0]
		s.Say(fmt.Sprintf("%s. The accountant proves ε ≤ %s at δ = %g for it. The claims are ε = %s and the account's "+
			"trade-off function. The one-run audit includes each canary by an independent coin. It is repeated with twice "+
			"the canaries and twice the share of the error probability until a run refutes; the table shows the canaries of "+
			"that run. The multi-run audit has one canary and trains alternately with and without it; its sequential test "+
			"on the scores may stop at any time. Each audit errs with probability at most %g over all its runs. A row shows "+
			"the median over the seeds, with minimum and maximum, and the mean processor seconds per seed.",
			training, format.Figure(r.Account), r.Delta, format.Figure(r.Claimed), r.Alpha))
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
	s.Say("A fault that was not found up to a size may still violate privacy: the attack may be too weak or the size " +
		"too small.")
	return Sheet{Body: s}
}

// trainingFoundText gives the size at which an audit refuted, or the largest size at which it did not.
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
